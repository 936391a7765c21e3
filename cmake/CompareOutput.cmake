# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DPROGRAM=program -DPAGE=page.md -DNAME=name -P CompareOutput.cmake
# Runs the program, whose output must be what the page shows below the line <!-- output: name -->.
cmake_minimum_required(VERSION 3.22)
file(READ "${PAGE}" page)
if(NOT page MATCHES "<!-- output: ${NAME} -->\n```[a-z]*\n([^`]*)```")
  message(FATAL_ERROR "${PAGE} has no block below <!-- output: ${NAME} -->")
endif()
set(expected "${CMAKE_MATCH_1}")
execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} returned ${status}\n${output}")
elseif(NOT output STREQUAL expected)
  message(FATAL_ERROR "${PAGE} shows\n${expected}but ${PROGRAM} prints\n${output}")
endif()
