// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>
#include <vector>

namespace example {

/// A hexahedron as the image of [-1, 1]^3 under its triquadratic map. It has the coordinates of the
/// 27 nodes at {-1, 0, 1}^3, numbered with the first direction fastest.
using Hexahedron = std::array<std::array<double, 3>, 27>;

/// Elements with their own node coordinates, as element kernels use them.
using Mesh = std::vector<Hexahedron>;

/// Reads the hexahedra of a Gmsh 4.1 ASCII file: those of 27 nodes, and those of 8 nodes, whose
/// trilinear map is a triquadratic one, too. Elements of other types (points, lines, faces, ...)
/// are skipped.
/// \throws std::runtime_error naming file and line if the file is malformed or an element's
///         Jacobian determinant is not positive
Mesh read_gmsh(const std::string& path);

/// The volume of the mesh, with n^3 Gauss points per element; n = 3 is exact.
double volume(const Mesh& mesh, int n);

/// [-1, 1]^3 itself as one element, where polynomials of x, y and z are those of the element.
Mesh straight_cube();

/// n^3 elements: the image of [-1, 1]^3 under a map that bends all lines but keeps their order.
Mesh curved_box(int n);

}  // namespace example
