// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Problem.hpp"
// deal.II's own headers come behind it.
#include <deal.II/matrix_free/fe_evaluation.h>
#include <deal.II/matrix_free/matrix_free.h>
#include <deal.II/matrix_free/shape_info.h>

#include "CellOperator.hpp"

namespace example {

using HostVector = dealii::LinearAlgebra::distributed::Vector<double, dealii::MemorySpace::Host>;
using HostMatrixFree = dealii::MatrixFree<dim, double>;
using Lanes = dealii::VectorizedArray<double>;

/// The operator with deal.II's matrices of a line
template <int degree>
CellOperator<degree> cell_operator(const Problem& problem) {
  const dealii::internal::MatrixFreeFunctions::ShapeInfo<double> shape(problem.quadrature,
                                                                       problem.element);
  const auto& line = shape.data.front();
  constexpr int n = CellOperator<degree>::n;
  CellOperator<degree> result;
  for (int i = 0; i < n; ++i)
    for (int q = 0; q < n; ++q) {
      result.B(q, i) = line.shape_values[i * n + q];
      result.G(q, i) = line.shape_gradients_collocation[i * n + q];
    }
  return result;
}

inline std::shared_ptr<const HostMatrixFree> host_matrix_free(const Problem& problem) {
  using namespace dealii;
  HostMatrixFree::AdditionalData options;
  options.tasks_parallel_scheme = HostMatrixFree::AdditionalData::none;
  options.mapping_update_flags = update_gradients | update_JxW_values | update_quadrature_points;
  auto result = std::make_shared<HostMatrixFree>();
  result->reinit(problem.mapping, problem.unknowns, problem.constraints, problem.quadrature,
                 options);
  return result;
}

/// What the operators on deal.II's MatrixFree share.
template <int degree>
class HostOperator : public dealii::EnableObserverPointer {
 public:
  using Vector = HostVector;
  using Evaluation = dealii::FEEvaluation<dim, degree, degree + 1, 1, double>;
  static constexpr int points = CellOperator<degree>::points;

  explicit HostOperator(std::shared_ptr<const HostMatrixFree> data) : data_(std::move(data)) {}

  Vector new_vector() const {
    Vector result;
    data_->initialize_dof_vector(result);
    return result;
  }

 protected:
  /// Index of the first of a batch's words, of which each point has so many
  static std::size_t first_word(unsigned int batch, int words) {
    return static_cast<std::size_t>(batch) * words * points;
  }
  /// y = A x by deal.II's loop, whose batches of cells a function computes
  template <class OfBatch>
  void loop(Vector& y, const Vector& x, const OfBatch& of_batch) const {
    data_->template cell_loop<Vector, Vector>(
        [&](const HostMatrixFree& data, Vector& to, const Vector& from,
            const std::pair<unsigned int, unsigned int>& batches) {
          Evaluation cells(data);
          for (unsigned int batch = batches.first; batch < batches.second; ++batch) {
            cells.reinit(batch);
            of_batch(cells, batch, to, from);
          }
        },
        y, x, true);
    for (const unsigned int i : data_->get_constrained_dofs())
      y.local_element(i) = x.local_element(i);
  }

  std::shared_ptr<const HostMatrixFree> data_;
};

/// By deal.II's evaluation, whose lanes are cells.
template <int degree>
class HostDealii : public HostOperator<degree> {
 public:
  using Base = HostOperator<degree>;
  using typename Base::Evaluation, typename Base::Vector;

  explicit HostDealii(std::shared_ptr<const HostMatrixFree> data) : Base(std::move(data)) {
    a_.resize(this->first_word(this->data_->n_cell_batches(), 1));
    Evaluation cells(*this->data_);
    for (unsigned int batch = 0; batch < this->data_->n_cell_batches(); ++batch) {
      cells.reinit(batch);
      for (const unsigned int q : cells.quadrature_point_indices())
        a_[this->first_word(batch, 1) + q] = coefficient(cells.quadrature_point(q));
    }
  }

