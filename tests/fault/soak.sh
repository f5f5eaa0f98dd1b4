#!/usr/bin/env bash
# soak.sh BUILD SECONDS [SEED] - kills the coordinator, workers and operators at random
# moments, starts them again, and wants the same results as from a fleet left in peace
export MUSTER_BUILD
MUSTER_BUILD=$(cd "$1" && pwd)
seconds=$2 seed=${3:-1}
. "$(dirname "$0")/../e2e/fleet.sh"
cd "$work"
RANDOM=$seed

figures() { # JOB: what was measured, without what may differ from run to run
    db "select point, repeat, rank, launch, kernel, metric, round(value, 6) from v_results
        where job_id = $1 and metric not like '%skew%' order by 1, 2, 3, 4, 5, 6"
}
operator_pid() { pgrep -f "$MUSTER_BUILD/lib/muster/sim/bin/add_custom" -s "$(session_list)" | head -n 1; }
session_list() { # the operators of this test only: children of our workers
    local list=0 pid
    for pid in "${worker_pid[@]}"; do list="$list,$(pgrep -P "$pid" | tr '\n' ',')"; done
    echo "${list%,}" | sed 's/,,*/,/g; s/,$//'
}
strike() {
    local card=$((RANDOM % 2)) victim
    case $((RANDOM % 4)) in
    0)
        kill -KILL "$coordinator_pid"
        wait "$coordinator_pid" 2>/dev/null || true
        coordinator_up
        coordinators=$((coordinators + 1))
        ;;
    1)
        kill -KILL "${worker_pid[$card]}"
        wait "${worker_pid[$card]}" 2>/dev/null || true
        worker_up "$card"
        workers=$((workers + 1))
        ;;
    *)
        victim=$(operator_pid || true)
        if [ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null; then
            operators=$((operators + 1))
        fi
        ;;
    esac
}

job peace '[1024, 4096, 16384]' 4 >peace.yaml
sed 's/name: peace/name: war/; s/^profile/limits: {retries: 1000, on: [worker-lost, timeout, failed]}\nprofile/' peace.yaml >war.yaml
fleet_up
until_true muster submit peace.yaml >/dev/null 2>&1
muster wait 1 --timeout 120s >/dev/null || fail "in peace: exit $?"
figures 1 >peace.txt
[ -s peace.txt ] || fail 'nothing was measured in peace'

coordinators=0 workers=0 operators=0 rounds=0
stop=$((SECONDS + seconds))
while [ "$SECONDS" -lt "$stop" ]; do
    id=$((rounds + 2))
    muster submit war.yaml >/dev/null || fail 'submit'
    ended() { muster wait "$id" --timeout 300ms >/dev/null 2>&1; }
    while [ "$SECONDS" -lt "$stop" ] && ! ended; do
        read -rt "0.$((RANDOM % 900 + 100))" <> <(:) || true
        strike
    done
    muster wait "$id" --timeout 120s >/dev/null || fail "round $rounds: exit $?: $(muster show "$id" 2>&1 | tail -n 5)"
    figures "$id" >war.txt
    cmp peace.txt war.txt || fail "round $rounds: other results than in peace"
    lost=$(capture_db "$id" "select count(*) from groups") || fail 'the capture database is damaged'
    [ "$lost" -gt 0 ] || fail 'no group is kept'
    rounds=$((rounds + 1))
done
say "seed $seed, $rounds rounds with the same results; killed: $coordinators coordinators, $workers workers, $operators operators"
