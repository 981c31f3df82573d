// server/admission: one line for all threads, and no place is ever lost or given twice.
#include "server/admission.hpp"

#include "catch.hpp"
#include "io/io_test.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <array>
#include <atomic>
#include <deque>
#include <future>
#include <mutex>
#include <random>
#include <thread>

using namespace httpd;
using namespace httpd::test;
using server::admission;
using outcome = admission::outcome;

namespace {

bool always(void*) { return true; }
bool ask(void* wanted) { return *static_cast<std::atomic<bool>*>(wanted); }

struct entry {
  outcome what;
  admission::lease place;
};

io::awaitable<entry*> enter(admission& to, io::executor on, std::chrono::milliseconds at_most,
                            std::atomic<bool>* wanted, entry& result) {
  const auto asked = wanted ? ask : always;
  result.what = co_await to.enter(on, at_most, asked, wanted, result.place);
  co_return &result;
}

// One that enters or waits.
struct guest {
  guest(admission& to, io::asio::io_context& context, std::chrono::milliseconds at_most = 10s,
        std::atomic<bool>* wanted = nullptr)
      : wait{context, enter(to, context.get_executor(), at_most, wanted, result)} {}
  bool is_inside() { return wait.is_done() && result.what == outcome::entered; }

  entry result{};
  running<entry*> wait;
};

// A thread that runs one context until it goes.
class context_thread {
public:
  ~context_thread() {
    work_.reset();
    thread_.join();
  }
  io::asio::io_context context{1};

private:
  io::asio::executor_work_guard<io::executor> work_ = io::asio::make_work_guard(context);
  std::thread thread_{[this] { context.run(); }};
};

}  // namespace

TEST_CASE("places are given first come first served, and a lease gives its place back when it goes") {
  io::asio::io_context context{1};
  admission line{2, 10};
  std::deque<guest> guests;
  for (int i = 0; i < 6; ++i) guests.emplace_back(line, context);
  CHECK(guests[0].is_inside());
  CHECK(guests[1].is_inside());
  for (std::size_t i = 0; i + 2 < guests.size(); ++i) {
    CHECK_FALSE(guests[i + 2].is_inside());
    guests[i].result.place.release();
    CHECK(guests[i + 2].is_inside());
    if (i + 3 < guests.size()) CHECK_FALSE(guests[i + 3].is_inside());
  }
  // Releasing twice gives back once.
  guests[0].result.place.release();
  guest late{line, context};
  CHECK_FALSE(late.is_inside());
  guests.pop_back();
  CHECK(late.is_inside());
}

TEST_CASE("a lease that is moved still holds one place") {
  io::asio::io_context context{1};
  admission line{1, 10};
  guest first{line, context};
  REQUIRE(first.is_inside());
  auto moved = std::move(first.result.place);
  admission::lease other;
  other = std::move(moved);
  first.result.place.release();
  moved.release();
  guest second{line, context};
  CHECK_FALSE(second.is_inside());
  other.release();
  CHECK(second.is_inside());
}

TEST_CASE("a full queue is said at once and room in it is used again") {
  io::asio::io_context context{1};
  admission line{1, 2};
  guest inside{line, context}, first{line, context}, second{line, context}, third{line, context};
  CHECK_FALSE(first.wait.is_done());
  CHECK_FALSE(second.wait.is_done());
  REQUIRE(third.wait.is_done());
  CHECK(third.result.what == outcome::queue_full);
  CHECK_FALSE(third.result.place);
  inside.result.place.release();
  CHECK(first.is_inside());
  guest fourth{line, context};
  CHECK_FALSE(fourth.wait.is_done());
  first.result.place.release();
  CHECK(second.is_inside());
  second.result.place.release();
  CHECK(fourth.is_inside());
}

TEST_CASE("one that waits too long is told so and leaves the line in order for the others") {
  io::asio::io_context context{1};
  admission line{1, 10};
  guest inside{line, context}, first{line, context}, hasty{line, context, 5ms}, last{line, context};
  CHECK(hasty.wait.get()->what == outcome::timed_out);
  CHECK_FALSE(hasty.result.place);
  inside.result.place.release();
  CHECK(first.is_inside());
  first.result.place.release();
  CHECK(last.is_inside());
}

TEST_CASE("one that is not wanted any more gives up, and its turn goes to the next") {
  io::asio::io_context context{1};
  admission line{1, 10};
  std::atomic<bool> wanted{true};
  guest inside{line, context}, gone{line, context, 10s, &wanted}, next{line, context};
  SECTION("seen when its turn comes") {
    wanted = false;
    inside.result.place.release();
  }
  SECTION("seen while it waits, within about a second") {
    wanted = false;
    CHECK(gone.wait.get()->what == outcome::given_up);
    inside.result.place.release();
  }
  CHECK(gone.wait.get()->what == outcome::given_up);
  CHECK_FALSE(gone.result.place);
  CHECK(next.wait.get()->what == outcome::entered);
}

