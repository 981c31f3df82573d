// What a session must have left behind: a log that nobody can forge, and answers that can be read in one way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace httpd::fuzz {

struct logged {
  std::string method;  // of a request that was refused: the first of several words of its line
  unsigned status = 0;
};

// Ends the program when a line is no line of that format.
std::vector<logged> check_log(std::string_view text, bool json);

// `received` is one well-formed answer after the other, those of the log in its order. The last one alone may
// be cut, and nothing follows one that closes the connection.
void check_answers(std::string_view received, const std::vector<logged>& requests);

}  // namespace httpd::fuzz
