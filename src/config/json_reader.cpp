// Boost's parser feeds a builder; the builder keeps the tree, and what was expected where the parser stopped.
// The only file that sees Boost.JSON, all of it: it is linked without what is not used.
#include "config/json_reader.hpp"

#include "base/text.hpp"
#include "config/json_cursor.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace httpd::config {
namespace {

using boost::system::error_code;
using piece = boost::json::string_view;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view duplicate =
    "Duplicate object member.  All JSON object members must have unique names.";
constexpr std::string_view too_large = "The number is too large.  It must fit a 64-bit integer or a double.";
constexpr std::string_view wrong_number = "This is no number.  A fraction or an exponent must have digits.";
constexpr std::string_view value_expected =
    "A value is expected here: null, true, false, a number, a string in double quotes, an array or an object.";
constexpr std::string_view name_expected = "The name of a member in double quotes is expected here.";

// What Boost.JSON calls a handler.
class tree_builder {
public:
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);

  // `text` has no comments and outlives this.
  tree_builder(std::string_view text, std::size_t begin) : text_{text}, cursor_{text, begin} {}

  json_value take() noexcept { return std::move(root_); }
  // Why the parser stopped. Where is not asked: its versions differ in that. The caller adds the place.
  json_error explain(error_code why);

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return open(json_value::kind::object); }
  bool on_object_end(std::size_t, error_code&) { return close(); }
  bool on_array_begin(error_code&) { return open(json_value::kind::array); }
  bool on_array_end(std::size_t, error_code&) { return close(); }
  bool on_key_part(piece part, std::size_t, error_code&) { return keep(part); }
  bool on_key(piece last, std::size_t, error_code& error);
  bool on_string_part(piece part, std::size_t, error_code&) { return keep(part); }
  bool on_string(piece last, std::size_t, error_code&);
  bool on_number_part(piece part, error_code&) { return keep(part); }
  bool on_int64(std::int64_t number, piece last, error_code& error) {
    return add_number(static_cast<double>(number), last, error);
  }
  bool on_uint64(std::uint64_t number, piece last, error_code& error) {
    return add_number(static_cast<double>(number), last, error);
  }
  bool on_double(double number, piece last, error_code& error) { return add_number(number, last, error); }
  bool on_bool(bool value, error_code&);
  bool on_null(error_code&);
  bool on_comment_part(piece, error_code&) { return true; }  // none come
  bool on_comment(piece, error_code&) { return true; }

private:
  struct level {
    json_value* value;            // stays where it is while it is open
    std::set<std::string> names;  // of an object
  };

  json_value& add(json_value::kind what);
  bool open(json_value::kind what);
  bool close();
  bool keep(piece part);
  bool add_number(double number, piece last, error_code& error);
  bool refuse(std::size_t offset, std::string_view detail, error_code& error);
  bool in_object() const { return open_.back().value->what == json_value::kind::object; }
  char after_value() const { return open_.empty() ? '\0' : ','; }
  std::string_view expected() const;

  std::string_view text_;
  json_cursor cursor_;
  char separator_ = '\0';  // what may stand before the next token
  json_value root_;
  bool complete_ = false;
  std::vector<level> open_;
  std::string parts_;  // of the string or number that comes in pieces
  std::optional<json_error> refusal_;
};

json_value& tree_builder::add(json_value::kind what) {
  const auto offset = cursor_.next(separator_);
  json_value* made = &root_;
  if (!open_.empty()) {
    json_value& parent = *open_.back().value;
    made = in_object() ? &parent.members.back().value : &parent.elements.emplace_back();
  }
  made->what = what;
  made->offset = offset;
  complete_ = open_.empty();
  separator_ = after_value();
  return *made;
}

bool tree_builder::open(json_value::kind what) {
  open_.push_back({&add(what), {}});
  cursor_.skip(1);
  separator_ = '\0';
  complete_ = false;
  return true;
}

bool tree_builder::close() {
  cursor_.next('\0');
  cursor_.skip(1);
  open_.pop_back();
  complete_ = open_.empty();
  separator_ = after_value();
  return true;
}

bool tree_builder::keep(piece part) {
  parts_.append(part.data(), part.size());
  return true;
}

bool tree_builder::refuse(std::size_t offset, std::string_view detail, error_code& error) {
  refusal_ = json_error{std::string{detail}, offset, {}};
  error = make_error_code(boost::system::errc::invalid_argument);
  return false;
}

