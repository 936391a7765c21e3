// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Vtk.hpp"

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

namespace example {
namespace {

/// What the file holds of the ranks' elements.
struct Pieces {
  std::vector<int> of_element;  ///< numbers of the nodes of all elements
  std::vector<Position> positions;
  std::vector<double> values;
};

/// The values of all ranks, one rank after the other, on the first rank.
template <class T>
std::vector<T> gather(const std::vector<T>& values, [[maybe_unused]] const Ranks& ranks) {
#ifdef EXAMPLE_MPI
  const double bytes = static_cast<double>(values.size() * sizeof(T));
  double of_all = bytes;
  ranks.sum(&of_all, 1);
  ranks.together([&] {
    if (of_all > std::numeric_limits<int>::max())
      throw std::runtime_error("the file for ParaView would be too large");
  });
  const int own = static_cast<int>(bytes);
  std::vector<int> counts(ranks.size()), offsets(ranks.size());
  MPI_Gather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, ranks.communicator());
  for (int rank = 1; rank < ranks.size(); ++rank)
    offsets[rank] = offsets[rank - 1] + counts[rank - 1];
  std::vector<T> all(ranks.is_first() ? static_cast<std::size_t>(of_all) / sizeof(T) : 0);
  MPI_Gatherv(values.data(), own, MPI_BYTE, all.data(), counts.data(), offsets.data(), MPI_BYTE, 0,
              ranks.communicator());
  return all;
#else
  return values;
#endif
}

void write(const std::string& path, const Pieces& all, int order) {
  const int n = order + 1;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"),
                                                             std::fclose);
  if (!file) throw std::runtime_error(path + ": cannot write this file");
  const std::size_t nodes = all.positions.size();
  const std::size_t elements = all.of_element.size() / (n * n * n);
  const std::size_t cells = elements * order * order * order;
  std::fprintf(file.get(), "# vtk DataFile Version 3.0\nPoisson's equation, order %d\nASCII\n",
               order);
  std::fprintf(file.get(), "DATASET UNSTRUCTURED_GRID\nPOINTS %zu double\n", nodes);
  for (const Position& at : all.positions)
    std::fprintf(file.get(), "%.9g %.9g %.9g\n", at[0], at[1], at[2]);
  std::fprintf(file.get(), "CELLS %zu %zu\n", cells, 9 * cells);
  for (std::size_t e = 0; e < elements; ++e)
    for (int a = 0; a < order; ++a)
      for (int b = 0; b < order; ++b)
        for (int c = 0; c < order; ++c) {
          const auto node = [&](int i, int j, int k) {
            return all.of_element[((e * n + a + i) * n + b + j) * n + c + k];
          };
          std::fprintf(file.get(), "8 %d %d %d %d %d %d %d %d\n", node(0, 0, 0), node(0, 0, 1),
                       node(0, 1, 1), node(0, 1, 0), node(1, 0, 0), node(1, 0, 1), node(1, 1, 1),
                       node(1, 1, 0));
        }
  std::fprintf(file.get(), "CELL_TYPES %zu\n", cells);
  for (std::size_t i = 0; i < cells; ++i) std::fprintf(file.get(), "12\n");
  std::fprintf(file.get(), "POINT_DATA %zu\n", nodes);
  const auto write_scalars = [&](const char* name, const auto& value) {
    std::fprintf(file.get(), "SCALARS %s double 1\nLOOKUP_TABLE default\n", name);
    for (std::size_t i = 0; i < nodes; ++i) std::fprintf(file.get(), "%.9g\n", value(i));
  };
  write_scalars("u", [&](std::size_t i) { return all.values[i]; });
  write_scalars("error", [&](std::size_t i) {
    const Position& at = all.positions[i];
    return all.values[i] - exact_solution(at[0], at[1], at[2]);
  });
  if (std::ferror(file.get()) != 0) throw std::runtime_error(path + ": cannot write this file");
}

}  // namespace

void write_vtk(const std::string& path, const Ranks& ranks, const Operator& A, int order,
               const DeviceVector& x) {
  const auto numbers =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.numbering().of_element);
  const std::vector<int> of_element(numbers.data(), numbers.data() + numbers.size());
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  const std::vector<double> values(host.data(), host.data() + A.numbering().nodes);
  Pieces all{gather(of_element, ranks), gather(A.positions(), ranks), gather(values, ranks)};
  // Each rank counts its nodes from 0 on.
  const std::vector<std::size_t> nodes = gather(std::vector{values.size()}, ranks);
  const std::vector<std::size_t> corners = gather(std::vector{of_element.size()}, ranks);
  std::size_t first_node = 0, next = 0;
  for (std::size_t rank = 0; rank < nodes.size(); first_node += nodes[rank++])
    for (std::size_t i = 0; i < corners[rank]; ++i)
      all.of_element[next++] += static_cast<int>(first_node);
  ranks.together([&] {
    if (ranks.is_first()) write(path, all, order);
  });
}

}  // namespace example
