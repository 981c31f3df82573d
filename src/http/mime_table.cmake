# Makes the table of http/mime.cpp: cmake -DINPUT=/etc/mime.types -DOUTPUT=mime_table.inc -P mime_table.cmake
#
# Each line becomes "extension TAB type LF" in one string literal, sorted by extension. When several
# types claim an extension the first in the file wins, whatever the case (Debian lists the registered
# ones before x- types). Names that the last dot of a file name can never leave are left out.
cmake_minimum_required(VERSION 3.25)

file(STRINGS "${INPUT}" lines REGEX "^[A-Za-z0-9][A-Za-z0-9.+_-]*/[A-Za-z0-9.+_-]+[ \t]")
set(extensions "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "[ \t]*#.*" "" line "${line}")
  string(REGEX REPLACE "[ \t]+" ";" words "${line}")
  list(REMOVE_ITEM words "")
  list(POP_FRONT words type)
  if(type MATCHES "^text/")
    string(APPEND type "; charset=utf-8")
  endif()
  foreach(extension IN LISTS words)
    string(TOLOWER "${extension}" extension)
    if(extension MATCHES "^[a-z0-9+_-]+$" AND NOT DEFINED "type_of_${extension}")
      set("type_of_${extension}" "${type}")
      list(APPEND extensions "${extension}")
    endif()
  endforeach()
endforeach()
if(NOT DEFINED type_of_html)
  message(FATAL_ERROR "${INPUT}: not a mime.types file: it has no type for html")
endif()

list(SORT extensions COMPARE STRING)
set(table "// Made from ${INPUT} by mime_table.cmake.\n")
foreach(extension IN LISTS extensions)
  string(APPEND table "\"${extension}\\t${type_of_${extension}}\\n\"\n")
endforeach()
file(WRITE "${OUTPUT}" "${table}")
