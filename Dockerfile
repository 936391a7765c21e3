# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A machine to develop on, with Debian's Kokkos (OpenMP): nobody has to be root in it, and scripts/with-kokkos has nothing
# to set up.
#
#     docker build -t kokkos-contract .
#     docker run --rm -it -v "$PWD":/work kokkos-contract scripts/run-tests
FROM debian:sid

RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      ca-certificates clang-format clang-tidy cmake doxygen furo g++ git libbenchmark-dev libgtest-dev libkokkos-dev \
      liblapack-dev libomp-dev ninja-build pkgconf python3-breathe python3-myst-parser python3-sphinx reuse && \
    rm -rf /var/lib/apt/lists/*

# Kokkos' CMake targets name two archives that Debian's package does not hold; they would be empty.
RUN for directory in /usr/lib/*-linux-gnu*; do \
      [ -e "$directory/libkokkoscore.so" ] || [ -e "$directory/libkokkoscore.a" ] || continue; \
      for library in algorithms simd; do \
        [ -e "$directory/libkokkos$library.a" ] || ar rcs "$directory/libkokkos$library.a"; \
      done; \
    done

RUN useradd --create-home developer
USER developer
ENV KOKKOSCONTRACT_KOKKOS=native CMAKE_GENERATOR=Ninja
WORKDIR /work
CMD ["bash"]
