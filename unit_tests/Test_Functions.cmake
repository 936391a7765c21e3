# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -P Test_Functions.cmake
# No function of the headers has more than 60 lines, from the line of its opening brace to that of its closing brace. The
# same holds for lambdas. So each function has one job, and a name for it.

cmake_minimum_required(VERSION 3.22)

set(most_lines 60)

# The functions in C++ text with more lines than this: a list of "line of the opening brace: lines". The text is formatted:
# a closing brace has the indentation of the line that the declaration begins with.
function(find_long_functions result text most)
  string(REGEX REPLACE "[][;]" " " text "${text}") # which mean something in a list
  string(REGEX REPLACE "//[^\n]*|\"[^\"\n]*\"|'.'" "" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(found "")
  set(depth 0)
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    string(REGEX MATCHALL "[{}]" braces "${line}")
    foreach(brace IN LISTS braces)
      if(brace STREQUAL "{")
        math(EXPR depth "${depth} + 1")
        set(begin_${depth} ${number})
        continue()
      endif()
      set(begin ${begin_${depth}})
      math(EXPR depth "${depth} - 1")
      math(EXPR count "${number} - ${begin} + 1")
      if(count GREATER most)
        string(REGEX REPLACE "[^ ].*" "" indentation "${line}")
        set(at ${begin})
        set(head "")
        while(at GREATER 0 AND NOT head MATCHES "^${indentation}[^ ]")
          math(EXPR at "${at} - 1")
          list(GET lines ${at} head)
        endwhile()
        # Types, namespaces and concepts are no functions.
        if(NOT head MATCHES "^ *(inline )?(namespace|class|struct|union|enum|concept) ")
          list(APPEND found "${begin}: ${count}")
        endif()
      endif()
    endforeach()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# The test itself: it sees functions and lambdas, and nothing else.
set(text "namespace a {
template <class T,
          class U>
struct S : T {
  // {{{
  template <class V>
  void f(V x,
         V y) const {
    if (x == '{') {
      g(\"}\");
    }
  }
  void short_one() {
    g();
  }
  static void h() {
    each([&]() {
      g();
      g();
      g();
    });
  }
};
}
")
find_long_functions(found "${text}" 4)
if(NOT found STREQUAL "8: 5;17: 5;16: 7")
  message(FATAL_ERROR "functions that are found: ${found}")
endif()

set(root "${CMAKE_CURRENT_LIST_DIR}/..")
file(GLOB_RECURSE sources RELATIVE "${root}" "${root}/include/*.hpp" "${root}/src/*.hpp")
if(NOT sources)
  message(FATAL_ERROR "there are no headers in ${root}")
endif()
foreach(source IN LISTS sources)
  file(READ "${root}/${source}" text)
  find_long_functions(found "${text}" ${most_lines})
  foreach(function IN LISTS found)
    message(SEND_ERROR "${source}:${function} lines in a function, and not at most ${most_lines}")
  endforeach()
endforeach()
