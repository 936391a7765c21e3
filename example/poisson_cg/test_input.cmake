# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the program does with good and bad input. Variables: PROGRAM, FOLDER (for what it writes).

file(MAKE_DIRECTORY "${FOLDER}")

# expect(status message argument...): `message` is a regular expression for what the program prints.
function(expect expected message)
  execute_process(
    COMMAND "${PROGRAM}" --quiet ${ARGN}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
  if(NOT status STREQUAL expected OR NOT "${output}${errors}" MATCHES "${message}")
    message(SEND_ERROR "${ARGN}: expected status ${expected} and '${message}', "
                       "got status ${status} and '${output}${errors}'")
  endif()
endfunction()

expect(0 "Usage: poisson_cg" --help)
expect(2 "option --preconditioner: bad value 'ilu', expected jacobi or multigrid" --preconditioner ilu)
expect(2 "unknown option '--ordr'" --ordr 2)
expect(2 "option --order needs a value" --order)
expect(2 "option --order: bad value '9'" --order 9)
expect(2 "option --refine: bad value '-1'" --refine=-1)
expect(2 "option --box: bad value '0x'" --box 0x)
expect(2 "no_such_file: cannot open" --mesh no_such_file)
expect(2 "option --problem: bad value 'bp7', expected one of bp1 to bp6" --problem bp7)
expect(2 "option --unknowns: no mesh has so few" --problem bp5 --order 2 --unknowns 20)
expect(2 "option --refine: too many unknowns" --problem bp3 --order 2 --box 64 --refine 8)
expect(0 " 8 +27 +27 .*order 2: best" --problem bp3 --order 2 --box 1 --refine 1 --iterations 3)
expect(2 "cannot write this file" --problem bp5 --order 2 --csv "${FOLDER}/no/such/folder/u.csv")
expect(2 "all nodes are on the boundary" --box 1 --order 1 --refine 0)
expect(2 "cannot write this file" --box 2 --order 1 --refine 0 --vtk "${FOLDER}/no/such/folder/u.vtk")
expect(2 "cannot write this file" --box 2 --order 1 --refine 0 --csv "${FOLDER}/no/such/folder/u.csv")

file(WRITE "${FOLDER}/bad.msh" "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n")
expect(2 "bad\\.msh:2: format version 2\\.2 is not supported" --mesh "${FOLDER}/bad.msh")

# Two cubes side by side, whose common face has nodes at the same places under different numbers
file(
  WRITE "${FOLDER}/cubes.msh"
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 16 1 16\n3 1 0 16\n"
  "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n"
  "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
  "1 0 0\n2 0 0\n2 1 0\n1 1 0\n1 0 1\n2 0 1\n2 1 1\n1 1 1\n$EndNodes\n"
  "$Elements\n1 2 1 2\n3 1 5 2\n1 1 2 3 4 5 6 7 8\n2 9 10 11 12 13 14 15 16\n$EndElements\n")
# 3 x 3 x 5 nodes, 1 x 1 x 3 of them inside
expect(0 " 2 +2 +3 .*errors fall as they must" --mesh "${FOLDER}/cubes.msh" --order 2 --refine 0)

# The file for ParaView: 27 nodes of the cube's one element of order 2, and 8 cells
expect(0 "errors fall as they must" --order 2 --refine 0 --vtk "${FOLDER}/u.vtk")
file(READ "${FOLDER}/u-2.vtk" vtk)
if(NOT vtk MATCHES "POINTS 27 double" OR NOT vtk MATCHES "CELLS 8 72" OR NOT vtk MATCHES "POINT_DATA 27")
  message(SEND_ERROR "u-2.vtk is not what it should be")
endif()
