// The bound of a static answer: two threads, each with an epoll loop that reads what looks like a request and
// sends the same bytes again. No parsing, no files: what is above this figure is the work of a server.
//   raw PORT FILE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace {

int listen_on(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(fd, 4096) != 0) {
    std::perror("raw: listen");
    std::exit(1);
  }
  return fd;
}

void watch(int poll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  ::epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
}

void accept_all(int poll, int listener) {
  for (int fd; (fd = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(poll, fd);
  }
}

// An answer that does not fit into the socket buffer is a bound for nobody: it ends the program.
void answer(int fd, const std::string& bytes) {
  char request[8192];
  const auto got = ::recv(fd, request, sizeof request, 0);
  if (got <= 0) {
    ::close(fd);
    return;
  }
  if (::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) {
    std::fputs("raw: the answer is too large for one send\n", stderr);
    std::exit(1);
  }
}

void serve(int port, const std::string& bytes) {
  const int listener = listen_on(port), poll = ::epoll_create1(EPOLL_CLOEXEC);
  watch(poll, listener);
  epoll_event events[128];
  for (;;) {
    const int count = ::epoll_wait(poll, events, 128, -1);
    for (int i = 0; i < count; ++i)
      if (events[i].data.fd == listener)
        accept_all(poll, listener);
      else
        answer(events[i].data.fd, bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream file{argv[2], std::ios::binary};
  const std::string body{std::istreambuf_iterator<char>{file}, {}};
  const std::string bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body;
  std::thread other{serve, std::atoi(argv[1]), bytes};
  serve(std::atoi(argv[1]), bytes);
}
