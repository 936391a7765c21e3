# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The energies of one to four ranks, bit for bit, and what ranks do with bad input. Variables: PROGRAM, MPIEXEC, RANKS
# (mpirun's option), DATA (a molecule), FOLDER (for what it writes).

# run(argument-of-mpirun...): sets `status` and `output`.
macro(run)
  execute_process(
    COMMAND "${MPIEXEC}" ${ARGN}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
    TIMEOUT 60)
endmacro()

# expect_energies(ranks message argument...): the energies are those of the first such call with `case`.
function(expect_energies case ranks message)
  run(${RANKS} ${ranks} "${PROGRAM}" --repeat 1 --exact ${ARGN})
  string(REGEX MATCH "exactly [^\n]+" energies "${output}")
  if(NOT status STREQUAL 0 OR NOT energies OR NOT output MATCHES "${message}")
    message(SEND_ERROR "${ranks} rank(s), ${ARGN}: expected '${message}', got status ${status} and '${output}'")
  endif()
  if(NOT DEFINED energies_of_${case})
    set(energies_of_${case} "${energies}" PARENT_SCOPE)
  elseif(NOT energies STREQUAL energies_of_${case})
    message(SEND_ERROR "${ranks} rank(s), ${ARGN}: ${energies}, not ${energies_of_${case}}")
  endif()
endfunction()

foreach(ranks RANGE 1 4)
  expect_energies(molecule ${ranks} "E.T.[^\n]*ok.*E.T.[^\n]*ok" --replicate yes)
  expect_energies(molecule ${ranks} "2 of 2 blocks.*E.T.[^\n]*ok.*E.T.[^\n]*ok" --replicate no)
endforeach()
expect_energies(all 1 "E.T." --scale 2 35)
expect_energies(ordered 1 "E.T." --scale 4 35 --ordered)
foreach(ranks IN ITEMS 1 3)
  expect_energies(all ${ranks} "room for 4 of 5 blocks of 8 virtual" --scale 2 35 --memory 500000)
  expect_energies(ordered ${ranks} "room for 4 of 5 blocks of 8 virtual" --scale 4 35 --ordered --memory 1200000)
endforeach()

# expect_refused(message argument-of-mpirun...): status 2, and one message.
function(expect_refused message)
  run(${ARGN})
  string(REGEX MATCHALL "ccsd_triples: [^\n;]*" messages "${output}")
  list(LENGTH messages count)
  if(NOT status STREQUAL 2 OR NOT count EQUAL 1 OR NOT messages MATCHES "${message}")
    message(SEND_ERROR "${ARGN}: expected status 2 and '${message}' once, got status ${status} and '${output}'")
  endif()
endfunction()

expect_refused("unknown option '--such'" ${RANKS} 3 "${PROGRAM}" --such)
expect_refused("unknown option '--such'" ${RANKS} 1 "${PROGRAM}" : ${RANKS} 1 "${PROGRAM}" --such)
expect_refused("the ranks have different options" ${RANKS} 1 "${PROGRAM}" --repeat 1 : ${RANKS} 1 "${PROGRAM}" --repeat 2)
expect_refused("option --variant: bad value 'fast'" ${RANKS} 2 "${PROGRAM}" --variant fast)
expect_refused("option --memory: blocks of 8 virtual orbitals need [0-9]+ bytes" ${RANKS} 2 "${PROGRAM}" --memory 1000)

# A file that only one of the ranks has, that is shorter there, or that has another molecule there.
file(MAKE_DIRECTORY "${FOLDER}/whole" "${FOLDER}/other" "${FOLDER}/none")
file(COPY_FILE "${DATA}" "${FOLDER}/whole/x.kct")
set(here -wdir "${FOLDER}/whole" "${PROGRAM}" --data x.kct)
file(REMOVE "${FOLDER}/other/x.kct")
expect_refused("x.kct: cannot open" ${RANKS} 1 ${here} : ${RANKS} 1 -wdir "${FOLDER}/none" "${PROGRAM}" --data x.kct)
execute_process(COMMAND head -c 100000 "${DATA}" OUTPUT_FILE "${FOLDER}/other/x.kct")
expect_refused("x.kct is too short" ${RANKS} 1 ${here} : ${RANKS} 1 -wdir "${FOLDER}/other" "${PROGRAM}" --data x.kct)
