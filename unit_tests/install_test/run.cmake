# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds and runs the consumer project beside this file, with the library taken in by MODE.

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGV}")
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
set(configure
    "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DKokkos_DIR=${Kokkos_DIR}" "-DEXPECTED_VERSION=${VERSION}")

if(MODE STREQUAL "find_package")
  run("${CMAKE_COMMAND}" --install "${PROJECT_BUILD}" --prefix "${WORK}/prefix")
  # An installation may be moved.
  file(RENAME "${WORK}/prefix" "${WORK}/moved")
  run(${configure} "-DKokkosContract_ROOT=${WORK}/moved")
elseif(MODE STREQUAL "fetch_content")
  run(${configure} "-DKokkosContract_SOURCE=${PROJECT_SOURCE}" -DFETCH_CONTENT=ON)
else()
  run(${configure} "-DKokkosContract_SOURCE=${PROJECT_SOURCE}")
endif()
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${CMAKE_COMMAND}" -E env OMP_NUM_THREADS=2 OMP_PROC_BIND=false "${WORK}/build/consumer")
