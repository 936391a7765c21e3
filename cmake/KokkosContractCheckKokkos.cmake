# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Warns of a Kokkos whose Views nvcc may pass wrongly to kernels. For this build, and a part of the installed package.
#
# The mdspan inside Kokkos 4.6 to 4.7.01 marks members [[no_unique_address]] in C++20, and from CUDA 12.9 on the device
# takes them to be elsewhere than the host does (kokkos/mdspan, pull requests 434 and 435).

# kokkoscontract_find_layout_fault(result version compiler_id compiler_version folders flags): what is wrong with this
# Kokkos, or nothing. The compiler is the one that Kokkos says it was built with, the folders hold its headers, and the
# flags are those of the build.
function(kokkoscontract_find_layout_fault result version compiler_id compiler_version folders flags)
  set(${result} "" PARENT_SCOPE)
  set(macro MDSPAN_IMPL_USE_ATTRIBUTE_NO_UNIQUE_ADDRESS)
  if(version VERSION_LESS 4.6
     OR version VERSION_GREATER_EQUAL 4.7.2
     OR NOT compiler_id STREQUAL "NVIDIA"
     OR compiler_version VERSION_LESS 12.9
     OR flags MATCHES "${macro}=1")
    return()
  endif()
  foreach(folder IN LISTS folders)
    set(header "${folder}/experimental/__p0009_bits/config.hpp")
    if(EXISTS "${header}")
      # A header put right by hand has another condition on nvcc than this one, or one more.
      file(READ "${header}" text)
      string(REGEX MATCH "#if !defined\\(${macro}\\)\n[^\n]*\\\\\n[^\n]*\\\\\n[^\n]*\n" condition "${text}")
      string(REPLACE "(!defined(__NVCC__) || MDSPAN_HAS_CXX_20)" "" condition "${condition}")
      if(condition MATCHES "__NVCC__")
        return()
      endif()
    endif()
  endforeach()
  set(${result}
      "Kokkos ${version} with CUDA ${compiler_version}: host and device may disagree about where the members of a View \
or an mdspan are, so that kernels compute with garbage. Use Kokkos 4.7.02, 5.0 or newer, or CUDA before 12.9; or \
define ${macro}=1 for Kokkos itself and for all that is compiled with it (CMAKE_CXX_FLAGS=-D${macro}=1)."
      PARENT_SCOPE)
endfunction()

# kokkoscontract_check_kokkos(): for the Kokkos that find_package has found.
function(kokkoscontract_check_kokkos)
  foreach(property IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
    set(${property} "")
    if(TARGET Kokkos::kokkoscore)
      get_target_property(value Kokkos::kokkoscore INTERFACE_${property})
      if(value)
        set(${property} "${value}")
      endif()
    endif()
  endforeach()
  kokkoscontract_find_layout_fault(
    fault "${Kokkos_VERSION}" "${Kokkos_CXX_COMPILER_ID}" "${Kokkos_CXX_COMPILER_VERSION}" "${INCLUDE_DIRECTORIES}"
    "${CMAKE_CXX_FLAGS};${COMPILE_DEFINITIONS};${COMPILE_OPTIONS}")
  if(Kokkos_ENABLE_CUDA AND fault)
    message(WARNING "KokkosContract: ${fault}")
  endif()
endfunction()
