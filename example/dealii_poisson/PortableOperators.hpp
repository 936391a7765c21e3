// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Problem.hpp"
// deal.II's own headers come behind it.
#include <deal.II/matrix_free/portable_fe_evaluation.h>
#include <deal.II/matrix_free/portable_matrix_free.h>

#include "CellOperator.hpp"

namespace example {

using PortableVector =
    dealii::LinearAlgebra::distributed::Vector<double, dealii::MemorySpace::Default>;
using PortableMatrixFree = dealii::Portable::MatrixFree<dim, double>;
using DeviceVector = dealii::Portable::DeviceVector<double>;
using DeviceSpace = dealii::MemorySpace::Default::kokkos_space;

inline std::shared_ptr<const PortableMatrixFree> portable_matrix_free(const Problem& problem) {
  using namespace dealii;
  PortableMatrixFree::AdditionalData options;
  options.mapping_update_flags = update_gradients | update_JxW_values | update_quadrature_points;
  auto result = std::make_shared<PortableMatrixFree>();
  result->reinit(problem.mapping, problem.unknowns, problem.constraints, problem.quadrature,
                 options);
  AssertThrow(result->get_colored_graph().size() == 1,
              ExcMessage("Each process needs a cell, all of one color."));
  return result;
}

/// y = A x by Portable::MatrixFree::cell_loop, which calls a functor for each cell.
template <class OfCell>
class PortableOperator : public dealii::EnableObserverPointer {
 public:
  using Vector = PortableVector;

  template <class... Arguments>
  PortableOperator(std::shared_ptr<const PortableMatrixFree> data, const Arguments&... arguments)
      : data_(std::move(data)), of_cell_(data_->get_data(0), arguments...) {}

  Vector new_vector() const {
    Vector result;
    data_->initialize_dof_vector(result);
    return result;
  }
  void vmult(Vector& y, const Vector& x) const {
    y = 0.;
    data_->cell_loop(of_cell_, x, y);
    data_->copy_constrained_values(x, y);
  }

 private:
  std::shared_ptr<const PortableMatrixFree> data_;
  OfCell of_cell_;
};

/// By deal.II's evaluation for devices, as step-64 has it.
template <int degree>
class DealiiOfCell {
 public:
  static constexpr unsigned int n_q_points = CellOperator<degree>::points;

  explicit DealiiOfCell(const PortableMatrixFree::PrecomputedData& data)
      : a_("a", data.n_cells, n_q_points) {
    const auto a = a_;
    Kokkos::parallel_for(
        a.size(), KOKKOS_LAMBDA(int i) {
          const int cell = i / n_q_points, q = i % n_q_points;
          a(cell, q) = coefficient(data.q_points(q, cell));
        });
  }

  DEAL_II_HOST_DEVICE void operator()(const PortableMatrixFree::Data* data,
                                      const DeviceVector& from, DeviceVector& to) const {
    using namespace dealii;
    Portable::FEEvaluation<dim, degree, degree + 1, 1, double> cell(data);
    cell.read_dof_values(from);
    cell.evaluate(EvaluationFlags::values | EvaluationFlags::gradients);
    cell.apply_for_each_quad_point([&](auto* evaluation, int q) {
      evaluation->submit_value(a_(data->cell_index, q) * evaluation->get_value(q), q);
      evaluation->submit_gradient(evaluation->get_gradient(q), q);
    });
    cell.integrate(EvaluationFlags::values | EvaluationFlags::gradients);
    cell.distribute_local_to_global(to);
  }

 private:
  Kokkos::View<double**, DeviceSpace> a_;
};

/// The words of CellOperator and the numbers of the unknowns of groups of cells, a cell a lane. The
/// last group is filled up with copies of the last cell, whose words are zero.
template <int degree, class Value>
struct Groups {
  static constexpr int points = CellOperator<degree>::points, words = CellOperator<degree>::words;
  static constexpr int lanes = sizeof(Value) / sizeof(double);
  Kokkos::View<Value* [words][points], Kokkos::LayoutRight, DeviceSpace> w;
  Kokkos::View<unsigned int* [points][lanes], Kokkos::LayoutRight, DeviceSpace> numbers;