bool tree_builder::on_key(piece last, std::size_t, error_code& error) {
  keep(last);
  auto& object = open_.back();
  const auto offset = cursor_.next(separator_);
  if (!object.names.insert(parts_).second) return refuse(offset, duplicate, error);
  object.value->members.push_back({std::exchange(parts_, {}), offset, {}});
  cursor_.skip_string();
  separator_ = ':';
  return true;
}

bool tree_builder::on_string(piece last, std::size_t, error_code&) {
  keep(last);
  add(json_value::kind::string).text = std::exchange(parts_, {});
  cursor_.skip_string();
  return true;
}

bool tree_builder::on_bool(bool value, error_code&) {
  add(json_value::kind::boolean).boolean = value;
  cursor_.skip(value ? 4 : 5);
  return true;
}

bool tree_builder::on_null(error_code&) {
  add(json_value::kind::null);
  cursor_.skip(4);
  return true;
}

bool tree_builder::add_number(double number, piece last, error_code& error) {
  keep(last);
  auto written = std::exchange(parts_, {});
  json_value& made = add(json_value::kind::integer);
  cursor_.skip(written.size());
  if (written.find_first_of(".eE") == written.npos) {
    const auto end = written.data() + written.size();
    const auto [stop, fault] = std::from_chars(written.data(), end, made.integer);
    return (fault == std::errc{} && stop == end) || refuse(made.offset, too_large, error);
  }
  if (!std::isfinite(number)) return refuse(made.offset, too_large, error);
  made.what = json_value::kind::fraction;
  made.fraction = number;
  made.text = std::move(written);
  return true;
}

std::string_view tree_builder::expected() const {
  const bool separated = cursor_.passed_separator();
  if (complete_) return "Unexpected characters after the end of the JSON value.";
  if (separator_ == ':' && !separated) return "A colon is expected here, after the name of a member.";
  if (separator_ == ',' && !separated)
    return in_object() ? "A comma or a closing brace is expected here, after a member of an object."
                       : "A comma or a closing bracket is expected here, after an element of an array.";
  if (separator_ != ':' && !open_.empty() && in_object())
    return name_expected;
  return value_expected;
}

json_error tree_builder::explain(error_code why) {
  if (refusal_) return *refusal_;
  const auto start = cursor_.next(separator_);  // of the first that is not understood
  const auto rest = text_.substr(start);
  const auto sentence = expected();
  const auto error = [start](std::string_view detail) { return json_error{std::string{detail}, start, {}}; };
  if (why == boost::json::error::too_deep)
    return error(concat("More than ", max_json_depth, " arrays and objects in one another."));
  if (rest.empty()) return error(concat("Unexpected end of the JSON text.  ", sentence));
  if (rest.starts_with("/*")) return error("The comment that begins here has no end.");
  if (rest.front() == '/') return error("A comment begins with // or /*.");
  if (sentence == value_expected || sentence == name_expected) {
    if (why == boost::json::error::exponent_overflow) return error(too_large);
    if (rest.front() == '"') {
      const auto fault = explain_string(text_, start);
      return {std::string{fault.detail}, fault.offset, {}};
    }
  }
  const bool number = sentence == value_expected && (rest.front() == '-' || is_digit(rest.front()));
  return error(number ? wrong_number : sentence);
}

}  // namespace

json_place place_of(std::string_view text, std::size_t offset) noexcept {
  auto before = text.substr(0, offset);
  if (before.starts_with(byte_order_mark)) before.remove_prefix(byte_order_mark.size());
  json_place place;
  for (const char c : before) {
    if (c == '\n') place = {place.line + 1, 1};
    else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++place.column;  // not one that goes on
  }
  return place;
}

boost::system::result<json_value, json_error> read_json(std::string_view text) {
  const auto plain = without_comments(text);
  const auto begin = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  const auto size = text.size() - begin;
  boost::json::parse_options options;
  options.max_depth = max_json_depth;
  boost::json::basic_parser<tree_builder> parser{options, plain, begin};
  error_code why;
  const auto read = parser.write_some(false, plain.data() + begin, size, why);
  if (!why && read == size) return parser.handler().take();
  auto error = parser.handler().explain(why);
  error.place = place_of(text, error.offset);
  return error;
}

}  // namespace httpd::config
