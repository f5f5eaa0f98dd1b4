#!/usr/bin/env bash
# soak.sh BUILD SECONDS [SEED] - kills the coordinator, workers, operators and parsers at
# random moments, and restarts coordinator and workers
#
# Each job must end with the same results as a job without kills: the same figures, the
# same files, and every acknowledged block.
export MUSTER_BUILD
MUSTER_BUILD=$(cd "$1" && pwd)
seconds=$2 seed=${3:-1}
. "$(dirname "$0")/../e2e/fleet.sh"
cd "$work"
RANDOM=$seed

figures() { # JOB: prints the figures, without those that differ from run to run
    db "select point, repeat, rank, launch, kernel, metric, round(value, 6) from v_results
        where job_id = $1 and metric not like '%skew%' order by 1, 2, 3, 4, 5, 6"
}
files() { # JOB KEY: lists the written files
    (cd "out/$1" && find . -type f | sort)
}
child_of() { # PID: waits a moment for a child, because a parser runs for milliseconds only
    local child=
    for _ in $(seq 3000); do
        read -r child _ 2>/dev/null <"/proc/$1/task/$1/children" || true
        [ -z "$child" ] || break
    done
    echo "$child"
}
kill_now() { # PID: succeeds when the process existed
    [ -n "$1" ] && kill -KILL "$1" 2>/dev/null
}
kill_one() {
    local card=$((RANDOM % 2))
    case $((RANDOM % 6)) in
    0)
        kill_now "$coordinator_pid" || fail "the coordinator was gone before it was killed"
        wait "$coordinator_pid" 2>/dev/null || true
        coordinator_up
        coordinators=$((coordinators + 1))
        ;;
    1)
        kill_now "${worker_pid[$card]}" || fail "worker $card was gone before it was killed"
        wait "${worker_pid[$card]}" 2>/dev/null || true
        worker_up "$card"
        workers=$((workers + 1))
        ;;
    2) if kill_now "$(child_of "$coordinator_pid")"; then parsers=$((parsers + 1)); fi ;;
    *) if kill_now "$(child_of "${worker_pid[$card]}")"; then operators=$((operators + 1)); fi ;;
    esac
}
pause() { read -rt "0.$((RANDOM % 400 + 100))" <> <(:) || true; }
state() { db "select state from jobs where job_id = $1" 2>/dev/null || true; }
ended() { case $(state "$1") in done | failed | cancelled) ;; *) false ;; esac }

check() { # ROUND JOB: compares the results of a job with those of the job without kills
    muster wait "$2" --timeout 60s >/dev/null 2>wait.err ||
        fail "round $1: exit $?: $(
            cat wait.err
            muster show "$2" 2>&1 | grep -v ' done ' | head -n 5
        )"
    figures "$2" >struck.txt
    diff calm.txt struck.txt >differ.txt || fail "round $1: other results than without kills: $(head -n 5 differ.txt)"
    files "struck-$2" | diff calm.files - >differ.txt || fail "round $1: other files than without kills: $(head -n 5 differ.txt)"
    db "select run_id, blocks from v_ranks where job_id = $2 and status = 'done'" |
        while IFS='|' read -r run blocks; do
            kept=$(capture_db "$2" "select count(*) from blocks where run_id = $run")
            [ "$kept" -eq "$blocks" ] || fail "round $1: run $run: $blocks blocks acknowledged, $kept kept"
        done
    muster capture verify "out/store/captures/$2.db" >/dev/null 2>verify.err ||
        fail "round $1: the capture is damaged: $(head -n 3 verify.err)"
}

job calm '[1024, 4096, 16384]' 4 >calm.yaml
sed 's/name: calm/name: struck/; s/^profile/limits: {retries: 100, on: [worker-lost, timeout, failed]}\nprofile/' calm.yaml >struck.yaml
fleet_up
until_true muster submit calm.yaml >/dev/null 2>&1
muster wait 1 --timeout 60s >/dev/null 2>&1 || fail "without kills: exit $?"
figures 1 >calm.txt
files calm-1 >calm.files
[ -s calm.txt ] || fail 'the job without kills has no figures'
grep -q visualize_data.bin calm.files || fail 'the job without kills wrote no files'

coordinators=0 workers=0 operators=0 parsers=0 rounds=0
stop=$((SECONDS + seconds))
while [ "$SECONDS" -lt "$stop" ]; do
    id=$((rounds + 2))
    muster submit struck.yaml >/dev/null 2>submit.err || fail "submit: exit $?: $(cat submit.err)"
    while [ "$SECONDS" -lt "$stop" ] && ! ended "$id"; do
        pause
        kill_one
    done
    check "$rounds" "$id"
    rounds=$((rounds + 1))
done
down
for _ in $( # processes whose parent was killed end a moment later
    seq 50
); do
    [ -n "$(leftovers)" ] || break
    read -rt 0.1 <> <(:) || true
done
[ -z "$(leftovers)" ] || fail "left running: $(leftovers)"
say "seed $seed, $rounds rounds with the same results; killed: $coordinators coordinators, $workers workers, $operators operators, $parsers parsers"
[ $((coordinators + workers + operators)) -gt 0 ] || fail 'no process was killed'
