# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the library, builds the project beside this file with it, first by CMake and then by the flags of the
# pkg-config file, and runs both. Their output must be what docs/quick-start.md shows.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGV}")
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

function(check_output program)
  run("${CMAKE_COMMAND}" "-DPROGRAM=${program}" "-DPAGE=${PROJECT_SOURCE}/docs/quick-start.md" -DNAME=quick_start -P
      "${PROJECT_SOURCE}/cmake/CompareOutput.cmake")
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${PROJECT_BUILD}" --prefix "${WORK}/prefix")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DKokkos_DIR=${Kokkos_DIR}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
check_output("${WORK}/build/quick_start")

# --- pkg-config: by its command where there is one, else its variables are put in here.
if(NOT PKG_CONFIG_FILE)
  message(STATUS "no pkg-config file for this Kokkos")
  return()
endif()
set(file "${WORK}/prefix/${PKG_CONFIG_FILE}")
get_filename_component(folder "${file}" DIRECTORY)
find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${folder}" "${pkg_config}" --cflags --libs kokkoscontract
    RESULT_VARIABLE status OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "pkg-config does not take ${file}")
  endif()
else()
  file(STRINGS "${file}" lines)
  set(flags "")
  foreach(line IN LISTS lines)
    string(REPLACE "\${pcfiledir}" "${folder}" line "${line}")
    if(line MATCHES "^([a-z]+)=(.*)$")
      set(value "${CMAKE_MATCH_2}")
      set(name "${CMAKE_MATCH_1}")
      foreach(known IN ITEMS prefix includedir)
        string(REPLACE "\${${known}}" "${${known}}" value "${value}")
      endforeach()
      set(${name} "${value}")
    elseif(line MATCHES "^(Cflags|Libs): (.*)$")
      string(APPEND flags " ${CMAKE_MATCH_2}")
    endif()
  endforeach()
  string(REPLACE "\${includedir}" "${includedir}" flags "${flags}")
endif()
separate_arguments(flags UNIX_COMMAND "${flags}")
run("${CXX_COMPILER}" "${CMAKE_CURRENT_LIST_DIR}/quick_start.cpp" -o "${WORK}/by_pkg_config" ${flags})
check_output("${WORK}/by_pkg_config")