  void vmult(Vector& y, const Vector& x) const {
    using namespace dealii;
    this->loop(y, x, [&](Evaluation& cells, unsigned int batch, Vector& to, const Vector& from) {
      const Lanes* const a = a_.data() + this->first_word(batch, 1);
      cells.gather_evaluate(from, EvaluationFlags::values | EvaluationFlags::gradients);
      for (const unsigned int q : cells.quadrature_point_indices()) {
        cells.submit_value(a[q] * cells.get_value(q), q);
        cells.submit_gradient(cells.get_gradient(q), q);
      }
      cells.integrate_scatter(EvaluationFlags::values | EvaluationFlags::gradients, to);
    });
  }

 private:
  dealii::AlignedVector<Lanes> a_;
};

/// deal.II's loop, gather and scatter, and between them this library.
template <int degree>
class HostContract : public HostOperator<degree> {
 public:
  using Base = HostOperator<degree>;
  using typename Base::Evaluation, typename Base::Vector;
  using Pack = KokkosContract::Pack<double, Lanes::size()>;
  using OfPoints = typename CellOperator<degree>::template WordsOfPoints<Pack>;
  using OfCells = typename CellOperator<degree>::template WordsOfCells<Pack>;
  static constexpr int points = Base::points, words = CellOperator<degree>::words;
  static_assert(sizeof(Pack) == sizeof(Lanes));

  HostContract(const Problem& problem, std::shared_ptr<const HostMatrixFree> data)
      : Base(std::move(data)),
        of_cells_(cell_operator<degree>(problem)),
        weights_(dealii::QGauss<dim>(degree + 1).get_weights()) {
    w_.resize(this->first_word(this->data_->n_cell_batches(), words));
    Evaluation cells(*this->data_);
    for (unsigned int batch = 0; batch < this->data_->n_cell_batches(); ++batch) {
      cells.reinit(batch);
      for (const unsigned int q : cells.quadrature_point_indices()) {
        // Row d, column i: the derivative of reference coordinate i along d
        const auto J = cells.inverse_jacobian(q);
        const Lanes weight = cells.JxW(q);
        const auto word = [&](int m) -> Lanes& {
          return w_[this->first_word(batch, words) + m * points + q];
        };
        int m = 0;
        for (int i = 0; i < dim; ++i)
          for (int j = i; j < dim; ++j, ++m) {
            Lanes sum = 0.;
            for (int d = 0; d < dim; ++d) sum += J[d][i] * J[d][j];
            word(m) = weight * sum;
          }
        word(m) = weight * coefficient(cells.quadrature_point(q));
      }
      if (is_affine(cells))
        for (int m = 0; m < 6; ++m) {
          const std::size_t first = this->first_word(batch, words);
          w_[first + m] = w_[first + m * points] / weights_[0];
        }
    }
  }

  // [host]
  void vmult(Vector& y, const Vector& x) const {
    const unsigned int last = this->data_->n_cell_batches() - 1;
    this->loop(y, x, [&](Evaluation& cells, unsigned int batch, Vector& to, const Vector& from) {
      cells.read_dof_values(from);
      Pack* const v = as_packs(cells.begin_dof_values());
      const Pack *const w = words_of(batch), *const next = words_of(std::min(batch + 1, last));
      if (is_affine(cells)) {
        of_cells_.apply(v, OfCells{w, w + 6 * points, next + 6 * points, weights_.data()});
      } else {
        of_cells_.apply(v, OfPoints{w, next});
      }
      cells.distribute_local_to_global(to);
    });
  }
  // [/host]

 private:
  /// Whether each cell of a batch has one Jacobian, whose words are the first six of the batch
  static bool is_affine(const Evaluation& cells) {
    return cells.get_cell_type() <= dealii::internal::MatrixFreeFunctions::affine;
  }
  /// A pack has the lanes of deal.II's VectorizedArray, in the same order.
  static Pack* as_packs(Lanes* lanes) { return reinterpret_cast<Pack*>(lanes); }
  const Pack* words_of(unsigned int batch) const {
    return reinterpret_cast<const Pack*>(w_.data() + this->first_word(batch, words));
  }

  CellOperator<degree> of_cells_;
  std::vector<double> weights_;
  dealii::AlignedVector<Lanes> w_;
};

}  // namespace example
