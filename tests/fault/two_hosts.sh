#!/usr/bin/env bash
# two_hosts.sh - faults during a fused operator on eight ranks of two hosts
#
# A rank is late or crashes, a worker or the coordinator is killed, the network between the
# hosts is cut. Each attempt must end in time and name the failed rank, or be repeated
# successfully. The other points must not fail, and each result must be stored once.
. "$(dirname "$0")/../e2e/fleet.sh"
. "$(dirname "$0")/../e2e/hosts.sh"

ask() { on alpha muster "$@"; }
job() { # NAME OPTIONS MORE: options of the operator, more keys
    fused "$1" "matmul_all_reduce_inplace, --m, \"64\", --n, \"64\", --k, \"\${k}\"$2" 'ranks: 8' \
        'HCCL_CONNECT_TIMEOUT: "20", HCCL_EXEC_TIMEOUT: "20"' 'barrier: {deadline: 2s}' \
        'sweep: {matrix: {k: [32, 64, 96]}}' 'cards: {per_host: 4}' "$3"
}
again='limits: {retries: 8, on: [worker-lost, timeout, failed], time: 30s}'
never='limits: {retries: 0, time: 30s}'
reasons() { db "select distinct a.reason from attempts a join tasks t using(task_id) join jobs j using(job_id) where j.name = '$1'"; }
states() { db "select t.state, count(*) from tasks t join jobs j using(job_id) where j.name = '$1' group by t.state"; }
start_job() { # NAME: submits without waiting
    ask submit "$work/$1.yaml" >/dev/null || fail "submit $1"
}
running() { [ "$(db "select count(*) from tasks t join jobs j using(job_id) where j.name = '$1' and t.state = 'leased'")" -gt 0 ]; }
whole() { # NAME: all points are done, and every rank of each point once
    ask wait "$1" --timeout 100s >/dev/null 2>&1 || fail "$1: $(states "$1"): $(reasons "$1")"
    [ "$(db "select count(*) from v_ranks where job like '$1-%' and accepted and status = 'done' and launches = 1")" -eq 24 ] ||
        fail "$1: not each rank of each point once"
    [ "$(db "select count(*) from (select run_id, rank from v_results where job like '$1-%' and metric = 'duration_us' group by run_id, rank having count(*) = 1)")" -eq 24 ] ||
        fail "$1: not exactly one figure per rank"
}

hosts_up
hosts_keys
hosts_coordinator
for card in 0 1 2 3; do
    hosts_worker alpha $card
    hosts_worker beta $card
done
until_true eval 'ask list >/dev/null 2>&1'

say 'a late rank is named one second after the deadline at the latest'
job late ', --late, "6", --late-ms, "3500"' "$never" | sed 's/\[32, 64, 96\]/[32]/' >"$work/late.yaml"
start_job late
ask wait late --timeout 60s >/dev/null 2>&1 || true
case $(reasons late) in *'rank 6 did not come in time'*) ;; *) fail "late: $(reasons late)" ;; esac
# the other ranks continue together, so all results are right
[ "$(db "select count(*) from v_ranks where job like 'late-%' and exit_code = 0")" -eq 8 ] || fail 'late: a rank returned a wrong result'

say 'a crashed rank is named and ends the attempt'
job crash ', --crash, "5"' "$never" | sed 's/\[32, 64, 96\]/[32]/' >"$work/crash.yaml"
start_job crash
ask wait crash --timeout 60s >/dev/null 2>&1 || true
case $(reasons crash) in *'rank 5: ended by signal 9'*) ;; *) fail "crash: $(reasons crash)" ;; esac

say 'an attempt is repeated when a worker is killed'
job killed '' "$again" >"$work/killed.yaml"
start_job killed
until_true running killed
kill -9 "${host_worker["beta-2"]}"
wait "${host_worker["beta-2"]}" 2>/dev/null || true
hosts_worker beta 2
whole killed

say 'an attempt is repeated when all workers of a host are killed'
job leader '' "$again" >"$work/leader.yaml"
start_job leader
until_true running leader
for card in 0 1 2 3; do
    kill -9 "${host_worker["alpha-$card"]}"
    wait "${host_worker["alpha-$card"]}" 2>/dev/null || true
done
for card in 0 1 2 3; do hosts_worker alpha $card; done
whole leader

say 'an attempt is repeated when the coordinator is killed'
job center '' "$again" >"$work/center.yaml"
start_job center
until_true running center
kill -9 "$coordinator_pid"
wait "$coordinator_pid" 2>/dev/null || true
hosts_coordinator
until_true eval 'ask list >/dev/null 2>&1'
whole center

say 'an attempt is repeated when the network is cut'
job wire '' "$again" >"$work/wire.yaml"
start_job wire
until_true running wire
on beta ip link set "$(wire_of beta)" down
lost_before=$(db "select count(*) from events where kind = 'worker.lost'")
lost_more() { [ "$(db "select count(*) from events where kind = 'worker.lost'")" -ge $((lost_before + 4)) ]; }
until_true lost_more
on beta ip link set "$(wire_of beta)" up
whole wire

end "$coordinator_pid"
hosts_down
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
