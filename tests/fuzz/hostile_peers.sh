#!/usr/bin/env bash
# hostile_peers.sh BUILD SECONDS [SEED] - hostile clients, workers and coordinators send
# every message of the protocol with every defect, for SECONDS
#
# BUILD is the sanitizer build. A batch is one hostile peer: a client with the role read,
# submit, admin or worker, a peer without a key, or a coordinator that a worker serves.
# After each batch the same coordinator and the same workers run the reference job, whose
# figures must not change, and their memory must be bounded. SEED decides all packets.
export MUSTER_BUILD
MUSTER_BUILD=$(cd "${1:?BUILD}" && pwd)
seconds=${2:?SECONDS} seed=${3:-1}
. "$(dirname "$0")/../e2e/fleet.sh"
cd "$work"
PACKETS=1000               # of a random batch
RESIDENT_KB=$((256 << 10)) # most memory of a program after a batch
PEAK_KB=$((512 << 10))     # and during a batch
found=$root/build/fuzz/found
batch=0 what=start stopped=0
# The address sanitizer returns freed memory at once, so that only lasting growth counts.
ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=0:thread_local_quarantine_size_kb=0

# A hostile administrator may request nodes; these commands must not reach a real cluster.
mkdir bin
for command in sbatch squeue scancel sinfo scontrol srun; do
    printf '#!/bin/sh\nexit 1\n' >bin/$command
    chmod +x bin/$command
done
PATH=$work/bin:$PATH

stop() { # TEXT: keeps the logs, and fails
    local kept=$found/hostile-$seed-$batch
    mkdir -p "$kept"
    cp "$work"/*.log "$work/packets" "$kept/" 2>/dev/null || true
    fail "$*
batch $batch: $what; the last packet: $(tail -n 1 "$work/packets" 2>/dev/null)
the logs and the packets are in $kept; the same packets again: SEED=$seed"
}
alive() { kill -0 "$1" 2>/dev/null; }
memory_kb() { # PID KEY
    awk -v key="$2:" '$1 == key {print $2}' "/proc/$1/status"
}
check_memory() { # PID NAME
    local resident peak
    resident=$(memory_kb "$1" VmRSS) peak=$(memory_kb "$1" VmHWM)
    [ "$resident" -lt $RESIDENT_KB ] || stop "the $2 has $resident KiB after the batch"
    [ "$peak" -lt $PEAK_KB ] || stop "the $2 had $peak KiB during the batch"
    echo 5 >"/proc/$1/clear_refs" # the peak begins again
    memory="$memory; $2 $((resident >> 10)) MiB, at most $((peak >> 10)) MiB"
}
check_programs() {
    memory=
    if grep -lE 'ERROR: [A-Za-z]+Sanitizer|runtime error:' ./*.log; then
        stop 'a sanitizer reports an error'
    fi
    alive "$coordinator_pid" || stop 'the coordinator ended'
    check_memory "$coordinator_pid" coordinator
    for card in "${!worker_pid[@]}"; do
        revive "$card"
        check_memory "${worker_pid[$card]}" "worker $card"
    done
}
# Starts a worker again that a valid go_away has ended.
revive() { # CARD
    local code=0
    alive "${worker_pid[$1]}" && return
    wait "${worker_pid[$1]}" || code=$?
    [ "$code" -eq 0 ] || stop "worker $1 ended with code $code"
    start_worker "$1"
    stopped=$((stopped + 1))
}

start_coordinator() {
    coordinator_up --control "$control" --data "$data" --key coordinator.key --allow allowed
}
start_worker() { # CARD
    if [ "$1" -lt 2 ]; then
        worker_up "$1" --control "$control" --data "$data" --key worker.key \
            --server-key coordinator.key.pub --host good
    else # its coordinators take turns at these endpoints
        NPU_SIM_CARDS=3 worker_up "$1" --control "ipc://$work/turns/control" \
            --data "ipc://$work/turns/data" --host good
    fi
}
figures() { # FOLDER JOB: prints the figures of the job, without those that differ from run to run
    sqlite3 -batch -noheader "$1/store/muster.db" "select point, repeat, rank, launch, kernel, metric,
        round(value, 6) from v_results where job_id = $2 and metric not like '%skew%' order by 1, 2, 3, 4, 5, 6"
}
reference() { # CARDS
    job reference '[1024, 4096]' 1 | sed "s/ids: .*/ids: [$1], hosts: [good]}/"
}
# Runs the reference job and compares its figures with those of the first run.
check_service() { # FOLDER JOB_FILE EXPECTED
    local id
    muster submit "$2" >submit.txt 2>submit.err || stop "the reference job is refused: $(cat submit.err)"
    id=$(sed 's/^reference-//' submit.txt)
    muster wait "$id" --timeout 120s >wait.txt 2>&1 || stop "the reference job: $(tail -n 3 wait.txt)
$(muster show "$id" 2>&1 | tail -n 5)"
    figures "$1" "$id" >now.txt
    [ -s now.txt ] || stop 'the reference job has no figures'
    [ -s "$3" ] || cp now.txt "$3"
    diff "$3" now.txt >differ.txt || stop "other figures: $(head -n 3 differ.txt)"
}

