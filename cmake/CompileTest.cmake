# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DCOMPILER=c++ -DFLAGS=file -DPROJECT=folder -DSOURCE=file.cpp [-DEXPECT=regex] [-DHEADER=header]
#       [-DPRECOMPILE=TRUE] -P CompileTest.cmake
# One compile test: see kokkoscontract_add_compile_test.

# Lines `include <folder>`, `define <macro>`, `option <flag>`; headers outside the project are system headers.
set(flags -std=c++20)
file(STRINGS "${FLAGS}" lines)
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^(include|define|option) (SHELL:)?(.+)")
    continue()
  endif()
  set(kind "${CMAKE_MATCH_1}")
  set(value "${CMAKE_MATCH_3}")
  string(FIND "${value}/" "${PROJECT}/" position)
  if(kind STREQUAL "define")
    list(APPEND flags "-D${value}")
  elseif(kind STREQUAL "option")
    separate_arguments(option UNIX_COMMAND "${value}")
    list(APPEND flags ${option})
  elseif(position EQUAL 0)
    list(APPEND flags "-I${value}")
  elseif(NOT value STREQUAL "/usr/include")
    list(APPEND flags -isystem "${value}")
  endif()
endforeach()

if(PRECOMPILE)
  set(what -x c++-header -o "${SOURCE}.gch")
elseif(HEADER)
  set(what -fsyntax-only -include "${HEADER}")
else()
  set(what -fsyntax-only)
endif()

execute_process(
  COMMAND "${COMPILER}" ${flags} ${what} "${SOURCE}"
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)

if("${EXPECT}" STREQUAL "")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "does not compile: ${SOURCE}\n${output}")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "compiles, but should not: ${SOURCE}")
elseif(NOT "${output}" MATCHES "${EXPECT}")
  message(FATAL_ERROR "does not compile, but for another reason than /${EXPECT}/: ${SOURCE}\n${output}")
endif()
