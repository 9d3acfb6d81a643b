# Turns tables and networks into C, so that the command carries them: every file of INPUTS (a list, separated by "|")
# becomes an entry of example_table in OUTPUT, under its name without the extension.
#
#   cmake -DINPUTS=a.csv|b.csv -DOUTPUT=examples_data.c -P embed.cmake
string(REPLACE "|" ";" inputs "${INPUTS}")
set(arrays "")
set(entries "")
set(number 0)
foreach(input IN LISTS inputs)
  get_filename_component(name "${input}" NAME_WE)
  get_filename_component(file "${input}" NAME)
  file(READ "${input}" digits HEX)
  # Sixteen bytes a line.
  string(REGEX REPLACE "(................................)" "\\1\n" digits "${digits}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," digits "${digits}")
  string(APPEND arrays "static const unsigned char bytes_${number}[] = {\n${digits}};\n")
  string(APPEND entries "    {\"${name}\", \"${file}\", bytes_${number}, sizeof bytes_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "/* SPDX-License-Identifier: MIT */
/* Made by cmake/embed.cmake of the files in examples/. */
#include \"source/examples.h\"

${arrays}
const example example_table[] = {
${entries}    {0, 0, 0, 0}};
")
