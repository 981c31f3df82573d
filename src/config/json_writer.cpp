// One walk over the tree for all forms.
#include "config/json_writer.hpp"

#include "base/text.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace httpd::config {
namespace {

struct layout {
  std::string_view line_end, indent, colon;
  bool spaced = false;  // an empty line after a member that has something in it
};

constexpr layout layout_of(json_form form) noexcept {
  switch (form) {
    case json_form::pretty: return {"\n", "  ", ": "};
    case json_form::unit: return {"\r\n", "\t", ": ", true};
    case json_form::compact: break;
  }
  return {"", "", ":"};
}

class writer {
public:
  explicit writer(json_form form) : layout_{layout_of(form)} {}

  std::string write(const json_value& tree) {
    add(tree);
    append_line_end();
    return std::move(out_);
  }

private:
  void append_line_end() { out_.append(layout_.line_end); }
  void begin_line() {
    append_line_end();
    for (std::size_t i = 0; i < depth_; ++i) out_.append(layout_.indent);
  }
  void add_string(std::string_view text) {
    out_.push_back('"');
    append_json(out_, text);
    out_.push_back('"');
  }
  void add(const json_value& value);
  void add_elements(const json_value& array);
  void add_members(const json_value& object);

  layout layout_;
  std::size_t depth_ = 0;
  std::string out_;
};

bool has_parts(const json_value& value) noexcept { return !value.elements.empty() || !value.members.empty(); }

void writer::add(const json_value& value) {
  switch (value.what) {
    case json_value::kind::null: out_ += "null"; return;
    case json_value::kind::boolean: out_ += value.boolean ? "true" : "false"; return;
    case json_value::kind::integer: append(out_, value.integer); return;
    case json_value::kind::fraction: out_ += value.text; return;
    case json_value::kind::string: add_string(value.text); return;
    case json_value::kind::array: add_elements(value); return;
    case json_value::kind::object: add_members(value); return;
  }
}

void writer::add_elements(const json_value& array) {
  out_.push_back('[');
  ++depth_;
  for (const auto& element : array.elements) {
    if (&element != &array.elements.front()) out_.push_back(',');
    begin_line();
    add(element);
  }
  --depth_;
  if (has_parts(array)) begin_line();
  out_.push_back(']');
}

void writer::add_members(const json_value& object) {
  out_.push_back('{');
  ++depth_;
  const json_member* before = nullptr;
  for (const auto& member : object.members) {
    if (before) out_.push_back(',');
    if (before && layout_.spaced && has_parts(before->value)) append_line_end();
    begin_line();
    add_string(member.name);
    out_.append(layout_.colon);
    add(member.value);
    before = &member;
  }
  --depth_;
  if (has_parts(object)) begin_line();
  out_.push_back('}');
}

}  // namespace

std::string write_json(const json_value& tree, json_form form) { return writer{form}.write(tree); }

// FNV-1a with 64 bits, and the size beside it: who may change the configuration gains nothing by a collision.
std::string entity_tag(const json_value& tree) {
  const auto text = write_json(tree, json_form::compact);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string tag = "\"";
  for (int shift = 60; shift >= 0; shift -= 4) tag.push_back(digits[hash >> shift & 15]);
  append(tag, '-', text.size(), '"');
  return tag;
}

}  // namespace httpd::config
