# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Many jobs at once, for the scripts that source this.

# each FUNCTION ARGUMENT...: FUNCTION, which is exported, once for each argument, several at a time. On a terminal it
# says how many are done, and how long the others will take.
each() {
  local what=$1 mark='' job
  shift
  [ $# != 0 ] || return 0
  if [ -t 2 ]; then mark='echo "job done";'; fi
  job=$what' "$1"; status=$?; '$mark' exit $status'
  start() { printf '%s\0' "$@" | xargs -0 -n 1 -P "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" bash -c "$job" "$what"; }
  if [ -z "$mark" ]; then
    start "$@"
  else
    start "$@" 2>&1 | with_progress $#
    return "${PIPESTATUS[0]}"
  fi
}

# with_progress TOTAL: passes lines on, but for those that say that a job is done.
with_progress() {
  local total=$1 finished=0 begin=$SECONDS line left='' clear=$'\r\033[K'
  printf '[0 of %d]' "$total" >&2
  while IFS= read -r line; do
    printf '%s' "$clear" >&2
    if [ "$line" = "job done" ]; then
      finished=$((finished + 1))
      left=$(((SECONDS - begin) * (total - finished) / finished))
      left=", $((left / 60)):$(printf '%02d' $((left % 60))) left"
    else
      printf '%s\n' "$line"
    fi
    printf '[%d of %d%s]' $finished "$total" "$left" >&2
  done
  printf '%s' "$clear" >&2
}

# half NAME...: the names, a line each; with KOKKOSCONTRACT_HALF=0 or 1 every second one, from the first or second on.
half() {
  printf '%s\n' "$@" | awk -v half="${KOKKOSCONTRACT_HALF:-}" 'half == "" || NR % 2 != half'
}

# needs_other_libraries SOURCE: whether it is for libraries that the roots of compile checks do not have.
needs_other_libraries() {
  [[ $1 == *[kK]okkos*[kK]ernels* ]] || grep -qE '^#include <(deal\.II|Tpetra|Belos|Intrepid2)' "$1"
}
