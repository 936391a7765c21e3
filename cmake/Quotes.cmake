# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#     cmake -P cmake/Quotes.cmake            checks
#     cmake -DFIX=ON -P cmake/Quotes.cmake   puts right
#
# C++ in README.md, docs/*.md and the READMEs of examples is quoted from sources that are compiled: a block
#
#     <!-- quote: example/gemm.cpp gemm -->
#     ```cpp
#     ```
#
# holds what the source has between the lines `// [gemm]` and `// [/gemm]`, its indentation removed. A block of C++
# without such a line, and a link to a file that does not exist, are faults too. A block of another language
#
#     <!-- file: example/quick_start/CMakeLists.txt -->
#     ```cmake
#     ```
#
# holds the whole file, without the line of its licence.
cmake_minimum_required(VERSION 3.22)
get_filename_component(project "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
set(faults 0)

function(fault message)
  message(STATUS "${message}")
  math(EXPR count "${faults} + 1")
  set(faults ${count} PARENT_SCOPE)
endfunction()

# What `file` has between the markers of `name`, in `result`; NOTFOUND where they are missing.
function(read_quote file name result)
  set(${result} NOTFOUND PARENT_SCOPE)
  if(NOT EXISTS "${project}/${file}")
    return()
  endif()
  file(READ "${project}/${file}" text)
  string(FIND "${text}" "// [${name}]\n" begin)
  string(FIND "${text}" "// [/${name}]" end)
  if(begin LESS 0 OR end LESS begin)
    return()
  endif()
  string(LENGTH "// [${name}]" length)
  math(EXPR begin "${begin} + ${length}")
  math(EXPR length "${end} - ${begin}")
  string(SUBSTRING "${text}" ${begin} ${length} text)  # "\n    first line\n ... last line\n    "
  string(REGEX MATCH "^\n+( *)" indentation "${text}")
  set(indentation "${CMAKE_MATCH_1}")
  string(REGEX REPLACE "\n *$" "\n" text "${text}")
  string(REGEX REPLACE "\n${indentation}" "\n" text "${text}")
  string(SUBSTRING "${text}" 1 -1 text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(GLOB pages RELATIVE "${project}" "${project}/README.md" "${project}/docs/*.md" "${project}/docs/reference/*.md" "${project}/example/*/README.md" "${project}/CONTRIBUTING.md")
foreach(page IN LISTS pages)
  get_filename_component(folder "${project}/${page}" DIRECTORY)
  file(READ "${project}/${page}" rest)
  set(page_text "${rest}")
  set(result "")
  set(prose "")
  while(TRUE)
    string(FIND "${rest}" "```cpp\n" block)
    if(block LESS 0)
      string(APPEND result "${rest}")
      string(APPEND prose "${rest}")
      break()
    endif()
    math(EXPR block "${block} + 7")
    string(SUBSTRING "${rest}" 0 ${block} before)
    string(SUBSTRING "${rest}" ${block} -1 rest)
    string(FIND "${rest}" "```" end)
    string(SUBSTRING "${rest}" 0 ${end} quoted)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(SUBSTRING "${rest}" 0 3 fence)
    string(SUBSTRING "${rest}" 3 -1 rest)
    if(before MATCHES "<!-- quote: ([^ ]+) ([^ ]+) -->\n```cpp\n$")
      set(source "${CMAKE_MATCH_1}")
      set(name "${CMAKE_MATCH_2}")
      read_quote("${source}" "${name}" text)
      if(text STREQUAL "NOTFOUND")
        fault("${page}: ${source} has no lines between // [${name}] and // [/${name}]")
      elseif(NOT text STREQUAL quoted)
        if(FIX)
          set(quoted "${text}")
        else()
          fault("${page}: the block [${name}] is not what ${source} has")
        endif()
      endif()
    else()
      fault("${page}: a block of C++ without a line <!-- quote: FILE NAME --> before it")
    endif()
    string(APPEND result "${before}" "${quoted}" "${fence}")
    string(APPEND prose "${before}")
  endwhile()

  # Whole files.
  set(rest "${result}")
  set(result "")
  while(rest MATCHES "<!-- file: ([^ ]+) -->\n```[a-z]+\n")
    set(begin_line "${CMAKE_MATCH_0}")
    set(source "${CMAKE_MATCH_1}")
    string(FIND "${rest}" "${begin_line}" block)
    string(LENGTH "${begin_line}" length)
    math(EXPR block "${block} + ${length}")
    string(SUBSTRING "${rest}" 0 ${block} before)
    string(SUBSTRING "${rest}" ${block} -1 rest)
    string(FIND "${rest}" "```" end)
    string(SUBSTRING "${rest}" 0 ${end} quoted)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    if(NOT EXISTS "${project}/${source}")
      fault("${page}: ${source} does not exist")
    else()
      file(READ "${project}/${source}" text)
      string(REGEX REPLACE "^# SPDX[^\n]*\n" "" text "${text}")
      if(NOT text STREQUAL quoted)
        if(FIX)
          set(quoted "${text}")
        else()
          fault("${page}: the block of ${source} is not what the file has")
        endif()
      endif()
    endif()
    string(APPEND result "${before}" "${quoted}")
  endwhile()
  string(APPEND result "${rest}")

  if(FIX AND NOT result STREQUAL page_text)
    file(WRITE "${project}/${page}" "${result}")
    message(STATUS "${page}: updated")
  endif()

  string(REGEX MATCHALL "\\]\\([A-Za-z0-9_./-]+" links "${prose}")
  string(REPLACE "](" "" links "${links}")
  foreach(link IN LISTS links)
    if(NOT EXISTS "${folder}/${link}" AND NOT link MATCHES "^https?")
      fault("${page}: link to ${link}, which does not exist")
    endif()
  endforeach()
endforeach()

if(faults GREATER 0)
  message(FATAL_ERROR "${faults} faults; cmake -DFIX=ON -P cmake/Quotes.cmake puts quoted blocks right")
endif()
