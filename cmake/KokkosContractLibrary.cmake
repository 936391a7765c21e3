# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The library: one INTERFACE target, its generated version header, its installation and export.

set(_generated "${PROJECT_BINARY_DIR}/include")
configure_file("${PROJECT_SOURCE_DIR}/cmake/Version.hpp.in" "${_generated}/KokkosContract/Version.hpp" @ONLY)

add_library(KokkosContract INTERFACE)
add_library(KokkosContract::KokkosContract ALIAS KokkosContract)
# Public headers lie in include/, their bodies in src/; both install into one folder.
target_include_directories(
  KokkosContract
  INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>"
            "$<BUILD_INTERFACE:${_generated}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_compile_features(KokkosContract INTERFACE cxx_std_20)
target_link_libraries(KokkosContract INTERFACE Kokkos::kokkos)

set(KokkosContract_PLANS "" CACHE STRING "A header with plans that scripts/tune measured; NONE: without measured plans")
if(KokkosContract_PLANS STREQUAL "NONE")
  target_compile_definitions(KokkosContract INTERFACE KOKKOSCONTRACT_PLANS_NONE)
elseif(KokkosContract_PLANS)
  get_filename_component(_plans "${KokkosContract_PLANS}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  if(NOT EXISTS "${_plans}")
    message(FATAL_ERROR "KokkosContract_PLANS: there is no file ${_plans}")
  endif()
  configure_file("${_plans}" "${_generated}/KokkosContract/machine/plans/user.hpp" COPYONLY)
  target_compile_definitions(KokkosContract INTERFACE KOKKOSCONTRACT_PLANS_USER)
endif()

include(CMakePackageConfigHelpers)
set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/KokkosContract")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/KokkosContractConfig.cmake.in" "${PROJECT_BINARY_DIR}/KokkosContractConfig.cmake"
  INSTALL_DESTINATION "${_package_dir}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/KokkosContractConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)

install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/" "${PROJECT_SOURCE_DIR}/src/" "${_generated}/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.hpp")
install(TARGETS KokkosContract EXPORT KokkosContractTargets)
install(EXPORT KokkosContractTargets NAMESPACE KokkosContract:: DESTINATION "${_package_dir}")
install(
  FILES "${PROJECT_BINARY_DIR}/KokkosContractConfig.cmake" "${PROJECT_BINARY_DIR}/KokkosContractConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/KokkosContractCheckKokkos.cmake"
  DESTINATION "${_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/KokkosContract")
include(KokkosContractPkgConfig)
