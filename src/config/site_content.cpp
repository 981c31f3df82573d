// "settings.http.static" and "settings.http.compression": what bodies are and how they are sent.
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "config/site_sections.hpp"
#include "config/site_values.hpp"

#include <algorithm>
#include <array>

namespace httpd::config {
namespace {

struct known_encoding {
  std::string_view name;
  compressor::encoding what;
  std::int64_t least_level, greatest_level;
};

// Levels of zlib, brotli and zstd (ZSTD_minCLevel()).
constexpr std::array<known_encoding, 4> encodings{{
    {"deflate", compressor::encoding::deflate, -1, 9},
    {"gzip", compressor::encoding::gzip, -1, 9},
    {"br", compressor::encoding::brotli, 0, 11},
    {"zstd", compressor::encoding::zstd, -131072, 22},
}};

bool read_encoding(site_reader& at, const json_value& value, compressor& out) {
  std::array<std::string_view, encodings.size()> names;
  std::ranges::transform(encodings, names.begin(), &known_encoding::name);
  const auto found = std::ranges::find(encodings, value.text, &known_encoding::name);
  if (found == encodings.end())
    return at.fail(concat('"', value.text, "\" is not a supported compressor."),
                   nearest_name(value.text, names));
  out.what = found->what;
  return true;
}

bool read_level(site_reader& at, const json_value& value, compressor& out) {
  const auto level = read_number(at, value, -most, most);
  if (level) out.level = static_cast<int>(*level);
  return level.has_value();
}

bool read_min_length(site_reader& at, const json_value& value, compressor& out) {
  const auto length = read_number(at, value, -1, INT64_MAX);
  if (length) out.min_length = static_cast<std::uint64_t>(std::max<std::int64_t>(*length, 0));  // -1: always
  return length.has_value();
}

constexpr key<compressor> compressor_keys[] = {
    {"encoding", a_string, read_encoding, true},
    {"level", an_integer, read_level},
    {"min_length", an_integer, read_min_length},
};

bool read_compressor(site_reader& at, const json_value& value, compressor& out) {
  if (!read_object(at, value, part{compressor_keys, out})) return false;
  const auto known = std::ranges::find(encodings, out.what, &known_encoding::what);
  if (!out.level || (*out.level >= known->least_level && *out.level <= known->greatest_level)) return true;
  return at.fail_at_member("level", concat("The \"level\" number of \"", known->name, "\" must be within ",
                                           known->least_level, " and ", known->greatest_level, "."));
}

bool read_compressors(site_reader& at, const json_value& value, compression_settings& out) {
  return read_one_or_many(at, value, [&](const json_value& one) {
    if (!is_one_of(one, an_object))
      return at.fail("The \"compressors\" array must contain only object values.");
    return read_compressor(at, one, out.compressors.emplace_back());
  });
}

constexpr key<compression_settings> compression_keys[] = {
    {"types", a_string | an_array, patterns<&compression_settings::types, pattern_kind::type>},
    {"compressors", an_object | an_array, read_compressors},
};

bool read_extension(site_reader& at, const json_value& value, std::string_view type, http_settings& out) {
  if (!is_one_of(value, a_string))
    return at.fail(concat("The \"", type, "\" MIME type array must contain only strings."));
  if (value.text.empty()) return at.fail(concat("An empty file extension for the \"", type, "\" MIME type."));
  const auto same = [&value](const auto& known) { return iequals(known.first, value.text); };
  if (const auto known = std::ranges::find_if(out.mime_types, same); known != out.mime_types.end())
    return at.fail(concat("The \"", value.text, "\" file extension has been declared for \"", known->second,
                          "\" and \"", type, "\" MIME types at the same time."));
  out.mime_types.emplace_back(value.text, type);
  return true;
}

bool read_mime_types(site_reader& at, const json_value& value, http_settings& out) {
  return read_each(at, value, [&](const json_member& member) {
    const auto& type = member.name;
    // It becomes a header field as it is.
    const auto bad = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (type.empty() || std::ranges::any_of(type, bad))
      return at.fail_at_name(
          concat("The \"", type, "\" MIME type must be a text without control characters."));
    if (!at.expect(member.value, a_string | an_array)) return false;
    return read_one_or_many(at, member.value,
                            [&](const json_value& one) { return read_extension(at, one, type, out); });
  });
}

constexpr key<http_settings> static_keys[] = {{"mime_types", an_object, read_mime_types}};

}  // namespace

bool read_static(site_reader& at, const json_value& value, http_settings& out) {
  return read_object(at, value, part{static_keys, out});
}

bool read_compression(site_reader& at, const json_value& value, http_settings& out) {
  return read_object(at, value, part{compression_keys, out.compression});
}

}  // namespace httpd::config
