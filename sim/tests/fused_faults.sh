#!/usr/bin/env bash
# fused_faults.sh - a rank that dies, is late or leaves a fused operator out: nobody waits for ever
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

# expect HOW-MANY ERROR PROGRAM...: so many ranks end with this error, and the program with 1
expect() {
    local count=$1 error=$2 status=0
    shift 2
    timeout 60 "$bin/$1" "${@:2}" >"$folder/out" 2>&1 || status=$?
    [ $status = 1 ] || complain "$*: ended with $status: $(cat "$folder/out")"
    [ "$(grep -c "^error $error: aclrtSynchronizeStream" "$folder/out")" = "$count" ] ||
        complain "$*: not $count times $error: $(cat "$folder/out")"
}
for program in matmul_all_reduce all_gather_matmul distribute_barrier; do
    # the others hear of the death of a rank at once, long before any time is up
    expect 3 507057 $program --ranks 4 --launches 3 --crash 2 --at 1
    # a rank that is late is waited for
    said=$("$bin/$program" --ranks 4 --launches 3 --late 1 --late-ms 300 --at 1) || complain "$program: a late rank"
    grep -q ' wrong=0 result=ok$' <<<"$said" || complain "$program: a late rank: $said"
done
# one that leaves a launch out ends all when HCCL_EXEC_TIMEOUT is over
HCCL_EXEC_TIMEOUT=1 expect 1 507048 matmul_all_reduce --ranks 2 --launches 2 --skip 1 --at 1
exit $bad
