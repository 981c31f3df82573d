// io/answer_spool: what clients have not taken yet, in blocks of one file: in order, never another's bytes,
// never more than the budget, and nothing left when it is taken.
#include "io/answer_spool.hpp"

#include "catch.hpp"
#include "io/captured_log.hpp"
#include "io/failing_calls.hpp"
#include "io/io_test.hpp"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace httpd;
using namespace httpd::test;

namespace {

constexpr auto block = io::answer_spool::block_bytes;

struct spool_of {
  explicit spool_of(std::uint64_t bytes, std::size_t memory = 1) : budget{bytes}, spool{budget, memory} {}
  io::allowance budget;
  io::answer_spool spool;
};

// The bytes that the nameless files of this process take on the disk.
std::uint64_t bytes_on_disk() {
  std::uint64_t total = 0;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) {
    struct stat info{};
    if (::stat(entry.path().c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 0)
      total += static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  return total;
}

void send_all(io::spooled_bytes& kept, wired_socket& wire) {
  std::uint64_t sent = 0;
  while (kept.size() > 0) {
    const auto before = sent;
    const auto error = kept.send_to(wire.socket, sent);
    REQUIRE((!error || io::would_block(error)));
    const bool pulled = wire.other.pull();
    REQUIRE((pulled || sent > before));
  }
  while (wire.other.pull()) continue;
}

}  // namespace

TEST_CASE("kept bytes come back in order, whatever the pieces they came in") {
  const auto text = pattern(5 * block + 4321);
  const auto piece = GENERATE(std::size_t{777}, block - 1, block, block + 1, std::size_t{200'000});
  io::asio::io_context context{1};
  wired_socket wire{context, 1};
  spool_of all{8 * block};
  io::spooled_bytes kept{all.spool};
  std::uint64_t sent = 0;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const auto part = std::string_view{text}.substr(at, piece);
    REQUIRE(kept.append(part) == part.size());
    // Now and then some is taken in between, sometimes everything.
    if (at / piece % 3 == 0) kept.send_to(wire.socket, sent);
    if (at / piece % 7 == 0) send_all(kept, wire);
  }
  send_all(kept, wire);
  CHECK((wire.other.received() == text));
  CHECK(all.budget.left() == 8 * block);
}

TEST_CASE("below, at and above the budget: what there is no room for is not taken") {
  const auto text = pattern(2 * block + 1);
  const std::string_view bytes = text;
  const captured_log log;
  spool_of all{2 * block};
  SECTION("below") { CHECK(io::spooled_bytes{all.spool}.append(bytes.substr(1)) == 2 * block); }
  SECTION("at") { CHECK(io::spooled_bytes{all.spool}.append(bytes.substr(0, 2 * block)) == 2 * block); }
  SECTION("above") {
    CHECK(io::spooled_bytes{all.spool}.append(bytes) == 2 * block);
  }
  SECTION("none at all") {
    spool_of none{0};
    io::spooled_bytes kept{none.spool};
    CHECK(kept.append(bytes) == 0);
    CHECK(kept.size() == 0);
  }
  CHECK(all.budget.left() == 2 * block);
}

TEST_CASE("room that one answer gives back is another's, and their bytes do not mix") {
  const captured_log log;
  io::asio::io_context context{1};
  wired_socket one{context, 1}, two{context, 1};
  spool_of all{3 * block};
  const std::string a(2 * block, 'a'), b(2 * block, 'b');
  io::spooled_bytes first{all.spool};
  auto second = std::make_unique<io::spooled_bytes>(all.spool);
  REQUIRE(first.append(a) == a.size());
  REQUIRE(second->append(b) == block);
  std::uint64_t sent = 0;
  while (first.size() > block) {
    first.send_to(one.socket, sent);
    one.other.pull();
  }
  REQUIRE(second->append(std::string_view{b}.substr(block)) == block);
  send_all(first, one);
  send_all(*second, two);
  CHECK((one.other.received() == a));
  CHECK((two.other.received() == b));
  // An answer that is given up gives back its room, too.
  REQUIRE(second->append(b) == b.size());
  second.reset();
  CHECK(all.budget.left() == 3 * block);
}

TEST_CASE("a file takes no room on the disk for what was taken from it") {
  io::asio::io_context context{1};
  wired_socket wire{context, 1};
  spool_of all{64 * block};
  io::spooled_bytes kept{all.spool};
  const auto before = bytes_on_disk();
  REQUIRE(kept.append(std::string(20 * block, 'x')) == 20 * block);
  CHECK(bytes_on_disk() >= before + 20 * block);
  send_all(kept, wire);
  CHECK(bytes_on_disk() == before);
}

TEST_CASE("a disk that is full keeps what it took, and takes more when there is room again") {
  const captured_log log;
  const auto text = pattern(4 * block);
  const auto n = GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{3});
  io::asio::io_context context{1};
  wired_socket wire{context, 1};
  spool_of all{8 * block};
  io::spooled_bytes kept{all.spool};
  failing_calls::fail(n, ENOSPC, "pwrite");
  std::size_t taken = 0;
  {
    const failing_calls::armed armed;
    taken = kept.append(text);
  }
  CHECK(taken == (n - 1) * block);
  REQUIRE(kept.append(std::string_view{text}.substr(taken)) == text.size() - taken);
  send_all(kept, wire);
  CHECK((wire.other.received() == text));
  CHECK(all.budget.left() == 8 * block);
}

TEST_CASE("half of a small file system is left to uploads") {
  const captured_log log;
  const temporary_folder folder;
  if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=2m") != 0) {
    WARN("needs root");
    return;
  }
  const auto* const was = std::getenv("TMPDIR");
  const std::string before = was ? was : "";
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  std::size_t taken = 0;
  {
    spool_of all{1u << 30};
    io::spooled_bytes kept{all.spool};
    taken = kept.append(std::string(4u << 20, 'x'));
  }
  was ? ::setenv("TMPDIR", before.c_str(), 1) : ::unsetenv("TMPDIR");
  ::umount2(folder.path().c_str(), MNT_DETACH);
  CHECK(taken == 1u << 20);
}

TEST_CASE("a kept answer that cannot be read is an error, not other bytes") {
  const captured_log log;
  io::asio::io_context context{1};
  wired_socket wire{context};
  spool_of all{8 * block};
  io::spooled_bytes kept{all.spool};
  REQUIRE(kept.append("something") == 9);
  failing_calls::fail(1, EIO, "pread");
  const failing_calls::armed armed;
  std::uint64_t sent = 0;
  CHECK(kept.send_to(wire.socket, sent) == boost::system::errc::io_error);
  CHECK(sent == 0);
}

TEST_CASE("one turn sends a megabyte at most") {
  io::asio::io_context context{1};
  wired_socket wire{context};
  const int plenty = 64 << 20;
  if (::setsockopt(wire.socket.native_handle(), SOL_SOCKET, SO_SNDBUFFORCE, &plenty, sizeof plenty) != 0)
    WARN("needs root: less than a megabyte fits into the socket anyway");
  spool_of all{64u << 20};
  io::spooled_bytes kept{all.spool};
  REQUIRE(kept.append(std::string(8u << 20, 'x')) == 8u << 20);
  std::uint64_t sent = 0;
  kept.send_to(wire.socket, sent);
  CHECK(sent > 0);
  CHECK(sent <= 1u << 20);
}
