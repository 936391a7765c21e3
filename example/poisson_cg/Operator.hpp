// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Discretization.hpp"
#include "Exchange.hpp"
#include "NodePositions.hpp"
#include "Numbering.hpp"
#include "Partition.hpp"

namespace example {

/// The matrix A of elements of one order and form, on all ranks. Each rank has its part of the
/// elements, and vectors of its nodes. All ranks that share an unknown have the same value of it.
class Operator {
 public:
  Operator(const Part& part, const ElementOrder& element, const Ranks& ranks, int components = 1)
      : Operator(part, element, ranks, numbered(part, element, ranks), components) {}
  /// The numbering is that of the part's elements.
  Operator(const Part& part, const ElementOrder& element, const Ranks& ranks, Numbering numbering,
           int components = 1)
      : numbering_(std::move(numbering)),
        components_(components),
        order_(element.order),
        geometry_(part.geometry),
        elements_(element.discretize(part.geometry, numbering_, components)),
        exchange_(ranks, shared_entries(numbering_.shared, components)),
        interface_groups_((part.interface_elements + elements_->elements_in_group() - 1) /
                          elements_->elements_in_group()) {}

  const Numbering& numbering() const { return numbering_; }
  NumberedElements numbered_elements() const { return {geometry_, order_, numbering_}; }
  /// The position of each node.
  std::vector<Position> positions() const {
    return node_positions(numbered_elements(), numbering_.nodes);
  }
  /// Numbers of unknowns of all components: those of the rank, and those that it owns.
  int unknowns() const { return components_ * numbering_.unknowns; }
  int owned() const { return components_ * numbering_.owned; }
  const Discretization& elements() const { return *elements_; }
  const Exchange& exchange() const { return exchange_; }
  /// Several vectors of zeros in one block of memory, which takes less time to get. Each begins at
  /// a line of a GPU's cache.
  template <std::size_t count>
  std::array<DeviceVector, count> new_vectors(const std::string& name) const {
    const int entries = components_ * (numbering_.nodes + 1);
    const DeviceArray<double**> block(name, count, (entries + 15) / 16 * 16);
    std::array<DeviceVector, count> vectors;
    for (std::size_t i = 0; i < count; ++i)
      vectors[i] = Kokkos::subview(block, i, Kokkos::pair<int, int>(0, entries));
    return vectors;
  }

  /// y = A x, where y must be 0 on entry. The numbers that ranks exchange come from the first
  /// elements, and travel while the others are computed. A GPU computes the first elements beside
  /// the others, in a stream of higher priority, so that it is busy while the last of them end.
  void apply(const DeviceVector& x, const DeviceVector& y) const {
    apply(x, y, {}, [] {});
  }
  /// This also adds the rank's parts of x^T A x to those of a sum, if there is one. They are
  /// complete in the work that has been started when the function calls then().
  template <class Then>
  void apply(const DeviceVector& x, const DeviceVector& y, const DeviceVector& energy,
             const Then& then) const {
    using Space = Kokkos::DefaultExecutionSpace;
    const auto add_product = [&](const Space& space, int first, int last) {
      if (first < last) elements_->add_product(space, x, y, first, last, energy);
    };
    const int last = elements_->groups();
    if (!exchange_.is_needed()) {
      add_product({}, 0, last);
      then();
      return;
    }
    // A GPU is given all kernels at once. A host computes some groups between two calls of MPI.
    const int middle = on_host ? interface_groups_ + (last - interface_groups_) / 2 : last;
    add_product(exchange_.begin(), 0, interface_groups_);
    exchange_.start(y);
    add_product({}, interface_groups_, middle);
    exchange_.progress();
    add_product({}, middle, last);
    exchange_.wait_for_entries();
    then();
    exchange_.finish(y);
  }

  DeviceVector diagonal() const {
    const DeviceVector result = elements_->new_vector("diagonal");
    elements_->add_diagonal(result);
    exchange_.sum(result);
    return result;
  }
  DeviceVector load() const {
    const DeviceVector result = elements_->new_vector("load");
    elements_->add_load(result);
    exchange_.sum(result);
    return result;
  }

 private:
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                 Kokkos::DefaultExecutionSpace::memory_space>::accessible;

  static Numbering numbered(const Part& part, const ElementOrder& element, const Ranks& ranks) {
    const Boundary boundary = element.form == Form::mass ? Boundary::unknown : Boundary::given;
    Numbering numbering;
    ranks.together([&] { numbering = number_nodes(part, element.order, boundary); });
    return numbering;
  }
  static std::vector<SharedUnknowns> shared_entries(std::vector<SharedUnknowns> shared,
                                                    int components) {
    for (SharedUnknowns& of_ranks : shared) {
      std::vector<int> entries;
      for (const int node : of_ranks.unknowns)
        for (int k = 0; k < components; ++k) entries.push_back(components * node + k);
      of_ranks.unknowns = std::move(entries);
    }
    return shared;
  }

  Numbering numbering_;
  int components_, order_;
  DeviceArray<double* [27][3]> geometry_;
  std::unique_ptr<const Discretization> elements_;
  Exchange exchange_;
  int interface_groups_;
};

}  // namespace example
