#!/usr/bin/env bash
# serve_load.sh - many clients read the API while a job runs: the figures of the job are the
# same as without them, and neither program keeps memory or descriptors. It prints the requests
# in a second and the time of a task with and without the load.
. "$(dirname "$0")/fleet.sh"
cd "$work"
command -v wrk >/dev/null || {
    echo 'SKIPPED: there is no wrk; to run it: deploy/setup.sh --all'
    exit 77
}
job load '[1024, 65536, 524288]' 3 >job.yaml
fleet_up 2

figures() { # JOB: its figures and nothing that depends on the order of the tasks
    db "select point, repeat, rank, kernel, launch, metric, value from v_results where job_id = $1 order by 1, 2, 3, 4, 5, 6"
}
task_ms() { # JOB
    db "select cast(avg(wall_ms) as integer) from v_ranks where job_id = $1"
}
kept() { # PID: KiB of memory and number of descriptors
    echo "$(awk '/^VmRSS:/ { print $2 }' "/proc/$1/status") $(find "/proc/$1/fd" | wc -l)"
}

say 'a job without clients'
until_true muster submit job.yaml >key.txt 2>/dev/null
muster wait 1 --quiet >/dev/null || fail 'the first job'
[ "$(figures 1 | wc -l)" -gt 50 ] || fail "figures: $(figures 1)"

say 'the same job with 100 connections'
muster serve --out out --listen 127.0.0.1:0 >address.txt 2>serve.log &
worker_pid[serve]=$!
until_true test -s address.txt
server=${worker_pid[serve]}
address=$(cat address.txt)
load() { # SECONDS PATH
    wrk -t1 -c100 -d"$1s" "${address}api/v1$2" >>wrk.txt 2>&1 || fail "wrk: $(cat wrk.txt)"
}
load 1 '/jobs' # memory that the first requests need
load 1 '/jobs/1/results?limit=50'
before=$(kept "$server") coordinator=$(kept "$coordinator_pid")
muster submit job.yaml >key.txt
until [ "$(db "select state from jobs where job_id = 2" 2>/dev/null)" = "done" ]; do
    load 1 '/jobs/2/tasks'
    load 1 '/jobs'
    [ "$SECONDS" -lt 120 ] || fail 'the second job does not end'
done
cmp <(figures 1) <(figures 2) || fail 'the figures differ'
load 1 '/jobs/1/results?limit=50'
after=$(kept "$server")
echo "muster-serve: KiB and descriptors $before before, $after after; coordinator: $coordinator, $(kept "$coordinator_pid")"
[ "${after%% *}" -le $((${before%% *} + 8192)) ] || fail "memory grows: $before, $after"
no_more() { [ "$(kept "$server" | cut -d' ' -f2)" -le "${before##* }" ]; }
until_true no_more
[ "$(kept "$coordinator_pid" | cut -d' ' -f2)" -le "$((${coordinator##* } + 2))" ] || fail "the coordinator keeps descriptors: $coordinator"
! grep -E 'Non-2xx|Socket errors' wrk.txt || fail "$(cat wrk.txt)"
echo "time of a task: $(task_ms 1) ms without clients, $(task_ms 2) ms with them; $(grep -o 'Requests/sec: *[0-9.]*' wrk.txt | tr -s ' \n' ' ')"
end "${worker_pid[serve]}"
[ ! -s serve.log ] || fail "messages: $(cat serve.log)"
