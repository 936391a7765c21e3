# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -P Test_Numbers.cmake
# The files below decide how products run. What they decide by, and was found by measurement, stands in machine/Tuned.hpp
# with its device, date and command. So they have no number but 0, 1 and 2, and names for the others.

cmake_minimum_required(VERSION 3.22)

set(files
    large/LargeContract.hpp
    large/LargeCopies.hpp
    nest/Offsets.hpp
    product/Algorithm.hpp
    product/Choose.hpp
    product/Plan.hpp)

# The numbers above 2, and fractions, in C++ text: neither in its comments nor in its strings.
function(find_numbers result text)
  string(REGEX REPLACE "[][;]" " " text "${text}") # which mean something in a list
  string(REGEX REPLACE "//[^\n]*|\"[^\"\n]*\"" " " text "${text}")
  string(REGEX MATCHALL "[A-Za-z0-9_.]+" words "${text}")
  list(FILTER words INCLUDE REGEX "^[.]?[0-9]")
  list(FILTER words EXCLUDE REGEX "^[012]$")
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

# The test itself: it sees numbers, and only those that count.
find_numbers(found "const int n = 4 * of_8(x);// 5 words\nf(\"6\", 1, T1(2), .5);\nif (a > 1.5) b[31] = {c2, 1 << 30};\n")
if(NOT found STREQUAL "4;.5;1.5;31;30")
  message(FATAL_ERROR "numbers that are found: ${found}")
endif()

foreach(file IN LISTS files)
  file(READ "${CMAKE_CURRENT_LIST_DIR}/../src/KokkosContract/${file}" text)
  find_numbers(found "${text}")
  if(found)
    message(SEND_ERROR "${file} has the numbers ${found}, which machine/Tuned.hpp should have with a name")
  endif()
endforeach()
