#!/usr/bin/env bash
# soak.sh BUILD SECONDS [SEED] - kills the coordinator, workers, operators and parsers at
# random moments, starts again what was ours to start, and wants the same results as from
# a fleet left in peace: the same figures, the same files, every block that was counted
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
files() { # JOB KEY: what was written, by its place
    (cd "out/$1" && find . -type f | sort)
}
child_of() { # PID: waits a little for one, since a parser is there for milliseconds only
    local child=
    for _ in $(seq 3000); do
        read -r child _ 2>/dev/null <"/proc/$1/task/$1/children" || true
        [ -z "$child" ] || break
    done
    echo "$child"
}
shoot() { # PID: true when it was there to be killed
    [ -n "$1" ] && kill -KILL "$1" 2>/dev/null
}
strike() {
    local card=$((RANDOM % 2))
    case $((RANDOM % 6)) in
    0)
        shoot "$coordinator_pid" || fail "the coordinator was gone before it was killed"
        wait "$coordinator_pid" 2>/dev/null || true
        coordinator_up
        coordinators=$((coordinators + 1))
        ;;
    1)
        shoot "${worker_pid[$card]}" || fail "worker $card was gone before it was killed"
        wait "${worker_pid[$card]}" 2>/dev/null || true
        worker_up "$card"
        workers=$((workers + 1))
        ;;
    2) if shoot "$(child_of "$coordinator_pid")"; then parsers=$((parsers + 1)); fi ;;
    *) if shoot "$(child_of "${worker_pid[$card]}")"; then operators=$((operators + 1)); fi ;;
    esac
}
pause() { read -rt "0.$((RANDOM % 400 + 100))" <> <(:) || true; }
state() { db "select state from jobs where job_id = $1" 2>/dev/null || true; }
ended() { case $(state "$1") in done | failed | cancelled) ;; *) false ;; esac }

check() { # ROUND JOB: what a fleet that was struck has to show
    muster wait "$2" --timeout 60s >/dev/null 2>wait.err ||
        fail "round $1: exit $?: $(
            cat wait.err
            muster show "$2" 2>&1 | grep -v ' done ' | head -n 5
        )"
    figures "$2" >war.txt
    diff peace.txt war.txt >differ.txt || fail "round $1: other results than in peace: $(head -n 5 differ.txt)"
    files "war-$2" | diff peace.files - >differ.txt || fail "round $1: other files than in peace: $(head -n 5 differ.txt)"
    db "select run_id, blocks from v_ranks where job_id = $2 and status = 'done'" |
        while IFS='|' read -r run blocks; do
            kept=$(capture_db "$2" "select count(*) from blocks where run_id = $run")
            [ "$kept" -eq "$blocks" ] || fail "round $1: run $run: $blocks blocks acknowledged, $kept kept"
        done
    muster capture verify "out/store/captures/$2.db" >/dev/null 2>verify.err ||
        fail "round $1: the capture is damaged: $(head -n 3 verify.err)"
}

job peace '[1024, 4096, 16384]' 4 >peace.yaml
sed 's/name: peace/name: war/; s/^profile/limits: {retries: 100, on: [worker-lost, timeout, failed]}\nprofile/' peace.yaml >war.yaml
fleet_up
until_true muster submit peace.yaml >/dev/null 2>&1
muster wait 1 --timeout 60s >/dev/null 2>&1 || fail "in peace: exit $?"
figures 1 >peace.txt
files peace-1 >peace.files
[ -s peace.txt ] || fail 'nothing was measured in peace'
grep -q visualize_data.bin peace.files || fail 'nothing was written in peace'

coordinators=0 workers=0 operators=0 parsers=0 rounds=0
stop=$((SECONDS + seconds))
while [ "$SECONDS" -lt "$stop" ]; do
    id=$((rounds + 2))
    muster submit war.yaml >/dev/null 2>submit.err || fail "submit: exit $?: $(cat submit.err)"
    while [ "$SECONDS" -lt "$stop" ] && ! ended "$id"; do
        pause
        strike
    done
    check "$rounds" "$id"
    rounds=$((rounds + 1))
done
down
for _ in $( # what was orphaned by a kill may take a moment to notice
    seq 50
); do
    [ -n "$(leftovers)" ] || break
    read -rt 0.1 <> <(:) || true
done
[ -z "$(leftovers)" ] || fail "left running: $(leftovers)"
say "seed $seed, $rounds rounds with the same results; killed: $coordinators coordinators, $workers workers, $operators operators, $parsers parsers"
[ $((coordinators + workers + operators)) -gt 0 ] || fail 'nothing was ever killed'