  explicit Groups(const PortableMatrixFree::PrecomputedData& data)
      : w("w", (data.n_cells + lanes - 1) / lanes),
        numbers("numbers", (data.n_cells + lanes - 1) / lanes) {
    const auto w_of = w;
    const auto numbers_of = numbers;
    const int cells = data.n_cells;
    Kokkos::parallel_for(
        w.extent_int(0) * points, KOKKOS_LAMBDA(int point) {
          const int group = point / points, q = point % points;
          for (int l = 0; l < lanes; ++l) {
            const bool is_cell = group * lanes + l < cells;
            const int cell = is_cell ? group * lanes + l : cells - 1;
            numbers_of(group, q, l) = data.local_to_global(q, cell);
            const double weight = is_cell ? data.JxW(q, cell) : 0;
            const auto word = [&](int m) -> double& {
              return reinterpret_cast<double*>(&w_of(group, m, q))[l];
            };
            int m = 0;
            for (int i = 0; i < dim; ++i)
              for (int j = i; j < dim; ++j, ++m) {
                double sum = 0;
                for (int d = 0; d < dim; ++d)
                  sum += data.inv_jacobian(q, cell, i, d) * data.inv_jacobian(q, cell, j, d);
                word(m) = weight * sum;
              }
            word(m) = weight * coefficient(data.q_points(q, cell));
          }
        });
  }
};

/// By this library, a cell a call of the functor, whose team computes in deal.II's scratch memory.
template <int degree>
class ContractOfCell {
 public:
  static constexpr unsigned int n_q_points = CellOperator<degree>::points;

  ContractOfCell(const PortableMatrixFree::PrecomputedData& data,
                 const CellOperator<degree>& of_cell)
      : of_cell_(of_cell), groups_(data) {}

  // [cell]
  DEAL_II_HOST_DEVICE void operator()(const PortableMatrixFree::Data* data,
                                      const DeviceVector& from, const DeviceVector& to) const {
    const int cell = data->cell_index;
    of_cell_.apply(
        data->team_member, *data->shared_data, &groups_.w(cell, 0, 0),
        [&](int i) { return from(groups_.numbers(cell, i, 0)); },
        [&](int i, double value) {
          double& y = to(groups_.numbers(cell, i, 0));
          if (one_thread_) {
            y += value;
          } else {
            Kokkos::atomic_add(&y, value);
          }
        });
  }
  // [/cell]

 private:
  CellOperator<degree> of_cell_;
  Groups<degree, double> groups_;
  bool one_thread_ = DeviceSpace::execution_space().concurrency() == 1;
};

/// By this library, on a host, where the call for the first cell of a group computes all of them.
template <int degree>
class ContractOfCells {
 public:
  static constexpr unsigned int n_q_points = CellOperator<degree>::points;
  static constexpr int points = CellOperator<degree>::points;
  static constexpr int lanes = KokkosContract::default_pack_length<double, Kokkos::HostSpace>;
  using Pack = KokkosContract::Pack<double, lanes>;
  using Words = typename CellOperator<degree>::template WordsOfPoints<Pack>;

  ContractOfCells(const PortableMatrixFree::PrecomputedData& data,
                  const CellOperator<degree>& of_cells)
      : of_cells_(of_cells), groups_(data) {}

  // [packs]
  void operator()(const PortableMatrixFree::Data* data, const DeviceVector& from,
                  const DeviceVector& to) const {
    if (data->cell_index % lanes != 0) return;
    const int group = data->cell_index / lanes;
    const int next = group + 1 < groups_.w.extent_int(0) ? group + 1 : group;
    Pack v[points];
    for (int i = 0; i < points; ++i)
      for (int l = 0; l < lanes; ++l) v[i][l] = from(groups_.numbers(group, i, l));
    of_cells_.apply(v, Words{&groups_.w(group, 0, 0), &groups_.w(next, 0, 0)});
    for (int i = 0; i < points; ++i)
      for (int l = 0; l < lanes; ++l) {
        double& y = to(groups_.numbers(group, i, l));
        if (one_thread_) {
          y += v[i][l];
        } else {
          Kokkos::atomic_add(&y, v[i][l]);
        }
      }
  }
  // [/packs]

 private:
  CellOperator<degree> of_cells_;
  Groups<degree, Pack> groups_;
  bool one_thread_ = DeviceSpace::execution_space().concurrency() == 1;
};

}  // namespace example
