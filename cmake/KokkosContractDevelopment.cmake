# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What tests, benchmarks and examples share, and a user of the library never sees: warnings, the machine's instruction
# set, checks, sanitizers. And the functions that register tests.

include(CheckCXXCompilerFlag)

# Whether a GPU's compiler compiles all of them.
set(KokkosContract_FOR_GPU OFF)
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP)
  set(KokkosContract_FOR_GPU ON)
endif()

add_library(KokkosContract_development INTERFACE)
target_link_libraries(KokkosContract_development INTERFACE KokkosContract::KokkosContract)
target_compile_options(KokkosContract_development INTERFACE -Wall -Wextra -Wshadow)
if(NOT Kokkos_ENABLE_CUDA)  # what nvcc generates is not pedantic
  target_compile_options(KokkosContract_development INTERFACE -Wpedantic)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT KokkosContract_FOR_GPU)
  # A larger heap, because garbage collection took GCC 6 % of the time of a test.
  target_compile_options(KokkosContract_development INTERFACE --param=ggc-min-heapsize=512000)
endif()
if(KokkosContract_WARNINGS_AS_ERRORS)
  # GCC loses track of arrays that it fills in unrolled loops and reads as vectors, and calls them uninitialized. Of
  # loops over the rest of a static matrix it looks at iterations behind the last, too, and warns of their indices.
  target_compile_options(KokkosContract_development INTERFACE -Werror -Wno-error=maybe-uninitialized
                                                              -Wno-error=aggressive-loop-optimizations)
endif()
if(KokkosContract_NATIVE)
  check_cxx_compiler_flag(-march=native KokkosContract_HAS_MARCH_NATIVE)
  if(KokkosContract_HAS_MARCH_NATIVE)
    target_compile_options(KokkosContract_development INTERFACE -march=native)
  endif()
endif()
if(KokkosContract_CHECKED)
  target_compile_definitions(KokkosContract_development INTERFACE KOKKOSCONTRACT_CHECKED=1 _GLIBCXX_ASSERTIONS)
endif()
if(KokkosContract_SANITIZE)
  set(_sanitize -fsanitize=${KokkosContract_SANITIZE} -fno-omit-frame-pointer)
  if(KokkosContract_SANITIZE MATCHES "undefined")
    list(APPEND _sanitize -fno-sanitize-recover=undefined)
  endif()
  if(KokkosContract_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND _sanitize -Wno-tsan)  # Kokkos' memory fences, which it does not follow
  endif()
  target_compile_options(KokkosContract_development INTERFACE ${_sanitize})
  target_link_options(KokkosContract_development INTERFACE ${_sanitize})
endif()

# Kokkos Kernels' headers, in which all that tests and examples use is inline; where they are not found, no includes.
find_path(KokkosContract_KOKKOS_KERNELS_INCLUDE KokkosBatched_Util.hpp PATH_SUFFIXES trilinos)
mark_as_advanced(KokkosContract_KOKKOS_KERNELS_INCLUDE)
add_library(KokkosContract_kokkos_kernels INTERFACE)
if(KokkosContract_KOKKOS_KERNELS_INCLUDE)
  target_include_directories(KokkosContract_kokkos_kernels SYSTEM INTERFACE "${KokkosContract_KOKKOS_KERNELS_INCLUDE}")
endif()

# Trilinos' packages for tests, examples and benchmarks. Only those installed beside the Kokkos that was found were built
# with it.
get_filename_component(_beside "${Kokkos_DIR}" DIRECTORY)
foreach(_package IN ITEMS Belos Intrepid2 Tpetra)
  find_package(${_package} QUIET CONFIG PATHS "${_beside}/${_package}" NO_DEFAULT_PATH)
endforeach()
# Its headers may include those of MPI, which its targets do not bring along.
add_library(KokkosContract_mpi INTERFACE)
if(TARGET Intrepid2::all_libs OR TARGET Tpetra::all_libs)
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    target_link_libraries(KokkosContract_mpi INTERFACE MPI::MPI_CXX)
  endif()
endif()

# Of tests, and of examples that are there to be right, not to be fast: what to inline and unroll takes longer than to run.
add_library(KokkosContract_unoptimized INTERFACE)
target_compile_definitions(KokkosContract_unoptimized INTERFACE KOKKOS_IMPL_FORCEINLINE_FUNCTION=inline)
if(NOT KokkosContract_SANITIZE MATCHES "address")
  target_compile_options(KokkosContract_unoptimized INTERFACE -O0)
