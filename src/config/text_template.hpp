// Texts with variables: "pass", "share", "rewrite", "location", response headers, the access log, "if".
// Parsed once, then const and shared by every thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace httpd::config {

// Unit's, then ours. Those that end in "_" have a name: $arg_q is (arg, "q").
enum class variable {
  method, request_line, request_uri, uri, host, remote_addr, time_local, request_time, request_id, status,
  body_bytes_sent,
  request_time_queue,           // ours: seconds waited for a PHP worker, "0.001"; no value when no script ran
  request_time_php_first_byte,  // ours: seconds from there to PHP's first byte; no value when there was none
  arg,              // right-most occurrence of NAME, decoded
  cookie,           // first occurrence
  header,           // NAME is lower-case with "-" for "_": compare with iequals()
  response_header,  // the same
};

// "method", "arg_"
std::string_view name_of(variable) noexcept;

// Where values come from; the one thing a user of templates writes.
class variable_source {
public:
  // Appends the value of a variable as it is, nothing escaped. False: it has no value (in a log not the same
  // as an empty one), nothing was appended. `name` is "" for a variable without one.
  virtual bool append(variable, std::string_view name, std::string& out) const = 0;

protected:
  ~variable_source() = default;
};

enum class rendering {
  plain,  // no value = ""
  log,    // a line of the access log: values escaped by append_escaped(), no value = "-"
  json,   // the inside of a JSON string: everything by append_json(), no value = "-"
};

class text_template {
public:
  // `key` is the member the text is the value of. nullopt: `error` is
  //   Unknown variable "NAME" in the "KEY" value.
  //   Invalid variable at position N in the "KEY" value.             N = offset of its "$"
  //   The "KEY" value is a JavaScript template ...                   it begins with a backtick
  // A name ends where no letter or "_" follows, so that "$arg_a1" is "${arg_a}1", as in Unit.
  static std::optional<text_template> parse(std::string_view text, std::string_view key, std::string& error);
  // A constant, whatever it contains.
  static text_template constant(std::string_view text);

  bool is_constant() const noexcept { return parts_.empty(); }
  // When is_constant(): the whole text ("$dollar" resolved).
  std::string_view constant_text() const noexcept { return tail_; }
  // Whether a value of this variable could be asked for.
  bool uses(variable) const noexcept;

  // Appends.
  void render(const variable_source&, std::string& out, rendering = rendering::plain) const;

private:
  struct part {
    std::string before;  // constant text in front of it
    variable what;
    std::string name;
  };
  std::vector<part> parts_;
  std::string tail_;
};

// "if" of a match and of the access log: false when the text renders to "", "0", "false", "null" or
// "undefined"; a leading "!" negates that.
class condition {
public:
  static std::optional<condition> parse(std::string_view text, std::string_view key, std::string& error);
  bool holds(const variable_source&) const;

private:
  bool negated_ = false;
  text_template text_;
};

}  // namespace httpd::config
