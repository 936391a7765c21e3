// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A box whose six faces bulge outwards, in 27-node hexahedra. Make curved_box.msh with
//
//   gmsh curved_box.geo -
//
// The domain is the image of the cube [-1, 1]^3 under the quadratic map
//
//   x = s(c) a,   y = s(c) b,   z = t(a, b) c,
//   s(c) = 1 + (1 - c^2) / 4,   t(a, b) = 1 + (2 - a^2 - b^2) / 8.
//
// det J = s^2 t - s c^2 (a^2 + b^2) / 8 is a polynomial; its integral, the volume, is
//
//   (164 / 15) (7 / 6) - (11 / 15) (8 / 3) / 8 = 563 / 45 exactly.
//
// Gmsh spaces nodes by arc length. On a curve that gives 27-node elements whose faces leave the
// exact quadratic surface. So the mesh is made on the straight cube, where arc length and curve
// parameter agree; then the edges are bent and the nodes are moved to the same parameters.

n = 7;          // nodes along an edge: (n - 1)^3 elements
side = 1 / 4;   // how far the middle of an upright edge moves, in x and in y
cap = 1 / 8;    // how far the middle of a top or bottom edge moves, in z

// Corners of the cube: the bottom counter-clockwise, then the top.
Point(1) = {-1, -1, -1};  Point(2) = {1, -1, -1};  Point(3) = {1, 1, -1};  Point(4) = {-1, 1, -1};
Point(5) = {-1, -1,  1};  Point(6) = {1, -1,  1};  Point(7) = {1, 1,  1};  Point(8) = {-1, 1,  1};

// Edges 1-4 at the bottom, 5-8 at the top, 9-12 upright. Each is a cubic Bezier curve with its
// inner control points (100 + 2 e and 101 + 2 e) at the thirds, hence straight and uniform.
from[] = {1, 2, 3, 4,  5, 6, 7, 8,  1, 2, 3, 4};
to[]   = {2, 3, 4, 1,  6, 7, 8, 5,  5, 6, 7, 8};
For e In {0 : 11}
  p[] = Point{from[e]};
  q[] = Point{to[e]};
  Point(100 + 2 * e) = {(2 * p[0] + q[0]) / 3, (2 * p[1] + q[1]) / 3, (2 * p[2] + q[2]) / 3};
  Point(101 + 2 * e) = {(p[0] + 2 * q[0]) / 3, (p[1] + 2 * q[1]) / 3, (p[2] + 2 * q[2]) / 3};
  Bezier(e + 1) = {from[e], 100 + 2 * e, 101 + 2 * e, to[e]};
EndFor

// A face is the transfinite (Coons) surface between its four edges.
Curve Loop(1) = {1, 2, 3, 4};  Surface(1) = {1};
Curve Loop(2) = {5, 6, 7, 8};  Surface(2) = {2};
For k In {0 : 3}
  Curve Loop(3 + k) = {1 + k, 9 + (k + 1) % 4, -(5 + k), -(9 + k)};
  Surface(3 + k) = {3 + k};
EndFor
Surface Loop(1) = {1 : 6};
Volume(1) = {1};

Physical Volume("curved box", 1) = {1};
Physical Surface("boundary", 2) = {1 : 6};

Transfinite Curve {1 : 12} = n;
Transfinite Surface {1 : 6};
Recombine Surface {1 : 6};
Transfinite Volume {1};
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 0;  // 27 nodes, not 20
Mesh 3;

// Bend the edges. Moving both inner control points by 4/3 h adds 4 h u (1 - u): a parabola of
// height h, in the curve's own parameter.
For k In {0 : 3}
  Translate {0, 0, -4 / 3 * cap} { Point{100 + 2 * k, 101 + 2 * k}; }
  Translate {0, 0,  4 / 3 * cap} { Point{108 + 2 * k, 109 + 2 * k}; }
  p[] = Point{1 + k};
  Translate {4 / 3 * side * p[0], 4 / 3 * side * p[1], 0} { Point{116 + 2 * k, 117 + 2 * k}; }
EndFor
RelocateMesh Curve {1 : 12};
RelocateMesh Surface {1 : 6};

// The nodes inside follow like those of an elastic body; the boundary stays as it is.
OptimizeMesh "HighOrderElastic";

Mesh.MshFileVersion = 4.1;
Save "curved_box.msh";
