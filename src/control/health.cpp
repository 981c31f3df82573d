// A one-request HTTP client.
#include "control/health.hpp"

#include "base/address.hpp"
#include "base/text.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace httpd::control {

namespace {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;

struct location {
  endpoint server;
  std::string path = "/";
};

location parse(std::string_view url) {
  location result;
  std::string reason;
  constexpr std::string_view scheme = "http://";
  std::size_t path_at = url.npos;
  std::string_view address = url;
  if (url.starts_with(scheme)) {
    address.remove_prefix(scheme.size());
    path_at = address.find('/');
  } else if (url.starts_with("unix:")) {
    const auto colon = url.find(":/", 6);
    path_at = colon == url.npos ? colon : colon + 1;
    if (colon != url.npos) address = url.substr(0, colon);
    if (colon != url.npos) result.path = url.substr(path_at);
    path_at = url.npos;
  } else {
    throw std::runtime_error{"the URL must begin with http:// or unix:"};
  }
  if (path_at != url.npos) {
    result.path = address.substr(path_at);
    address = address.substr(0, path_at);
  }
  std::string with_port{address};
  if (!address.starts_with("unix:") && address.find(':', address.rfind(']') + 1) == address.npos)
    with_port += ":80";
  const auto server = parse_endpoint(with_port, "", false, reason);
  if (!server) throw std::runtime_error{reason};
  result.server = *server;
  return result;
}

template <class Socket>
beast_http::response<beast_http::string_body> ask(Socket& socket, const std::string& path) {
  beast_http::request<beast_http::empty_body> question{beast_http::verb::get, path, 11};
  question.set(beast_http::field::host, "localhost");
  question.set(beast_http::field::connection, "close");
  question.set(beast_http::field::user_agent, "httpd-php-fpm health");
  beast_http::write(socket, question);
  boost::beast::flat_buffer buffer;
  beast_http::response<beast_http::string_body> answer;
  beast_http::read(socket, buffer, answer);
  return answer;
}

beast_http::response<beast_http::string_body> ask(const location& where) {
  asio::io_context context;
  if (where.server.is_unix()) {
    auto path = where.server.unix_path;
    if (path[0] == '@') path[0] = '\0';
    asio::local::stream_protocol::socket socket{context};
    socket.open();
    socket.connect(path);
    return ask(socket, where.path);
  }
  asio::ip::tcp::resolver resolver{context};
  boost::system::error_code error = asio::error::host_not_found;
  for (const auto& found : resolver.resolve(where.server.host, std::to_string(where.server.port))) {
    asio::ip::tcp::socket socket{context};
    socket.open(found.endpoint().protocol());
    socket.connect(found.endpoint(), error);
    if (!error) return ask(socket, where.path);
  }
  throw boost::system::system_error{error};
}

// The first line, for a terminal.
std::string printable(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  for (auto& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

std::string too_late;  // a whole line

// Nothing else bounds the waits below, from the look-up of the name to the end of the answer: reads of Asio
// that block do not heed SO_RCVTIMEO. Docker and the others give five seconds by our image.
void end_in_time(const std::string& url) {
  too_late = concat("httpd-php-fpm: health ", escaped(url), ": no answer within 3 s\n");
  std::signal(SIGALRM, [](int) {
    static_cast<void>(!::write(STDERR_FILENO, too_late.data(), too_late.size()));
    ::_exit(1);
  });
  ::alarm(3);
}

}  // namespace

int ask_health(const std::string& url) {
  end_in_time(url);
  try {
    const auto answer = ask(parse(url));
    std::printf("%u %s\n", answer.result_int(), printable(answer.body()).c_str());
    return answer.result_int() == 200 ? 0 : 1;
  } catch (const boost::system::system_error& failure) {
    // Not what(): that tells where in Asio it happened.
    std::fprintf(stderr, "httpd-php-fpm: health %s: %s\n", escaped(url).c_str(),
                 failure.code().message().c_str());
    return 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "httpd-php-fpm: health %s: %s\n", escaped(url).c_str(), failure.what());
    return 1;
  }
}

}  // namespace httpd::control