muster keygen coordinator.key coordinator >/dev/null
for role in read submit admin worker; do
    muster keygen --role $role $role.key $role >/dev/null
    muster keygen --role $role hostile-$role.key hostile-$role >/dev/null
    cat $role.key.pub hostile-$role.key.pub >>allowed
done
export MUSTER_KEY=$work/admin.key MUSTER_SERVER_KEY=$work/coordinator.key.pub
control=tcp://127.0.0.1:0 data=tcp://127.0.0.1:0
start_coordinator
at() { sed -n "s/.* $1=\(tcp:[^ ]*\).*/\1/p" coordinator.log | tail -n 1; }
until_true eval '[ -n "$(at data)" ]'
control=$(at control) data=$(at data)
export MUSTER_COORDINATOR=$control
start_worker 0
start_worker 1
reference '0, 1' >reference.yaml
check_service out reference.yaml expected
job bait '[1024]' 50 | sed 's/cards:.*/cards: {hosts: ["[!g]*"]}/' >bait.yaml
echo 'limits: {retries: 100, on: [worker-lost, timeout, failed]}' >>bait.yaml
mkdir turns
chmod 700 turns
start_worker 2
reference 2 >turns.yaml

# Each kind of batch. The argument is the number of packets; 0: each case once.
client() { # ROLE COUNT
    local seed_of_batch=$((seed * 100000 + batch))
    timeout 600 "$B/tests/hostile_client" "$control" "$data" $seed_of_batch "$2" "$1" \
        "hostile-$1.key" coordinator.key.pub packets >>peers.txt 2>peer.err || stop "$(cat peer.err)"
}
as_read() { client read "$1"; }
as_submit() { client submit "$1"; }
as_worker() { # a job for its cards gives it leases
    muster submit bait.yaml >/dev/null 2>submit.err || stop "submit: $(cat submit.err)"
    client worker "$1"
}
as_admin() {
    client admin "$1"
    muster undrain good good:0 good:1 >/dev/null 2>undrain.err || stop "undrain: $(cat undrain.err)"
}
as_unauthorized() {
    for endpoint in "$control" "$data"; do
        timeout 600 "$B/tests/hostile_handshakes" "${endpoint##*:}" $((seed * 100000 + batch)) \
            $((($1 + 1500) / 10)) >>peers.txt 2>peer.err || stop "$(cat peer.err)"
    done
}
# The hostile coordinator, and then a coordinator on the same endpoints.
as_coordinator() {
    timeout 600 "$B/tests/hostile_coordinator" "ipc://$work/turns/control" "ipc://$work/turns/data" \
        $((seed * 100000 + batch)) "$1" packets >>peers.txt 2>peer.err || stop "$(cat peer.err)"
    revive 2
    muster-coordinator --store "$work/turns/out/store" --out "$work/turns/out" \
        --control "ipc://$work/turns/control" --data "ipc://$work/turns/data" 2>>turns.log &
    worker_pid[turn]=$! # so that it ends with the test
    in_turn until_true eval 'muster list --workers 2>/dev/null | grep -q idle'
    in_turn check_service turns/out turns.yaml expected-of-turns
    end "${worker_pid[turn]}"
    unset 'worker_pid[turn]'
}
in_turn() { # COMMAND...: with the coordinator that takes turns
    local MUSTER_COORDINATOR=ipc://$work/turns/control MUSTER_KEY='' MUSTER_SERVER_KEY=''
    "$@"
}
cancel_all() {
    db "select job_id from jobs where state not in ('done', 'failed', 'cancelled')" >active
    [ ! -s active ] || xargs -n 500 muster cancel --now <active >/dev/null 2>cancel.err ||
        stop "cancel: $(cat cancel.err)"
}

say "seed $seed, for $seconds s: batches of $PACKETS random packets, later of each case once"
kinds=(worker admin submit read unauthorized coordinator)
until_s=$((SECONDS + seconds))
while [ $SECONDS -lt $until_s ] || [ $batch -lt ${#kinds[@]} ]; do
    kind=${kinds[batch % ${#kinds[@]}]}
    count=$PACKETS what="hostile $kind, $PACKETS packets"
    if [ $((batch / ${#kinds[@]} % 4)) -eq 1 ]; then
        count=0 what="hostile $kind, each case"
    fi
    "as_$kind" $count
    cancel_all
    check_programs
    check_service out reference.yaml expected
    figures out 1 | diff expected - >differ.txt || stop "the stored figures changed: $(head -n 3 differ.txt)"
    echo "$((SECONDS - until_s + seconds)) s: batch $batch: $what$memory"
    batch=$((batch + 1))
done
down
check_logs_end() { ! grep -lE 'ERROR: [A-Za-z]+Sanitizer|runtime error:' ./*.log; }
check_logs_end || stop 'a sanitizer reports an error at the end'
[ -z "$(leftovers)" ] || fail "left over: $(leftovers)"
say "$batch batches without a report; $(awk '{n += $1} END {print n}' peers.txt) packets and connections, $stopped workers started again after a valid go_away"
