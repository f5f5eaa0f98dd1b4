#!/usr/bin/env bash
# operators.sh [WRAPPER...] - each operator runs alone with a right and repeatable result
#
# Then the same on the other build of the runtime.
set -euo pipefail
bin="$MUSTER_BUILD/lib/muster/sim/bin"
hidden="$MUSTER_BUILD/lib/muster/sim/hidden/lib64"
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
# the programs find the libraries by their own run path
unset LD_LIBRARY_PATH NPU_SIM_FAULTS NPU_SIM_CARDS ASCEND_RT_VISIBLE_DEVICES

while read -r line; do
    read -ra words <<<"$line"
    first=$("$@" "$bin/${words[0]}" "${words[@]:1}") || complain "$line: exit $?"
    grep -q ' wrong=0 result=ok$' <<<"$first" || complain "$line: $first"
    [ "$first" = "$(LD_LIBRARY_PATH=$hidden "$bin/${words[0]}" "${words[@]:1}")" ] ||
        complain "$line: different output on the hidden runtime"
done <<'RUNS'
add_custom
add_custom --n 1 --blocks 40
add_custom --device-args 1 --launches 3
matmul_custom
matmul_custom --m 5 --n 33 --k 7 --blocks 9
accumulate_inplace
accumulate_inplace --launches 4 --n 1000
RUNS

for program in add_custom matmul_custom accumulate_inplace; do
    "$bin/$program" --help >/dev/null || complain "$program --help: exit $?"
    status=0
    "$bin/$program" --n nothing 2>/dev/null || status=$?
    [ $status = 2 ] || complain "$program: exit status $status for an invalid option, expected 2"
    status=0
    NPU_SIM_CARDS=0 "$bin/$program" >/dev/null 2>&1 || status=$?
    [ $status = 1 ] || complain "$program: exit status $status without a card, expected 1"
done
# ASCEND_RT_VISIBLE_DEVICES selects a card; a missing card is an error
ASCEND_RT_VISIBLE_DEVICES=1 "$bin/add_custom" >/dev/null || complain "add_custom failed on the visible card 1"
! ASCEND_RT_VISIBLE_DEVICES=5 "$bin/add_custom" >/dev/null 2>&1 || complain "add_custom succeeded on card 5 of 2"
exit $bad
