#!/usr/bin/env bash
# half_release.sh [STEP...] - kills the coordinator when it has released a barrier on one
# of two hosts only, at each step of a replay
#
# No rank may hang, all ranks must have executed the operator equally often, and the
# results of the program must be right, unless only half of the ranks began an execution.
steps=("$@")
[ $# -gt 0 ] || steps=(0 1 2 3 4)
. "$(dirname "$0")/../e2e/fleet.sh"
. "$(dirname "$0")/../e2e/hosts.sh"

ask() { on alpha muster "$@"; }
job() { # NAME: an operator that works in place, so that an extra execution changes its result
    fused "$1" 'matmul_all_reduce_inplace, --m, "32", --n, "64", --k, "32"' 'ranks: 4' \
        'HCCL_CONNECT_TIMEOUT: "20", HCCL_EXEC_TIMEOUT: "20", HCCL_BUFFSIZE: "1"' \
        'warmup: 1, barrier: {deadline: 1500ms}' 'cards: {per_host: 2}' 'limits: {retries: 0, time: 30s}'
}
# Prints the successful executions of each rank: the launch of the program and its
# replays. A rank without a replay has no record and one execution.
executed() { # JOB-ID
    muster capture export "$work/out/store/captures/$1.db" "$work/all.iidb" >/dev/null
    muster capture cat "$work/all.iidb" | python3 -c '
import collections, json, sys
ran = collections.Counter()
for line in sys.stdin:
    record = json.loads(line)
    if record["type"] == "pass":
        ran[record["shard"]] += record["status"] == 0
print(*(list(ran.values()) + [1] * 4)[:4])'
}

hosts_up
hosts_keys
hosts_coordinator
for card in 0 1; do
    hosts_worker alpha $card
    hosts_worker beta $card
done
until_true eval 'ask list >/dev/null 2>&1'
id=0
# Steps: 0 before the launch, 1 after the snapshot, 2 after the first execution, 3 before
# a replay, 4 after a replay.
for step in "${steps[@]}"; do
    say "at step $step"
    end "$coordinator_pid"
    MUSTER_TEST_KILL_STEP=$step hosts_coordinator
    until_true eval 'ask list >/dev/null 2>&1'
    job "step$step" >"$work/job.yaml"
    ask submit "$work/job.yaml" >/dev/null 2>&1 || fail "submit"
    id=$((id + 1))
    code=0
    wait "$coordinator_pid" 2>/dev/null || code=$?
    [ "$code" -eq 137 ] || fail "step $step: the coordinator ended with $code"
    hosts_coordinator
    until_true eval 'ask list >/dev/null 2>&1'
    ask wait "step$step" --timeout 60s >/dev/null 2>&1 || true
    reason=$(db "select coalesce(reason, '') from attempts order by leased_wall_ms desc limit 1")
    counts=$(executed $id)
    read -rd "" -a counted <<<"$counts" || true
    echo "  executions: $counts; $reason"
    [ -n "$reason" ] || fail "step $step: the attempt has no reason, so the kill came too late"
    for count in "${counted[@]}"; do
        [ "$count" -eq "${counted[0]}" ] || fail "step $step: ranks executed $counts times"
    done
    [ "$step" -eq 3 ] || # at step 3 half of the ranks execute a replay without the others
        [ "$(db "select count(*) from v_ranks where job = 'step$step-$id' and exit_code = 0")" -eq 4 ] ||
        fail "step $step: not all results are right: $(db "select rank, exit_code from v_ranks where job = 'step$step-$id'")"
done

end "$coordinator_pid"
hosts_down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
