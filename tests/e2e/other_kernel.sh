#!/usr/bin/env bash
# other_kernel.sh - a rank that runs another program than its peers is named as the reason,
# and the task is attempted once: when it meets them in a collective, and when it does not
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
export NPU_SIM_CARDS=3
sim=$B/lib/muster/sim/bin
differs() { # NAME PROGRAM TIME REASON: rank 1 runs the program, and the reason names it
    local code=0 reason
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {command: [/bin/sh, -c, "[ \$RANK_ID != 1 ] || exec $2; exec $sim/matmul_all_reduce_inplace"], ranks: 3}
profile: {metrics: [PipeUtilization], warmup: 0, kernel: "*"}
limits: {time: $3}
YAML
    muster run --quiet --out "out.$1" "$1.yaml" >/dev/null 2>"stderr.$1" || code=$?
    [ "$code" -eq 1 ] || fail "$1: exit $code"
    reason=$(sqlite3 -batch -noheader "out.$1/store/muster.db" 'select reason from attempts')
    [[ $reason =~ $4 ]] || fail "$1: $reason"
    [ "$(wc -l <<<"$reason")" -eq 1 ] || fail "$1: attempted more than once: $reason"
}
differs collective "$sim/all_gather_matmul" 60s 'rank 1 is at AllGatherMatmul.*ranks? 0.* at MatmulAllReduceAddRms'
differs alone "$sim/add_custom" 4s '1 of 3 ranks ended well; rank 1: it ended while rank [02] waited before its first launch'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
