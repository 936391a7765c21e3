# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DWORK=folder -P Test_CheckKokkos.cmake
# Which Kokkos, with which CUDA, is found to lay out Views in two ways.

cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/KokkosContractCheckKokkos.cmake")

set(macro MDSPAN_IMPL_USE_ATTRIBUTE_NO_UNIQUE_ADDRESS)
function(write_header name condition)
  file(
    WRITE "${WORK}/${name}/experimental/__p0009_bits/config.hpp"
    "#if !defined(${macro})\n#  if (${condition} \\\n       (!defined(MDSPAN_IMPL_COMPILER_MSVC) || MDSPAN_HAS_CXX_20))\n")
endfunction()
set(attribute "(MDSPAN_IMPL_HAS_CPP_ATTRIBUTE(no_unique_address) >= 201803L)")
set(in_cxx20 "(!defined(__NVCC__) || MDSPAN_HAS_CXX_20)")
set(before_12_9 "(__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ * 10 < 1290)")
write_header(faulty "${attribute} && \\\n       ${in_cxx20} &&")
write_header(as_released "${attribute} && \\\n       (!defined(__NVCC__) || (${before_12_9} && MDSPAN_HAS_CXX_20)) &&")
write_header(by_hand "!defined(__NVCC__) && ${attribute} && \\\n       ${in_cxx20} &&")

# expect(fault|none version compiler_id compiler_version header flags)
function(expect expected version)
  kokkoscontract_find_layout_fault(fault ${version} "${ARGV2}" "${ARGV3}" "/nowhere;${WORK}/${ARGV4}" "${ARGV5}")
  if(expected STREQUAL "none" AND fault)
    message(SEND_ERROR "Kokkos ${ARGN}: unexpected: ${fault}")
  elseif(expected STREQUAL "fault" AND NOT fault MATCHES "Kokkos ${version} with CUDA ${ARGV3}.*4\\.7\\.02.*${macro}=1")
    message(SEND_ERROR "Kokkos ${version} ${ARGN}: a warning was expected, not: ${fault}")
  endif()
endfunction()

expect(fault 4.6.99 NVIDIA 13.0.88 faulty "-O3")
expect(fault 4.7.1 NVIDIA 12.9.41 faulty "")
expect(fault 4.7.0 NVIDIA 13.0.88 no_such_header "")
expect(none 4.5.1 NVIDIA 13.0.88 faulty "")
expect(none 4.7.2 NVIDIA 13.0.88 no_such_header "")
expect(none 5.0.0 NVIDIA 13.0.88 as_released "")
expect(none 4.6.99 NVIDIA 12.8.93 faulty "")
expect(none 4.6.99 Clang 21.1.0 faulty "")
expect(none 4.6.99 GNU 16.1.0 faulty "")
expect(none 4.6.99 NVIDIA 13.0.88 as_released "")
expect(none 4.6.99 NVIDIA 13.0.88 by_hand "")
expect(none 4.6.99 NVIDIA 13.0.88 faulty "-O3;-D${macro}=1")
