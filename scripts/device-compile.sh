# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What check-cuda and check-hip share: headers of a Kokkos with a GPU's backend.

# configured_kokkos FROM TO BACKEND NAME [HOST]: a copy of Kokkos' headers for another backend (CUDA Cuda, HIP HIP), with
# HOST instead of OpenMP. Further configuration comes from the input.
configured_kokkos() {
  local from=$1 to=$2 backend=$3 name=$4 host=${5:-OPENMP} new
  [ ! -d "$to" ] || return 0
  new=$(mktemp -d "$to.XXXXXX")
  # shellcheck disable=SC2064  # $new is meant as it is now
  trap "rm -rf '$new'" EXIT
  cp -r "$from/." "$new"
  sed -i "s/^#define KOKKOS_ENABLE_OPENMP/#define KOKKOS_ENABLE_$host/" "$new/KokkosCore_config.h"
  sed -i "s/_OPENMP\.hpp/_$host.hpp/" "$new"/KokkosCore_Config_*Backend.hpp
  { echo "#define KOKKOS_ENABLE_$backend" && cat; } >>"$new/KokkosCore_config.h"
  sed -i "s|.*#undef DESUL_ATOMICS_ENABLE_$backend \*/|#define DESUL_ATOMICS_ENABLE_$backend|" "$new/desul/atomics/Config.hpp"
  # Each backend has one include in these three headers, before the final #endif.
  sed -i "\$i #include <fwd/Kokkos_Fwd_$backend.hpp>" "$new/KokkosCore_Config_FwdBackend.hpp"
  sed -i "\$i #include <decl/Kokkos_Declare_$backend.hpp>" "$new/KokkosCore_Config_DeclareBackend.hpp"
  sed -i "\$i #include <setup/Kokkos_Setup_$name.hpp>" "$new/KokkosCore_Config_SetupBackend.hpp"
  chmod 755 "$new"
  mv -T "$new" "$to" 2>/dev/null || [ -d "$to" ]  # another process may have been first
}

# version_header FOLDER: the header that CMake would write.
version_header() {
  mkdir -p "$1/KokkosContract"
  sed -n 's/^  VERSION \([0-9]*\)\.\([0-9]*\)\.\([0-9]*\)$/\1 \2 \3/p' CMakeLists.txt | {
    read -r major minor patch
    sed -e "s/@PROJECT_VERSION_MAJOR@/$major/; s/@PROJECT_VERSION_MINOR@/$minor/; s/@PROJECT_VERSION_PATCH@/$patch/" \
      -e "s/@PROJECT_VERSION@/$major.$minor.$patch/" cmake/Version.hpp.in >"$1/KokkosContract/Version.hpp"
  }
}
