#!/usr/bin/env bash
# fused_faults.sh - no rank waits without end when a peer dies, is late or skips a fused operator
set -euo pipefail
bin="$MUSTER_BUILD/lib/muster/sim/bin"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
unset LD_LIBRARY_PATH NPU_SIM_FAULTS ASCEND_RT_VISIBLE_DEVICES
export NPU_SIM_CARDS=4

# expect COUNT ERROR PROGRAM...: COUNT ranks end with ERROR, and the program with 1
expect() {
    local count=$1 error=$2 status=0
    shift 2
    timeout 60 "$bin/$1" "${@:2}" >"$folder/out" 2>&1 || status=$?
    [ $status = 1 ] || complain "$*: exit status $status, expected 1: $(cat "$folder/out")"
    [ "$(grep -c "^error $error: aclrtSynchronizeStream" "$folder/out")" = "$count" ] ||
        complain "$*: error $error not $count times: $(cat "$folder/out")"
}
for program in matmul_all_reduce all_gather_matmul distribute_barrier; do
    # the other ranks notice the death of a rank at once, long before a time limit
    expect 3 507057 $program --ranks 4 --launches 3 --crash 2 --at 1
    # the other ranks wait for a late rank
    output=$("$bin/$program" --ranks 4 --launches 3 --late 1 --late-ms 300 --at 1) || complain "$program: a late rank"
    grep -q ' wrong=0 result=ok$' <<<"$output" || complain "$program: a late rank: $output"
done
# a rank that skips a launch ends all ranks when HCCL_EXEC_TIMEOUT passes
HCCL_EXEC_TIMEOUT=1 expect 1 507048 matmul_all_reduce --ranks 2 --launches 2 --skip 1 --at 1
exit $bad
