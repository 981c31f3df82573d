// PCRE2: compiling, and searching within limits.
#include "config/regex.hpp"

#include "base/text.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace httpd::config {
namespace {

// PCRE2's limit of steps holds for each place where a match could begin, and there are as many of those as
// bytes. So a value is searched in stretches of such places, and what it took is looked at between them.
constexpr std::uint32_t most_steps = 100'000;  // a sane expression takes a few for each byte of the value
constexpr std::size_t stretch = 64;            // places
constexpr std::size_t slow_stretch = 16;       // the same without the JIT compiler
constexpr std::chrono::milliseconds most_time{30};  // of the processor; a sane search of 32 KiB takes a tenth
constexpr std::size_t most_jit_stack = 1u << 20;    // only what is used of it becomes memory
constexpr std::uint32_t most_heap_kib = 4096;       // the same of the interpreter

PCRE2_SPTR8 bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<PCRE2_SPTR8>(text.data() ? text.data() : "");
}

// What this thread has worked on one search. The processor's time, so that a busy machine gives up no sooner.
// That clock is dear: it is asked, and begins to count, only when the cheap one says that much time went by.
class work_limit {
public:
  bool is_used_up() noexcept {
    const auto now = clock::now();
    if (!begin_) begin_ = now;
    if (now - *begin_ < most_time) return false;
    const auto worked = processor_time();
    if (!worked_before_) worked_before_ = worked;
    return worked - *worked_before_ >= most_time;
  }

private:
  using clock = std::chrono::steady_clock;

  static std::chrono::nanoseconds processor_time() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
  }

  std::optional<clock::time_point> begin_;
  std::optional<std::chrono::nanoseconds> worked_before_;
};

// What a search needs and no two searches may share.
class workspace {
public:
  workspace() noexcept : context_{::pcre2_match_context_create_8(nullptr)},
                         data_{::pcre2_match_data_create_8(1, nullptr)},
                         stack_{::pcre2_jit_stack_create_8(32 * 1024, most_jit_stack, nullptr)} {
    if (!context_) return;
    ::pcre2_set_match_limit_8(context_, most_steps);
    ::pcre2_set_depth_limit_8(context_, most_steps);
    ::pcre2_set_heap_limit_8(context_, most_heap_kib);
    if (stack_) ::pcre2_jit_stack_assign_8(context_, nullptr, stack_);
  }
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;
  ~workspace() {
    ::pcre2_match_data_free_8(data_);
    ::pcre2_match_context_free_8(context_);
    ::pcre2_jit_stack_free_8(stack_);
  }

  // Of a match that begins in [first, last].
  int search(const pcre2_code_8* code, std::string_view value, std::size_t first, std::size_t last) noexcept {
    if (!context_ || !data_) return PCRE2_ERROR_NOMEMORY;  // without a context there are no limits
    ::pcre2_set_offset_limit_8(context_, last);
    return ::pcre2_match_8(code, bytes_of(value), value.size(), first, 0, data_, context_);
  }

private:
  pcre2_match_context_8* context_;
  pcre2_match_data_8* data_;
  pcre2_jit_stack_8* stack_;
};

// A byte of UTF-8 that begins no character.
bool is_continuation(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

template <class T>
T ask(const pcre2_code_8* code, std::uint32_t what) noexcept {
  T answer{};
  ::pcre2_pattern_info_8(code, what, &answer);
  return answer;
}

std::string describe(int code, std::size_t offset, std::size_t length) {
  PCRE2_UCHAR8 message[256];
  ::pcre2_get_error_message_8(code, message, sizeof message);
  auto text = concat("Invalid regular expression: ", reinterpret_cast<const char*>(message));
  if (offset < length) append(text, " at offset ", offset);
  return text;
}

}  // namespace

std::optional<regex> regex::compile(std::string_view expression, bool ignore_case, std::string& error) {
  int code = 0;
  PCRE2_SIZE offset = 0;
  const std::uint32_t options = PCRE2_USE_OFFSET_LIMIT | (ignore_case ? PCRE2_CASELESS : 0u);
  auto* made = ::pcre2_compile_8(bytes_of(expression), expression.size(), options, &code, &offset, nullptr);
  if (!made) {
    error = describe(code, offset, expression.size());
    return std::nullopt;
  }
  regex result{std::shared_ptr<pcre2_code_8>{made, ::pcre2_code_free_8}};
  // Fails where memory may not be made executable; then the interpreter does the work.
  ::pcre2_jit_compile_8(made, PCRE2_JIT_COMPLETE);
  const bool compiled = ask<std::size_t>(made, PCRE2_INFO_JITSIZE) != 0;
  const auto in_force = ask<std::uint32_t>(made, PCRE2_INFO_ALLOPTIONS);
  const bool anchored = (in_force & PCRE2_ANCHORED) != 0;
  result.utf_ = (in_force & PCRE2_UTF) != 0;
  result.stretch_ = anchored ? std::string_view::npos : compiled ? stretch : slow_stretch;
  return result;
}

verdict regex::search(std::string_view value) const noexcept {
  static thread_local workspace own;
  work_limit limit;
  for (std::size_t first = 0;;) {
    const auto last = value.size() - first > stretch_ ? first + stretch_ - 1 : value.size();
    const int found = own.search(code_.get(), value, first, last);
    if (found >= 0) return verdict::yes;
    if (found != PCRE2_ERROR_NOMATCH) return verdict::undecided;
    if (last == value.size()) return verdict::no;
    if (limit.is_used_up()) return verdict::undecided;
    first = last + 1;
    while (utf_ && first < value.size() && is_continuation(value[first])) ++first;
  }
}

}  // namespace httpd::config
