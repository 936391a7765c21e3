# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the program does with good and bad input. Damages a good mesh in many ways, one at a time:
# the program must name file and line, and end with status 2. Likewise for options.
# Variables: PROGRAM, MESH (the good one), FOLDER (for bad ones).

file(READ "${MESH}" good)
string(REGEX MATCHALL "\n" lines "${good}")
list(LENGTH lines last_line)
math(EXPR last_element "${last_line} - 1")
file(MAKE_DIRECTORY "${FOLDER}")

# expect(status message argument...): `message` is a regular expression for what the program prints.
function(expect expected message)
  execute_process(
    COMMAND "${PROGRAM}" ${ARGN}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
  if(NOT status STREQUAL expected OR NOT "${output}${errors}" MATCHES "${message}")
    message(SEND_ERROR "${ARGN}: expected status ${expected} and '${message}', "
                       "got status ${status} and '${output}${errors}'")
  endif()
endfunction()

# expect_bad_mesh(name content line message)
function(expect_bad_mesh name content line message)
  if(content STREQUAL good)
    message(SEND_ERROR "${name}: the mesh is not damaged")
  endif()
  file(WRITE "${FOLDER}/${name}.msh" "${content}")
  expect(2 "/${name}\\.msh:${line}: ${message}" --mesh "${FOLDER}/${name}.msh")
endfunction()

# expect_damage(name from to line message): with the first match of `from` replaced
function(expect_damage name from to line message)
  string(REGEX MATCH "${from}" match "${good}")
  string(REGEX REPLACE "${from}" "${to}" replacement "${match}")
  string(FIND "${good}" "${match}" position)
  string(LENGTH "${match}" length)
  string(SUBSTRING "${good}" 0 ${position} before)
  math(EXPR end "${position} + ${length}")
  string(SUBSTRING "${good}" ${end} -1 after)
  expect_bad_mesh(${name} "${before}${replacement}${after}" "${line}" "${message}")
endfunction()

# --- Bad meshes -----------------------------------------------------------------------------------

expect_bad_mesh(empty "" 1 "not a Gmsh mesh")
expect_bad_mesh(other "solid cube\n" 1 "not a Gmsh mesh")
expect_damage(version "4\\.1 0 8" "2.2 0 8" 2 "format version 2\\.2 is not supported")
expect_damage(binary "4\\.1 0 8" "4.1 1 8" 2 "this is a binary file")
expect_damage(format_short "4\\.1 0 8" "4.1 0" 2 "expected 3 numbers .version, file type, data size.")
expect_damage(format_open "\\$EndMeshFormat" "" "[0-9]+" "expected \\$EndMeshFormat")
expect_damage(section_open "\\$EndEntities" "" 9 "\\$Entities begins here and does not end")
expect_damage(outside "\\$EndMeshFormat" "$EndMeshFormat\n1 2 3" 4 "expected the beginning of a section")

expect_damage(word "\n-1 -1 -1\n" "\n-1 one -1\n" "[0-9]+" "'one' is not a finite number")
expect_damage(half_word "\n-1 -1 -1\n" "\n-1 -1x -1\n" "[0-9]+" "'-1x' is not a finite number")
expect_damage(nan "\n-1 -1 -1\n" "\n-1 nan -1\n" "[0-9]+" "'nan' is not a finite number")
expect_damage(two_coordinates "\n-1 -1 -1\n" "\n-1 -1\n" "[0-9]+" "expected 3 numbers .node coordinates., found 2")
expect_damage(negative_count "\n0 1 0 1\n" "\n0 1 0 -1\n" "[0-9]+" "'-1' is not a whole number >= 0")
expect_damage(huge_count "\n0 1 0 1\n" "\n0 1 0 99999999999\n" "[0-9]+" "expected 1 numbers .a node tag., found 3")
expect_damage(dimension "\n0 1 0 1\n" "\n7 1 0 1\n" "[0-9]+" "an entity dimension must be")
expect_damage(twice "\n0 2 0 1\n2\n" "\n0 2 0 1\n1\n" "[0-9]+" "node 1 appears twice")
expect_damage(node_count "\\$Nodes\n27 2197" "$Nodes\n27 2198" "[0-9]+" "\\$Nodes announced 2198 nodes and holds 2197")

expect_damage(unknown_node "[0-9]+ \n\\$EndElements" "9999 \n$EndElements" ${last_element} "node 9999 is not in \\$Nodes")
expect_damage(few_nodes "[0-9]+ \n\\$EndElements" "\n$EndElements" ${last_element} "expected 28 numbers .*, found 27")
expect_damage(inverted "\n217 ([0-9]+) ([0-9]+) ([0-9]+) " "\n217 \\2 \\1 \\3 " "[0-9]+"
              "element 217 is inverted or degenerate: its smallest Jacobian determinant is -")
expect_damage(flat "\n217 ([0-9]+) ([0-9]+) " "\n217 \\1 \\1 " "[0-9]+" "element 217 is inverted or degenerate")
expect_damage(no_hexahedra "\n3 1 12 216\n" "\n3 1 17 216\n" "[0-9]+" "no hexahedra")
expect_damage(element_count "\\$Elements\n7 432" "$Elements\n7 431" "[0-9]+" "\\$Elements announced 431 elements and holds 432")
expect_damage(few_elements "\n3 1 12 216\n" "\n3 1 12 217\n" ${last_line} "'.EndElements' where an element tag")
expect_damage(many_elements "\n3 1 12 216\n" "\n3 1 12 215\n" "[0-9]+" "\\$Elements announced 432")

string(REGEX MATCH "^.*\\$EndNodes\n" no_elements "${good}")
expect_bad_mesh(no_elements "${no_elements}" "[0-9]+" "the file ends without a section \\$Elements")
string(LENGTH "${no_elements}" nodes_end)
foreach(part 2 3 5)
  math(EXPR length "${nodes_end} / ${part}")
  string(SUBSTRING "${good}" 0 ${length} truncated)
  expect_bad_mesh(truncated_nodes_${part} "${truncated}" "[0-9]+" "(the file ends inside .Nodes|expected 3 numbers)")
endforeach()
math(EXPR length "${nodes_end} + 2000")
string(SUBSTRING "${good}" 0 ${length} truncated)
expect_bad_mesh(truncated_elements "${truncated}" "[0-9]+" "this block of elements is too short")

# --- Options --------------------------------------------------------------------------------------

expect(2 "no_such_file: cannot open" --mesh no_such_file)
expect(2 "unknown option '--ordr'" --ordr 2)
expect(2 "unknown option 'mesh.msh'" mesh.msh)
expect(2 "option --order needs a value" --order)
expect(2 "option --order: bad value '5', expected a whole number from 1 to 4; see --help" --order 5)
expect(2 "option --order: bad value '2x'" --order=2x)
expect(2 "option --refine: bad value '-1'" --refine -1)
expect(2 "option --repeat: bad value '0'" --repeat 0)
expect(2 "option --volume: bad value 'nan'" --volume nan)
expect(0 "Usage: fused_element_pipeline" --order 3 --help)

# --- A good mesh, and a check that fails ----------------------------------------------------------

# The unit cube as one 8-node hexahedron: sparse tags in any order, parametric coordinates, elements
# of other types, unknown sections and an unused node
file(
  WRITE "${FOLDER}/cube.msh"
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Comments\n$Nodes\n$EndComments\n"
  "$Nodes\n2 9 5 1000\n2 7 1 4\n40\n30\n20\n10\n0 1 0 .1 .2\n1 1 0 .1 .2\n1 0 0 .1 .2\n0 0 0 .1 .2\n"
  "3 1 0 5\n5\n6\n7\n8\n1000\n0 0 1\n1 0 1\n1 1 1e0\n0 1 1\n9 9 9\n$EndNodes\n"
  "$Elements\n2 2 1 9\n2 7 3 1\n9 10 20 30 40\n3 1 5 1\n1 10 20 30 40 5 6 7 8\n$EndElements\n")
expect(0 "1 hexahedra, refined 1 times: 8 elements.*All checks passed"
       --mesh "${FOLDER}/cube.msh" --volume 1 --order=1 --refine 1 --repeat 1)
expect(0 "All checks passed" --mesh "${FOLDER}/cube.msh" --refine 1 --repeat 1)
expect(1 "volume of the mesh.*FAILED.*A check FAILED"
       --mesh "${FOLDER}/cube.msh" --volume 1.001 --order=1 --refine 1 --repeat 1)
