// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// deal.II's matrix-free classes for as many lanes as Vectorization.hpp says.
#include "Vectorization.hpp"

#if defined(EXAMPLE_WIDENED)
// Evaluations of the mapping, once for a mesh, are not compiled for each degree.
#define FE_EVAL_FACTORY_DEGREE_MAX 1
#include <deal.II/base/vectorization.h>
#include <deal.II/matrix_free/evaluation_template_face_factory.templates.h>
// Version 9.7 has one guard for this header and the next.
#undef dealii_matrix_free_evaluation_template_factory_templates_h
#include <deal.II/matrix_free/evaluation_template_factory.templates.h>
#include <deal.II/matrix_free/evaluation_template_factory_hanging_nodes.templates.h>
#include <deal.II/matrix_free/mapping_info.templates.h>
#include <deal.II/matrix_free/mapping_info_storage.templates.h>
#include <deal.II/matrix_free/matrix_free.templates.h>

DEAL_II_NAMESPACE_OPEN
using Lanes = VectorizedArray<double>;
template class MatrixFree<3, double, Lanes>;
template void MatrixFree<3, double, Lanes>::internal_reinit(
    const std::shared_ptr<hp::MappingCollection<3>>&, const std::vector<const DoFHandler<3>*>&,
    const std::vector<const AffineConstraints<double>*>&, const std::vector<IndexSet>&,
    const std::vector<hp::QCollection<3>>&, const AdditionalData&);
namespace internal {
template struct FEEvaluationFactory<3, Lanes>;
template struct FEFaceEvaluationFactory<3, Lanes>;
template struct FEEvaluationHangingNodesFactory<3, double, Lanes>;
namespace MatrixFreeFunctions {
template struct MappingInfo<3, double, Lanes>;
template struct MappingInfoStorage<2, 3, Lanes>;
template struct MappingInfoStorage<3, 3, Lanes>;
}  // namespace MatrixFreeFunctions
}  // namespace internal
DEAL_II_NAMESPACE_CLOSE
#endif
