# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from pathlib import Path

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before Spack 1.0 it comes with spack.package
    pass
from spack.package import *

# The repository that this recipe lies in.
repository = Path(__file__).resolve().parents[3]


class KokkosContract(CMakePackage):
    """Tensor contractions and small dense linear algebra inside Kokkos kernels: headers only."""

    homepage = repository.as_uri()
    git = repository.as_uri()

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    # The branch, until the repository has a tag of this release.
    version("0.2.0", branch="main", preferred=True)

    variant("tests", default=False, description="Build and run the tests")
    variant("examples", default=False, description="Build the examples")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("kokkos@4.5:")
    depends_on("googletest", type="build", when="+tests")

    # The mdspan inside these, with CUDA 12.9 and newer, takes members to be elsewhere on the device than on the host.
    conflicts("^kokkos@4.6:4.7.01+cuda ^cuda@12.9:", msg="use Kokkos 4.7.02, 5.0 or newer: see docs/install.md")
    conflicts("%gcc@:11")
    conflicts("%clang@:15")

    def cmake_args(self):
        args = [
            self.define_from_variant("KokkosContract_ENABLE_TESTS", "tests"),
            self.define_from_variant("KokkosContract_ENABLE_EXAMPLES", "examples"),
            self.define("KokkosContract_ENABLE_BENCHMARKS", False),
        ]
        if self.spec.satisfies("^kokkos+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        elif self.spec.satisfies("^kokkos+wrapper"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["kokkos"].kokkos_cxx))
        return args
