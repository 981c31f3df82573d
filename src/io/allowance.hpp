// Something of which all threads together may take so much. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace httpd::io {

class allowance {
public:
  explicit allowance(std::uint64_t amount) noexcept : left_{amount} {}
  allowance(const allowance&) = delete;
  allowance& operator=(const allowance&) = delete;

  // False, and nothing taken, when less is left.
  [[nodiscard]] bool take(std::uint64_t amount) noexcept {
    auto left = left_.load(std::memory_order_relaxed);
    while (left >= amount)
      if (left_.compare_exchange_weak(left, left - amount, std::memory_order_relaxed)) return true;
    return false;
  }
  void give(std::uint64_t amount) noexcept { left_.fetch_add(amount, std::memory_order_relaxed); }
  std::uint64_t left() const noexcept { return left_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> left_;
};

}  // namespace httpd::io