TEST_CASE("no places means no limit") {
  io::asio::io_context context{1};
  admission line{0, 0};
  std::deque<guest> guests;
  for (int i = 0; i < 100; ++i) {
    guests.emplace_back(line, context);
    CHECK(guests.back().is_inside());
    CHECK_FALSE(guests.back().result.place);
  }
}

namespace {

struct arrival_order {
  std::mutex mutex;
  std::vector<int> numbers;
};

io::awaitable<> enter_and_leave(admission& line, io::executor on, int number, arrival_order& order) {
  admission::lease place;
  co_await line.enter(on, 10s, always, nullptr, place);
  const std::lock_guard lock{order.mutex};
  order.numbers.push_back(number);
}

}  // namespace

TEST_CASE("the line is one for two threads: first come first served across them") {
  io::asio::io_context own{1};
  admission line{1, 1000};
  arrival_order order;
  constexpr int many = 200;
  {
    std::array<context_thread, 2> threads;
    guest inside{line, own};
    REQUIRE(inside.is_inside());
    for (int i = 0; i < many; ++i) {
      auto& context = threads[static_cast<std::size_t>(i % 3 == 0)].context;
      auto visit = enter_and_leave(line, context.get_executor(), i, order);
      io::asio::co_spawn(context, std::move(visit), io::asio::detached);
      // In line before the next one comes: the thread has run what came before this.
      std::promise<void> passed;
      io::asio::post(context, [&passed] { passed.set_value(); });
      passed.get_future().wait();
    }
    inside.result.place.release();
  }
  std::vector<int> expected(many);
  for (int i = 0; i < many; ++i) expected[static_cast<std::size_t>(i)] = i;
  CHECK(order.numbers == expected);
}

namespace {

struct stress {
  static constexpr unsigned places = 3;
  admission line{places, 40};
  std::atomic<int> inside{0}, most_inside{0};
  std::array<std::atomic<int>, 4> outcomes{};
  std::atomic<bool> lost_lease{false};
};

// One in sixteen has left when it is asked for.
bool coin(void* seed) {
  auto& state = *static_cast<unsigned*>(seed);
  state = state * 1103515245u + 12345u;
  return state >> 28 != 0;
}

// Time-outs of about the time a place takes to come: so grants and time-outs meet.
io::awaitable<> restless(stress& all, io::executor on, unsigned seed, int rounds) {
  std::minstd_rand random{seed + 1};
  io::timer timer{on};
  unsigned state = seed;
  for (int i = 0; i < rounds; ++i) {
    const std::chrono::milliseconds patience{random() % 3};
    admission::lease place;
    const auto what = co_await all.line.enter(on, patience, coin, &state, place);
    ++all.outcomes[static_cast<std::size_t>(what)];
    if (bool(place) != (what == outcome::entered)) all.lost_lease = true;
    if (what == outcome::entered) {
      const int now = ++all.inside;
      int most = all.most_inside;
      while (now > most && !all.most_inside.compare_exchange_weak(most, now)) continue;
    }
    timer.expires_after(std::chrono::microseconds{random() % 700});
    co_await timer.async_wait(io::token);
    if (what == outcome::entered) --all.inside;
  }
}

}  // namespace

TEST_CASE("thousands of grants that race time-outs on two threads lose no place and give none twice") {
  stress all;
  constexpr int guests = 60, rounds = 150;
  {
    std::array<context_thread, 2> threads;
    for (unsigned i = 0; i < guests; ++i) {
      auto& context = threads[i % 2].context;
      io::asio::co_spawn(context, restless(all, context.get_executor(), i, rounds), io::asio::detached);
    }
  }
  CHECK(all.inside == 0);
  CHECK(all.most_inside == int{stress::places});
  CHECK_FALSE(all.lost_lease);
  CHECK(all.outcomes[0] + all.outcomes[1] + all.outcomes[2] + all.outcomes[3] == guests * rounds);
  CHECK(all.outcomes[static_cast<std::size_t>(outcome::entered)] > 0);
  CHECK(all.outcomes[static_cast<std::size_t>(outcome::timed_out)] > 0);
  // All places are free again.
  io::asio::io_context context{1};
  std::deque<guest> after;
  for (unsigned i = 0; i < stress::places; ++i) CHECK(after.emplace_back(all.line, context).is_inside());
  guest one_more{all.line, context};
  CHECK_FALSE(one_more.is_inside());
  after.clear();
  CHECK(one_more.is_inside());
}
