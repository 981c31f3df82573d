// The bound of php-fpm: clients that speak FastCGI to it directly, a connection for each request, as a server
// without FastCGI keep-alive does. Prints JSON.
//   direct SOCKET SCRIPT CLIENTS SECONDS
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string record(int type, const std::string& content) {
  std::string bytes{'\1', static_cast<char>(type), '\0', '\1', static_cast<char>(content.size() >> 8),
                    static_cast<char>(content.size() & 255), '\0', '\0'};
  return bytes + content;
}

std::string pair(const std::string& name, const std::string& value) {
  std::string bytes{static_cast<char>(name.size())};
  if (value.size() < 128) {
    bytes += static_cast<char>(value.size());
  } else {
    const char length[4] = {'\x80', '\0', static_cast<char>(value.size() >> 8), static_cast<char>(value.size() & 255)};
    bytes.append(length, 4);
  }
  return bytes + name + value;
}

std::string request_for(const std::string& script) {
  const auto slash = script.rfind('/');
  const std::string params = pair("GATEWAY_INTERFACE", "CGI/1.1") + pair("REQUEST_METHOD", "GET") +
                             pair("SCRIPT_FILENAME", script) + pair("SCRIPT_NAME", script.substr(slash)) +
                             pair("REQUEST_URI", script.substr(slash)) + pair("SERVER_PROTOCOL", "HTTP/1.1");
  return record(1, std::string{'\0', '\1', '\0', '\0', '\0', '\0', '\0', '\0'}) + record(4, params) +
         record(4, "") + record(5, "");
}

struct bound {
  sockaddr_un address{};
  std::string request;
  int poll = ::epoll_create1(EPOLL_CLOEXEC);
  long answered = 0, failed = 0;

  bool begin() {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    return ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
           ::send(fd, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size()) &&
           ::epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) == 0;
  }

  // The end of the connection ends a request: php-fpm closes it.
  void read(int fd) {
    char bytes[65536];
    ssize_t got = 0, all = 0;
    while ((got = ::recv(fd, bytes, sizeof bytes, 0)) > 0) all += got;
    if (got < 0 && errno == EAGAIN) return;
    ++(got == 0 ? answered : failed);
    ::close(fd);
    if (!begin()) ++failed;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  bound self;
  self.address.sun_family = AF_UNIX;
  std::strncpy(self.address.sun_path, argv[1], sizeof self.address.sun_path - 1);
  self.request = request_for(argv[2]);
  for (int i = std::atoi(argv[3]); i > 0; --i)
    if (!self.begin()) ++self.failed;
  using clock = std::chrono::steady_clock;
  const auto start = clock::now(), end = start + std::chrono::milliseconds{long(1000 * std::atof(argv[4]))};
  epoll_event events[256];
  while (clock::now() < end)
    for (int i = ::epoll_wait(self.poll, events, 256, 100); i-- > 0;) self.read(events[i].data.fd);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const double seconds = std::chrono::duration<double>(clock::now() - start).count();
  const double cpu = double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  std::printf("{\"requests\": %ld, \"errors\": %ld, \"seconds\": %.3f, \"cpu_seconds\": %.3f}\n", self.answered,
              self.failed, seconds, cpu);
}
