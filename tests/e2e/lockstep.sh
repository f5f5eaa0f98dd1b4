#!/usr/bin/env bash
# lockstep.sh - all ranks of a fused operator replay together: correct outputs, all passes
# on all ranks. A rank or worker that fails during a replay is named and nothing hangs;
# a replay survives the end of the coordinator
. "$(dirname "$0")/fleet.sh"

mc2() { # NAME ranks|threads COUNT OPTIONS MORE: in place, so a missing restore changes the output
    fused "$1" "matmul_all_reduce_inplace, --launches, \"3\"$4" "$2: $3" 'MUSTER_TEST_FAULT_POINT: "${trial}"' \
        "kernel: \"MatmulAllReduceAdd*\", warmup: 1, barrier: {deadline: ${deadline:-20s}}" \
        'limits: {retries: 0, time: 60s}' "$5"
}
sound='sweep: {matrix: {trial: [none]}}'
# Prints the barriers of a capture, one JSON line per rank and barrier.
barriers() { # DATABASE
    muster capture export "$1" "$work/all.iidb" >/dev/null
    muster capture cat "$work/all.iidb" | grep '"type":"barrier"'
}

export NPU_SIM_CARDS=4
say 'processes and threads: all ranks have the same executions and barriers'
for how in ranks threads; do
    options=''
    [ "$how" = threads ] && options=', --threads, "4"'
    mc2 "$how" "$how" 4 "$options" "$sound" >"$work/$how.yaml"
    (cd "$work" && muster run --quiet --out "$how" "$how.yaml" >/dev/null 2>&1) ||
        fail "$how: $(muster show --out "$work/$how" --coordinator "" "$how-1" 2>&1)"
    [ "$(find "$work/$how" -name visualize_data.bin | wc -l)" -eq 4 ] ||
        fail "$how: not every rank was measured"
    barriers "$work/$how/store/captures/1.db" >"$work/$how.barriers"
    for rank in 0 1 2 3; do
        grep "\"rank\":$rank," "$work/$how.barriers" |
            sed -E 's/.*"phase":([0-9]+),"execution":([0-9]+),.*"planned_ns":"([0-9]+)",.*"word":"([a-z-]*)".*/\1 \2 \3 \4/' \
                >"$work/rank-barriers.$rank"
        [ "$(wc -l <"$work/rank-barriers.$rank")" -gt 5 ] || fail "$how: rank $rank has fewer than 6 barriers"
        cmp -s "$work/rank-barriers.0" "$work/rank-barriers.$rank" ||
            fail "$how: the barriers of ranks 0 and $rank differ"
    done
    ! grep -qv ' go$' "$work/rank-barriers.0" || fail "$how: a barrier was not released"
done

say 'a rank that fails in any phase is named, and the other points succeed'
deadline=3s mc2 faults ranks 3 '' 'sweep:
  matrix:
    trial: [none, "1:prepare:1:kill", "1:restore:2:kill", "1:wait:1:kill", "1:save:1:fail",
            "1:arm:1:fail", "1:start:1:late=5000", "1:run:2:stop", other]' >"$work/faults.yaml"
code=0
(cd "$work" && muster run --quiet --out faults faults.yaml >/dev/null 2>&1) || code=$?
[ "$code" -eq 1 ] || fail "faults: exit code $code"
tasks() { sqlite3 -batch -noheader "$work/faults/store/muster.db" "select coalesce(a.reason, '') from attempts a join tasks t using(task_id) order by t.point"; }
reason_is() { # POINT PATTERN
    # shellcheck disable=SC2254 # the second argument is a pattern
    case $(tasks | sed -n "$(($1 + 1))p") in
    $2) ;;
    *) fail "point $1: $(tasks | sed -n "$(($1 + 1))p")" ;;
    esac
}
reason_is 0 ''
reason_is 1 '*rank 1: ended by signal 9*'
reason_is 2 '*rank 1: ended by signal 9*'
reason_is 3 '*rank 1: ended by signal 9*'
reason_is 4 '*rank 1*memory*' # the reason of rank 1, or the reason that the other ranks report
reason_is 5 '*rank 1*counter*'
reason_is 6 '*before replay 1: rank 1 did not come in time*'
reason_is 7 '*in replay 2: rank 1 did not come in time*'
reason_is 8 ''
[ "$(find "$work/faults" -name visualize_data.bin | wc -l)" -eq 6 ] ||
    fail 'a point without a fault has not all files'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"

say 'ranks of one host complete a replay while the coordinator is killed'
fleet_up 3
mc2 orphan ranks 3 '' 'sweep: {matrix: {trial: ["1:start:1:late=1500"]}}' >"$work/orphan.yaml"
muster submit "$work/orphan.yaml" >/dev/null 2>&1
attempt_runs() { [ "$(db "select count(*) from attempts where state = 'running'")" -eq 1 ]; }
until_true attempt_runs
kill -9 "$coordinator_pid"
wait "$coordinator_pid" 2>/dev/null || true
coordinator_up
muster wait orphan >/dev/null 2>&1 || fail "after the kill of the coordinator: $(muster show orphan-1)"

say 'a worker that is killed during a replay ends the attempt, and the reason names its rank'
mc2 lost ranks 3 '' 'sweep: {matrix: {trial: ["1:start:1:late=20000"]}}' >"$work/lost.yaml"
muster submit "$work/lost.yaml" >/dev/null 2>&1
until_true attempt_runs
kill -9 "${worker_pid[1]}"
wait "${worker_pid[1]}" 2>/dev/null || true
worker_up 1
code=0
muster wait lost >/dev/null 2>&1 || code=$?
[ "$code" -eq 1 ] || fail "a lost worker: exit code $code"
case $(db 'select reason from attempts order by leased_wall_ms desc limit 1') in
*'rank 1'*) ;;
*) fail 'the lost rank is not named' ;;
esac

down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
