# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The program on several ranks: its results are those of one rank, and bad input ends all ranks with one message.
# Variables: PROGRAM, CHECK (results or input), MPIRUN, FLAG (mpirun's, before the number of ranks), FOLDER (for files).

set(start "${MPIRUN}" "${FLAG}")

file(REMOVE_RECURSE "${FOLDER}")  # what another run has left
file(MAKE_DIRECTORY "${FOLDER}/a" "${FOLDER}/b")

# run(argument...): sets status, output and errors.
macro(run)
  execute_process(
    COMMAND ${ARGN}
    WORKING_DIRECTORY "${FOLDER}/a"
    TIMEOUT 100
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
endmacro()

# --- Results of each mesh: elements, unknowns, iterations and the error, whose mantissa has eleven digits
function(read_results file results)
  file(STRINGS "${file}" lines REGEX "^[0-9]")
  set(all "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+,[0-9]+,[0-9]+),([0-9])\\.([0-9]+)e-0?([0-9]+),([0-9]+)," ignored "${line}")
    list(APPEND all "${CMAKE_MATCH_1},${CMAKE_MATCH_5}" ${CMAKE_MATCH_2}${CMAKE_MATCH_3} ${CMAKE_MATCH_4})
  endforeach()
  set(${results} "${all}" PARENT_SCOPE)
endfunction()

# Sums are rounded differently, so the errors may differ in the last of ten digits, or by 1e-12 of the solution.
function(compare_results what results expected)
  list(LENGTH results count)
  list(LENGTH expected length)
  if(count EQUAL 0 OR NOT count EQUAL length)
    message(SEND_ERROR "${what}: '${results}' instead of '${expected}'")
    return()
  endif()
  math(EXPR last "${length} - 1")
  foreach(i RANGE 0 ${last} 3)
    list(SUBLIST results ${i} 3 result)
    list(SUBLIST expected ${i} 3 one)
    list(GET one 0 numbers)
    list(GET one 1 mantissa)
    list(GET one 2 exponent)
    list(GET result 1 difference)
    math(EXPR difference "${difference} - ${mantissa}")
    string(REPLACE "-" "" difference "${difference}")
    set(allowed 10)
    if(exponent GREATER 3)
      math(EXPR zeros "${exponent} - 3")
      string(REPEAT 0 ${zeros} zeros)
      set(allowed "1${zeros}0")
    endif()
    list(GET result 0 numbers_of_result)
    list(GET result 2 exponent_of_result)
    if(NOT numbers STREQUAL numbers_of_result OR NOT exponent EQUAL exponent_of_result OR difference GREATER allowed)
      message(SEND_ERROR "${what}: '${result}' instead of '${one}'")
    endif()
  endforeach()
endfunction()

if(CHECK STREQUAL "results")
  foreach(case IN ITEMS "--box;2;--unknowns;4000" "--mesh;curved;--order;3;--refine;1")
    foreach(ranks RANGE 1 4)
      run(${start} ${ranks} "${PROGRAM}" --quiet --csv u.csv ${case})
      if(NOT status STREQUAL 0)
        message(SEND_ERROR "${case}, ${ranks} ranks: status ${status}, '${output}${errors}'")
        continue()
      endif()
      read_results("${FOLDER}/a/u.csv" results)
      if(ranks EQUAL 1)
        set(expected "${results}")
      endif()
      compare_results("${case}, ${ranks} ranks" "${results}" "${expected}")
    endforeach()
  endforeach()
  # Bake-off problems: the same meshes, and the same residual after a few iterations
  foreach(problem IN ITEMS bp2 bp5)
    foreach(ranks RANGE 1 3)
      run(${start} ${ranks} "${PROGRAM}" --problem ${problem} --order 2 --unknowns 9000 --iterations 5)
      string(REGEX MATCHALL "\n +2 +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+e[-+][0-9]+" results "${output}")
      if(ranks EQUAL 1)
        set(expected "${results}")
      endif()
      if(NOT status STREQUAL 0 OR NOT results OR NOT results STREQUAL expected)
        message(SEND_ERROR "${problem}, ${ranks} ranks: '${results}' instead of '${expected}'; status ${status}, '${errors}'")
      endif()
    endforeach()
  endforeach()
  return()
endif()

# The file for ParaView: 4 * 4 * 4 elements of order 1, where each rank has its own nodes
run(${start} 2 "${PROGRAM}" --quiet --box 4 --order 1 --refine 0 --vtk u.vtk)
file(READ "${FOLDER}/a/u-1.vtk" vtk)
if(NOT vtk MATCHES "POINTS 150 double" OR NOT vtk MATCHES "CELLS 64 576" OR NOT vtk MATCHES "POINT_DATA 150")
  message(SEND_ERROR "u-1.vtk is not what it should be")
endif()

# --- Bad input. expect(message argument...): of mpirun
function(expect message)
  run(${ARGN})
  string(REPLACE ";" "," errors "${errors}")
  string(REGEX MATCHALL "poisson_cg: [^\n]*" messages "${errors}")
  list(LENGTH messages count)
  if(NOT status STREQUAL 2 OR NOT count EQUAL 1 OR NOT messages MATCHES "${message}")
    message(SEND_ERROR "${ARGN}: expected status 2 and the message '${message}', "
                       "got status ${status} and '${output}${errors}'")
  endif()
endfunction()

set(one "${PROGRAM}" --quiet --order 1 --refine 0)
expect("more ranks \\(3\\) than elements \\(1\\)" ${start} 3 ${one} --box 1)
expect("the ranks have different options" ${start} 1 ${one} --box 2 : ${FLAG} 1 ${one} --box 3)
expect("option --box: bad value '0'" ${start} 1 ${one} --box 2 : ${FLAG} 1 ${one} --box 0)

# Two cubes that do not touch, and one of them
function(write_cubes file elements)
  list(LENGTH elements count)
  math(EXPR nodes "8 * ${count}")
  math(EXPR last "${nodes} - 1")
  set(tags "")
  set(positions "")
  foreach(i RANGE ${last})
    math(EXPR tag "${i} + 1")
    math(EXPR x "${i} / 8 * 3 + (((${i} % 4) + 1) / 2) % 2")
    math(EXPR y "${i} % 4 / 2")
    math(EXPR z "${i} % 8 / 4")
    string(APPEND tags "${tag}\n")
    string(APPEND positions "${x} ${y} ${z}\n")
  endforeach()
  string(JOIN "\n" rows ${elements})
  file(
    WRITE "${file}"
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 ${nodes} 1 ${nodes}\n3 1 0 ${nodes}\n${tags}${positions}$EndNodes\n"
    "$Elements\n1 ${count} 1 ${count}\n3 1 5 ${count}\n${rows}\n$EndElements\n")
endfunction()
write_cubes("${FOLDER}/a/two.msh" "1 1 2 3 4 5 6 7 8;2 9 10 11 12 13 14 15 16")
write_cubes("${FOLDER}/a/only_here.msh" "1 1 2 3 4 5 6 7 8")
set(in_a -wdir "${FOLDER}/a")
set(in_b -wdir "${FOLDER}/b")
expect("2 parts that do not touch" ${start} 2 "${PROGRAM}" --quiet --mesh two.msh --order 2 --refine 1)
set(one "${PROGRAM}" --quiet --mesh only_here.msh --order 2 --refine 1)
expect("only_here.msh: cannot open" ${start} 1 ${in_a} ${one} : ${FLAG} 1 ${in_b} ${one})
write_cubes("${FOLDER}/b/only_here.msh" "1 1 2 3 4 5 6 7 8;2 9 10 11 12 13 14 15 16")
expect("the ranks read different meshes" ${start} 1 ${in_a} ${one} : ${FLAG} 1 ${in_b} ${one})
expect("cannot write this file" ${start} 2 "${PROGRAM}" --quiet --box 2 --order 1 --refine 0 --csv no/such/u.csv)
expect("cannot write this file" ${start} 2 "${PROGRAM}" --quiet --box 2 --order 1 --refine 0 --vtk no/such/u.vtk)