endif()

# kokkoscontract_precompile_headers(target HEADERS ... LIBRARIES ...): a target of nothing but precompiled headers, which
# others with the same options reuse. A GPU's compilers have none.
function(kokkoscontract_precompile_headers target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES")
  if(KokkosContract_FOR_GPU)
    return()
  endif()
  file(CONFIGURE OUTPUT ${target}.cpp CONTENT "")
  add_library(${target} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

# Every test runs with four OpenMP threads, however many cores there are; waiting threads sleep, so that this is not slow.
# ThreadSanitizer knows std::thread, but not the barriers of libgomp: under it, OpenMP has one thread.
if(KokkosContract_SANITIZE MATCHES "thread")
  set(_threads 1)
else()
  set(_threads 4)
endif()
set(KokkosContract_TEST_ENVIRONMENT "OMP_NUM_THREADS=${_threads}" "OMP_PROC_BIND=false" "OMP_WAIT_POLICY=passive")
set(KokkosContract_TEST_TIMEOUT 900)

# kokkoscontract_register_test(NAME name COMMAND ... [LABELS ...]): a CTest test in the environment above.
function(kokkoscontract_register_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "COMMAND;LABELS")
  add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND})
  set_tests_properties(${arg_NAME} PROPERTIES ENVIRONMENT "${KokkosContract_TEST_ENVIRONMENT}" TIMEOUT
                                              ${KokkosContract_TEST_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()

# kokkoscontract_run_over_ranks(target): an example with example/Ranks.hpp. Without MPI it has one rank. All of them are
# built by KokkosContract_examples_over_ranks.
if(KokkosContract_ENABLE_EXAMPLES)
  find_package(MPI QUIET COMPONENTS CXX)
  add_custom_target(KokkosContract_examples_over_ranks)
endif()
function(kokkoscontract_run_over_ranks target)
  add_dependencies(KokkosContract_examples_over_ranks ${target})
  if(MPI_CXX_FOUND)
    target_link_libraries(${target} PRIVATE MPI::MPI_CXX)
    target_compile_definitions(${target} PRIVATE EXAMPLE_MPI)
  endif()
endfunction()

# Open MPI asks for leave to run as root, and to start more processes than there are cores. Its release candidate 6.0 prints
# errors of UCX, which one node does not need. Each rank has one thread, and Kokkos does not warn of too few cores.
set(KokkosContract_MPI_TEST_ENVIRONMENT
    "OMPI_ALLOW_RUN_AS_ROOT=1" "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe"
    "OMPI_MCA_osc=^ucx" "OMP_NUM_THREADS=1" "OMP_PROC_BIND=false" "KOKKOS_DISABLE_WARNINGS=1")

# kokkoscontract_register_mpi_test(NAME name [RANKS n] COMMAND ...): a CTest test with the label `mpi`, where CMake found
# MPI. With RANKS mpirun starts the command; without, the command calls mpirun itself.
function(kokkoscontract_register_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;RANKS" "COMMAND")
  if(NOT MPI_CXX_FOUND)
    return()
  endif()
  list(GET arg_COMMAND 0 program)
  if(TARGET ${program})
    list(REMOVE_AT arg_COMMAND 0)
    list(PREPEND arg_COMMAND $<TARGET_FILE:${program}>)
  endif()
  if(arg_RANKS)
    list(PREPEND arg_COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${arg_RANKS})
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND})
  set_tests_properties(${arg_NAME} PROPERTIES ENVIRONMENT "${KokkosContract_MPI_TEST_ENVIRONMENT}" TIMEOUT 120 LABELS mpi)
endfunction()

# kokkoscontract_add_test(Name SOURCES ... [LABELS ...] [EMULATED] [OPTIMIZED]): a GoogleTest executable Test_<Name> and its
# CTest test <Name>. Under ThreadSanitizer only tests with the label `tsan` are built. EMULATED: of the code of a GPU's lanes
# only. In a release a host's tests are not optimised; the main example, scripts/fuzz and the thread sanitizer's tests call
# what they do optimised. OPTIMIZED: those that take long to run; as programs are, or EMULATED with -O1.
# SLIGHTLY_OPTIMIZED: those that -O1 makes fast enough. UNOPTIMIZED: those that take long to compile are not optimised for
# the thread sanitizer either.
function(kokkoscontract_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EMULATED;OPTIMIZED;SLIGHTLY_OPTIMIZED;UNOPTIMIZED" "" "SOURCES;LABELS")
  if(KokkosContract_SANITIZE MATCHES "thread")
    if(NOT "tsan" IN_LIST arg_LABELS)
      return()
    endif()
    get_property(number GLOBAL PROPERTY KokkosContract_TSAN_TESTS)
    math(EXPR half "(${number} + 0) % 2")
    math(EXPR number "${number} + 1")
    set_property(GLOBAL PROPERTY KokkosContract_TSAN_TESTS ${number})
    if(NOT KokkosContract_HALF STREQUAL "" AND NOT KokkosContract_HALF EQUAL half)
      return()
    endif()
  endif()
  set(target KokkosContract_Test_${name})
  add_executable(${target} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME Test_${name})
  target_link_libraries(${target} PRIVATE KokkosContract_test_main)
  set(release OFF)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(release ON)
  endif()
  set(headers KokkosContract_test_main)
  if(arg_EMULATED)
    target_compile_definitions(${target} PRIVATE KOKKOSCONTRACT_TEST_EMULATED)
  endif()
  set(unoptimized ${arg_EMULATED})
  if((release AND NOT KokkosContract_FOR_GPU) OR (arg_UNOPTIMIZED AND KokkosContract_SANITIZE MATCHES "thread"))
    set(unoptimized ON)
  endif()
  if((arg_EMULATED AND arg_OPTIMIZED) OR (arg_SLIGHTLY_OPTIMIZED AND release AND NOT KokkosContract_FOR_GPU))
    set(headers "")
    target_compile_definitions(${target} PRIVATE KOKKOS_IMPL_FORCEINLINE_FUNCTION=inline)
    target_compile_options(${target} PRIVATE -O1)
  elseif(arg_OPTIMIZED OR arg_SLIGHTLY_OPTIMIZED)
    if(release)
      set(headers "")
    endif()
  elseif(unoptimized)
    set(headers KokkosContract_test_unoptimized_headers)
    target_link_libraries(${target} PRIVATE KokkosContract_unoptimized)
  elseif(release)
    target_compile_options(${target} PRIVATE -O1)
  endif()
  # A source that defines the library's macros includes the library itself.
  set(defines "")
  foreach(source IN LISTS arg_SOURCES)
    file(STRINGS "${source}" lines LIMIT_COUNT 1 REGEX "^#define KOKKOSCONTRACT_(CHECKED|STRICT)")
    list(APPEND defines ${lines})
  endforeach()
  # A GPU's compilers have no precompiled headers.
  if(headers AND NOT defines AND NOT KokkosContract_FOR_GPU)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
  kokkoscontract_register_test(NAME ${name} COMMAND ${target} LABELS unit ${arg_LABELS})
endfunction()

# kokkoscontract_add_test_of_levels(Name SOURCES ... [LABELS ...]): the same for typed tests of Levels.hpp that take long to
# compile. Those of emulated GPUs are a test of their own, <Name>Emulated; under ThreadSanitizer there are hardly others.
function(kokkoscontract_add_test_of_levels name)
  if(KokkosContract_SANITIZE MATCHES "thread")
    kokkoscontract_add_test(${name} ${ARGN} EMULATED)
    return()
  endif()
  kokkoscontract_add_test(${name} ${ARGN})
  if(NOT (KokkosContract_SANITIZE OR KokkosContract_FOR_GPU))
    target_compile_definitions(KokkosContract_Test_${name} PRIVATE KOKKOSCONTRACT_TEST_NOT_EMULATED)
    kokkoscontract_add_test(${name}Emulated ${ARGN} EMULATED)
  endif()
endfunction()

# What examples are compiled with.
add_library(KokkosContract_example_options INTERFACE)
target_link_libraries(KokkosContract_example_options INTERFACE KokkosContract_development)
if(NOT (KokkosContract_OPTIMIZED_EXAMPLES OR KokkosContract_FOR_GPU))
  target_link_libraries(KokkosContract_example_options INTERFACE KokkosContract_unoptimized)
endif()

# kokkoscontract_compile_as_example(target): with these options and, where there are such, precompiled headers.
function(kokkoscontract_compile_as_example target)
  target_link_libraries(${target} PRIVATE KokkosContract_example_options)
  if(TARGET KokkosContract_example_headers)
    target_precompile_headers(${target} REUSE_FROM KokkosContract_example_headers)
  endif()
endfunction()

# kokkoscontract_add_example(name SOURCES ... [OPTIMIZED]): an executable, in its own folder example/<name>. OPTIMIZED: with
# -O1 at least, so that one example calls what it does optimised in any build.
function(kokkoscontract_add_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMIZED" "" "SOURCES")
  set(target KokkosContract_example_${name})
  add_executable(${target} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
  if(arg_OPTIMIZED)
    target_link_libraries(${target} PRIVATE KokkosContract_development)
    if(NOT (KokkosContract_OPTIMIZED_EXAMPLES OR KokkosContract_FOR_GPU))
      target_compile_definitions(${target} PRIVATE KOKKOS_IMPL_FORCEINLINE_FUNCTION=inline)
      target_compile_options(${target} PRIVATE -O1)
    endif()
  else()
    kokkoscontract_compile_as_example(${target})
  endif()
endfunction()

# --- Tests that only compile ------------------------------------------------------------------------------------------
# They run the compiler without code generation when CTest runs, so they cost nothing in the build. nvcc has no such
# mode and a sanitizer adds nothing, so they exist in plain host builds.

set(KokkosContract_COMPILE_TESTS OFF)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT Kokkos_ENABLE_CUDA AND NOT KokkosContract_SANITIZE)
  set(KokkosContract_COMPILE_TESTS ON)
endif()

# Writes the flags of the library's users, one a line, for CompileTest.cmake: KokkosContract_COMPILE_FLAGS_FILE.
function(kokkoscontract_write_compile_flags)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/compile_flags.txt")
  set(target KokkosContract_compile_flags)
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/unit_tests/compile_fail/control.cpp")
  target_link_libraries(${target} PRIVATE KokkosContract_development KokkosContract_kokkos_kernels)
  string(
    CONCAT content
           "include $<JOIN:$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>>,\ninclude >\n"
           "define $<JOIN:$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>,\ndefine >\n"
           "option $<JOIN:$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>,\noption >\n")
  file(
    GENERATE
    OUTPUT "${file}"
    CONTENT "${content}"
    TARGET ${target})
  set(KokkosContract_COMPILE_FLAGS_FILE "${file}" PARENT_SCOPE)
endfunction()

# kokkoscontract_add_compile_test(Name SOURCE file [EXPECT regex] [HEADER file] [PRECOMPILE]): without EXPECT the source
# must compile, with it the source must not compile and the compiler's message must match. HEADER: it is included first, and
# the test whose source it is precompiles it before.
function(kokkoscontract_add_compile_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PRECOMPILE" "SOURCE;EXPECT;HEADER" "")
  if(NOT KokkosContract_COMPILE_TESTS)
    return()
  endif()
  add_test(
    NAME ${name}
    COMMAND
      ${CMAKE_COMMAND} "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DFLAGS=${KokkosContract_COMPILE_FLAGS_FILE}"
      "-DPROJECT=${PROJECT_SOURCE_DIR}" "-DSOURCE=${arg_SOURCE}" "-DEXPECT=${arg_EXPECT}" "-DHEADER=${arg_HEADER}"
      "-DPRECOMPILE=${arg_PRECOMPILE}" -P "${PROJECT_SOURCE_DIR}/cmake/CompileTest.cmake")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${KokkosContract_TEST_TIMEOUT} LABELS compile)
  if(arg_PRECOMPILE)
    set_tests_properties(${name} PROPERTIES FIXTURES_SETUP "${arg_SOURCE}")
  elseif(arg_HEADER)
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED "${arg_HEADER}")
  endif()
endfunction()

# kokkoscontract_add_compile_fail_test(Name SOURCE file HEADER file): the source must not compile, and holds in its first
# line what the compiler must say: // expect: <regex>. HEADER: where the source defines no macros before it includes it.
function(kokkoscontract_add_compile_fail_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;HEADER" "")
  file(STRINGS "${arg_SOURCE}" line LIMIT_COUNT 1 REGEX "^// expect: .+")
  string(REGEX REPLACE "^// expect: " "" regex "${line}")
  if(NOT regex)
    message(FATAL_ERROR "${arg_SOURCE} must begin with a line // expect: <regex of the compiler's message>")
  endif()
  file(STRINGS "${arg_SOURCE}" defines LIMIT_COUNT 1 REGEX "^#define")
  if(defines)
    set(arg_HEADER "")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${arg_SOURCE}")
  kokkoscontract_add_compile_test(${name} SOURCE "${arg_SOURCE}" EXPECT "${regex}" HEADER "${arg_HEADER}")
endfunction()
