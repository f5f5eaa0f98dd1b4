#!/usr/bin/env bash
# random_kills.sh BUILD [POINTS] [SEED] [KILLS] - kills the coordinator, workers, operators
# and parsers at random moments during a sweep of a fused operator on eight ranks of two
# hosts
#
# The sweep must end complete, with each result once, and with the same figures and files
# as a sweep without kills. It is repeated until KILLS processes were killed (default: one
# sweep).
export MUSTER_BUILD
MUSTER_BUILD=$(cd "${1:?BUILD}" && pwd)
points=${2:-20} seed=${3:-1} wanted=${4:-0}
. "$(dirname "$0")/../e2e/fleet.sh"
. "$(dirname "$0")/../e2e/hosts.sh"
RANDOM=$seed

ask() { on alpha muster "$@"; }
job() { # NAME
    fused "$1" 'matmul_all_reduce_inplace, --m, "32", --n, "32", --k, "${k}"' 'ranks: 8' \
        'HCCL_CONNECT_TIMEOUT: "20", HCCL_EXEC_TIMEOUT: "20"' 'barrier: {deadline: 3s}' \
        "sweep: {matrix: {k: [$(seq -s, 16 16 $((16 * points)))]}}" 'cards: {per_host: 4}' \
        'limits: {retries: 50, on: [worker-lost, timeout, failed], time: 60s}'
}
# Prints the figures without those that depend on timing: waits and clock offsets.
figures() { # JOB KEY
    db "select point, repeat, rank, launch, kernel, metric, round(value, 6) from v_results
        where job = '$1' and metric not like '%wait%' and metric not like '%late%'
        and metric not like '%uncertainty%' and metric not like '%skew%'
        order by 1, 2, 3, 4, 5, 6"
}
files() { # JOB KEY: lists the written files
    (cd "$work/out/$1" && find . -type f | sort)
}
state() { db "select state from jobs where job_id = $1" 2>/dev/null || true; }
ended() { case $(state "$1") in done | failed | cancelled) ;; *) false ;; esac }
kill_now() { [ -n "$1" ] && kill -KILL "$1" 2>/dev/null; }
child_of() { # PID [READS]; the file does not end with a newline, so read fails
    local child=
    for _ in $(seq "${2:-1}"); do
        read -r child _ 2>/dev/null <"/proc/$1/task/$1/children" || true
        [ -z "$child" ] || break
    done
    echo "$child"
}
coordinators=0 workers=0 operators=0 parsers=0
due=(0 1 3 5) # first one kill of each kind in random order, then random kinds
next_kind() {
    kind=$((RANDOM % 6))
    [ ${#due[@]} -gt 0 ] || return 0
    local at=$((kind % ${#due[@]}))
    kind=${due[$at]}
    due=("${due[@]:0:$at}" "${due[@]:$((at + 1))}")
}
kill_one() {
    local host card kind
    next_kind
    host=$([ $((RANDOM % 2)) = 0 ] && echo alpha || echo beta) card=$((RANDOM % 4))
    case $kind in
    0)
        kill_now "$coordinator_pid" || fail 'the coordinator was gone before it was killed'
        wait "$coordinator_pid" 2>/dev/null || true
        hosts_coordinator
        coordinators=$((coordinators + 1))
        ;;
    1 | 2)
        kill_now "${host_worker["$host-$card"]}" || fail "worker $host-$card was gone before it was killed"
        wait "${host_worker["$host-$card"]}" 2>/dev/null || true
        hosts_worker "$host" "$card"
        workers=$((workers + 1))
        ;;
    5) # a parser runs for milliseconds only, so this waits a moment for one
        if kill_now "$(child_of "$coordinator_pid" 3000)"; then
            parsers=$((parsers + 1))
        elif [ "$parsers" -eq 0 ]; then
            due+=(5)
        fi
        ;;
    *)
        if kill_now "$(child_of "${host_worker["$host-$card"]}")"; then
            operators=$((operators + 1))
        elif [ "$operators" -eq 0 ]; then
            due+=(3) # no operator was running
        fi
        ;;
    esac
}
pause() { read -rt "$((RANDOM % 2)).$((RANDOM % 900 + 100))" <> <(:) || true; }

hosts_up
hosts_keys
hosts_coordinator
for card in 0 1 2 3; do
    hosts_worker alpha $card
    hosts_worker beta $card
done
until_true eval 'ask list >/dev/null 2>&1'

job calm >"$work/calm.yaml"
job struck >"$work/struck.yaml"
ask submit "$work/calm.yaml" >/dev/null
ask wait calm >/dev/null 2>&1 || fail "without kills: $(db 'select reason from attempts where reason != ""')"
figures calm-1 >"$work/calm.txt"
files calm-1 >"$work/calm.files"
[ -s "$work/calm.txt" ] || fail 'the sweep without kills has no figures'
grep -q visualize_data.bin "$work/calm.files" || fail 'the sweep without kills wrote no files'

kills() { echo $((coordinators + workers + operators + parsers)); }
strike() { # JOB_ID: runs the sweep and kills until it ends
    local key=struck-$1 deadline
    until_true ask submit "$work/struck.yaml" >/dev/null
    deadline=$((SECONDS + 60 + 30 * points))
    until ended "$1"; do
        [ "$SECONDS" -lt "$deadline" ] || fail "the sweep with kills does not end: $(db "select state, count(*) from tasks where job_id = $1 group by state")"
        pause
        kill_one
    done
    until_true eval 'ask list >/dev/null 2>&1'
    ask wait "$1" --timeout 60s >/dev/null 2>&1 || fail "with kills: $(state "$1"): $(db "select distinct reason from attempts where reason != '' limit 20")"
    figures "$key" >"$work/struck.txt"
    diff "$work/calm.txt" "$work/struck.txt" >"$work/differ.txt" || fail "other figures than without kills: $(head -n 5 "$work/differ.txt")"
    files "$key" | diff "$work/calm.files" - >"$work/differ.txt" || fail "other files than without kills: $(head -n 5 "$work/differ.txt")"
    [ "$(db "select count(*) from v_ranks where job_id = $1 and accepted and status = 'done'")" -eq $((8 * points)) ] ||
        fail 'not each rank of each point once'
    say "sweep $key: $(kills) kills so far, attempts: $(db "select count(*) from attempts join tasks using(task_id) where job_id = $1")"
}

say "with kills: $points points of eight ranks, seed $seed"
job_id=2
strike $job_id
while [ "$(kills)" -lt "$wanted" ]; do
    job_id=$((job_id + 1))
    strike $job_id
done
say "$(kills) kills with the same results: $coordinators coordinators, $workers workers, $operators operators, $parsers parsers"

[ "$points" -lt 20 ] || [ $((coordinators * workers * operators * parsers)) -gt 0 ] || fail 'not every kind of process was killed'

end "$coordinator_pid"
hosts_down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
