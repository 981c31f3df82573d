// Who the client is behind trusted proxies: from the right, as far as the trust goes.
#include "http/forwarded.hpp"

#include "base/text.hpp"
#include "http/request_head.hpp"

#include <algorithm>

namespace httpd::http {
namespace {

// The elements of every field of one name, last first.
class reversed_list {
public:
  reversed_list(const request_head& head, std::string_view name) noexcept
      : fields_{head.fields}, name_{name}, left_{head.fields.size()} {}

  // False when there are no more. Empty elements are elements.
  bool next(std::string_view& element) noexcept {
    if (!in_field_ && !enter_field()) return false;
    const std::size_t comma = value_.rfind(',');
    in_field_ = comma != value_.npos;
    element = trim(in_field_ ? value_.substr(comma + 1) : value_);
    if (in_field_) value_ = value_.substr(0, comma);
    return true;
  }

private:
  bool enter_field() noexcept {
    while (left_ > 0) {
      const field& f = fields_[--left_];
      if (!iequals(f.name, name_)) continue;
      value_ = f.value;
      in_field_ = true;
      return true;
    }
    return false;
  }

  std::span<const field> fields_;
  std::string_view name_;
  std::size_t left_;  // fields not yet looked at
  std::string_view value_;
  bool in_field_ = false;
};

bool is_port(std::string_view text) noexcept { return parse_u64(text).value_or(65536) <= 65535; }

// ADDRESS, IPv4:PORT or [IPv6]:PORT.
std::optional<ip_address> read_node(std::string_view text) noexcept {
  if (const auto plain = ip_address::parse(text)) return plain;
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || !is_port(text.substr(colon + 1))) return std::nullopt;
  const std::string_view address = text.substr(0, colon);
  const bool unbracketed_v6 = address.find(':') != address.npos && address.front() != '[';
  return unbracketed_v6 ? std::nullopt : ip_address::parse(address);
}

std::optional<ip_address> find_client(const request_head& head, std::span<const address_block> trusted) {
  std::optional<ip_address> client;
  reversed_list nodes{head, "x-forwarded-for"};
  for (std::string_view text; nodes.next(text);) {
    const auto node = read_node(text);
    if (!node) break;
    client = node;
    if (!is_trusted(node, trusted)) break;
  }
  return client;
}

}  // namespace

bool is_trusted(const std::optional<ip_address>& address, std::span<const address_block> trusted) noexcept {
  return std::any_of(trusted.begin(), trusted.end(), [&address](const address_block& block) {
    return address ? block.contains(*address) : block.is_unix();
  });
}

forwarded read_forwarded(const request_head& head, std::span<const address_block> trusted) {
  forwarded result;
  result.client = find_client(head, trusted);
  std::string_view last;
  if (reversed_list{head, "x-forwarded-proto"}.next(last)) {
    if (iequals(last, "https")) result.https = true;
    else if (iequals(last, "http")) result.https = false;
  }
  if (reversed_list{head, "x-forwarded-host"}.next(last) && is_valid_host(last)) result.host = last;
  return result;
}

}  // namespace httpd::http
