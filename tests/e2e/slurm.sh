#!/usr/bin/env bash
# slurm.sh [whole] - muster gets its cards from a real Slurm: an allocation queue requests
# nodes while tasks wait, and `muster run` inside an allocation uses its nodes. `whole`
# adds the slow parts: idle nodes are released, the coordinator is killed while Slurm
# loses its state, and Slurm refuses a request
. "$(dirname "$0")/fleet.sh"
. "$root/tests/support/slurm.sh"
finish_slurm() {
    local code=$?
    down
    slurm_down
    [ -n "${MUSTER_TEST_KEEP_DIR:-}" ] || rm -rf "$work"
    exit "$code"
}
trap finish_slurm EXIT
cd "$work"
chmod 711 "$work"
code=0
slurm_up "$work/slurm" 2 || code=$?
[ "$code" -eq 0 ] || exit "$code"
export NPU_SIM_CARDS=2 TMPDIR=$work/tmp
mkdir -m 711 "$TMPDIR"

own_slurm_jobs() { squeue --noheader --states="$1" --format='%j|%T' | grep '^muster-' || true; }
muster_list() { muster alloc list --output csv "$@" | tail -n +2; }
queue_is() { muster_list | grep -q "^q,$1,"; }

say 'a coordinator without keys and TCP refuses an allocation queue'
coordinator_up
until_true muster list >/dev/null 2>&1
code=0
muster alloc add slurm --name q 2>refused.txt || code=$?
[ "$code" -ne 0 ] && grep -q 'keys of their own' refused.txt || fail "exit $code: $(cat refused.txt)"
end "$coordinator_pid"
coordinator_pid=

say 'a coordinator with keys'
muster keygen coordinator.key --role admin coordinator >/dev/null
muster keygen me.key --role admin me >/dev/null
muster keygen other.key --role worker other >/dev/null
cat me.key.pub other.key.pub >allowed
export MUSTER_KEY=$work/me.key MUSTER_SERVER_KEY=$work/coordinator.key.pub
serve() {
    muster-coordinator --store "$work/out/store" --out "$work/out" \
        --control "tcp://127.0.0.1:${port:-*}" --data "tcp://127.0.0.1:${data_port:-*}" \
        --key coordinator.key --allow allowed --announce "$work/endpoints" --alloc-poll 300ms \
        2>>"$work/coordinator.log" &
    coordinator_pid=$!
    until_true test -s "$work/endpoints"
    MUSTER_COORDINATOR=$(head -n 1 "$work/endpoints")
    port=${MUSTER_COORDINATOR##*:}
    data_port=$(sed -n 's/.*://; 2p' "$work/endpoints")
    export MUSTER_COORDINATOR
}
serve

say 'dry-run prints the batch script and checks it with Slurm'
muster alloc dry-run slurm --name q --nodes 1 --cards-per-node 2 --simulated -- --partition=main >dry.txt 2>&1 ||
    fail "dry-run: $(cat dry.txt)"
grep -q -- '--gres=npu:2' dry.txt && grep -q 'srun' dry.txt || fail "dry-run: $(cat dry.txt)"
muster alloc dry-run slurm --name q --resource gpu --time-limit 90m --simulated -- --partition=main >dry.txt 2>&1 || true
grep -q -- '--gres=gpu:8' dry.txt && grep -q -- '--time=90' dry.txt || fail "dry-run: $(cat dry.txt)"
code=0
muster alloc dry-run slurm --name q -- --partition=nosuch >dry.txt 2>&1 || code=$?
[ "$code" -eq 2 ] || fail "dry-run with a wrong partition: exit $code, $(cat dry.txt)"

say 'while no task waits, the queue requests no nodes'
muster alloc add slurm --name q --cards-per-node 2 --backlog 2 --most 2 --idle 2s --model Ascend910B2 --simulated
queue_is active || fail "list: $(muster alloc list)"
muster alloc add slurm --name q 2>refused.txt && fail 'two queues have the same name'
grep -q 'already' refused.txt || fail "$(cat refused.txt)"
[ -z "$(own_slurm_jobs all)" ] || fail "nodes were requested: $(own_slurm_jobs all)"

say 'an idle card that the waiting task does not permit does not keep the queue from a request'
NPU_SIM_SOC=Ascend310P3 muster-worker --control "$MUSTER_COORDINATOR" --data "$(sed -n 2p "$work/endpoints")" \
    --key other.key --server-key coordinator.key.pub --card 0 --host elsewhere --simulated \
    --spool "$work/spool" 2>"$work/other.log" &
other_pid=$!
until_true sh -c '[ "$(muster list --workers --output csv | tail -n +2 | wc -l)" -eq 1 ]'
sed 's/cards: .*/cards: {soc: "Ascend910B*"}/' <(job single '[256]' 1) >single.yaml
muster submit single.yaml >submitted.txt || fail "submit: $(cat submitted.txt)"
timeout 60 muster wait single-1 2>wait.txt || fail "wait: $(cat wait.txt) $(muster alloc list)"
end "$other_pid"
earlier=$(db 'SELECT count(*) FROM allocations')

say 'while tasks wait, nodes are allocated, their workers connect, and the job ends'
sed 's/cards: .*/cards: {soc: "Ascend910B*"}/' <(job sweep '[256, 512, 1024, 2048]' 3) >sweep.yaml
muster submit sweep.yaml >submitted.txt || fail "submit: $(cat submitted.txt)"
timeout 90 muster wait sweep-2 2>wait.txt || fail "wait: $(cat wait.txt)"
# the first node may run all tasks before the second node is allocated
[ "$(db "SELECT count(*) FROM tasks t JOIN ranks r ON r.run_id = t.accepted_run_id
    WHERE t.state = 'done' AND r.host IN ('n0', 'n1')")" -eq 13 ] || fail "hosts: $(db 'SELECT DISTINCT host, card FROM ranks')"
[ "$(db "SELECT count(*) FROM tasks WHERE state = 'done'")" -eq 13 ] || fail "tasks: $(db 'SELECT state, count(*) FROM tasks GROUP BY state')"
[ "$(db 'SELECT count(*) FROM allocations')" -le $((earlier + 2)) ] || fail 'the queue has more allocations than --most permits'
# Prints the command lines of the processes of this test. Their environment or command
# line contains the test's folder.
own_command_lines() {
    local process
    for process in /proc/[0-9]*; do
        grep -qszF "$work" "$process/environ" "$process/cmdline" || continue
        tr '\0' ' ' <"$process/cmdline" 2>/dev/null || true
        echo
    done
}
own_command_lines >lines.txt
grep -q slurmctld lines.txt || fail "the test does not see its own processes: $(cat lines.txt)"
! grep -q 'MUSTER_TICKET=' lines.txt || fail 'a command line contains a join ticket'
! grep -rqs 'MUSTER_TICKET' "$work/out" "$work"/*.log || fail 'a file contains a join ticket'

if [ "${1:-}" = whole ]; then
    say 'idle workers end, their allocations end, and their keys are removed'
    MUSTER_TEST_WAIT_SECONDS=60 until_true sh -c '[ "$(sqlite3 -batch out/store/muster.db "SELECT count(*) FROM allocations WHERE state != '"'ended'"' OR public_key != '"''"'")" -eq 0 ]'
    [ -z "$(own_slurm_jobs running)" ] || fail "still running: $(own_slurm_jobs running)"
    until_true sh -c '[ -z "$(ls "$TMPDIR")" ]' # their spools are removed, too
    [ "$(muster list --workers --output csv | tail -n +2 | wc -l)" -eq 0 ] || until_true sh -c '[ "$(muster list --workers --output csv | wc -l)" -le 1 ]'

    say 'a paused queue requests no nodes'
    muster alloc pause q
    muster submit sweep.yaml >submitted.txt
    queue_is paused || fail "list: $(muster alloc list)"
    before=$(db 'SELECT count(*) FROM allocations')

    say 'after the coordinator is killed and Slurm loses its state, the queue continues'
    muster alloc resume q
    until_true sh -c '[ "$(muster alloc list -a --output csv | grep -c running)" -ge 1 ]'
    kill -KILL "$coordinator_pid"
    wait "$coordinator_pid" 2>/dev/null || true
    end "$slurm_controller_pid"
    rm -f "$work/endpoints"
    slurm_controller -c
    until_true slurm_is_ready
    serve
    MUSTER_TEST_WAIT_SECONDS=90 until_true sh -c '[ "$(sqlite3 -batch out/store/muster.db "SELECT count(*) FROM tasks WHERE state = '"'done'"'")" -eq 25 ]'
    [ "$(db "SELECT count(*) FROM (SELECT task_id FROM ranks r JOIN tasks t ON t.accepted_run_id = r.run_id GROUP BY task_id)")" -eq 25 ] || fail 'a result is missing'

    say 'a refused request is repeated at growing intervals, and the list gives the reason'
    muster alloc add slurm --name wrong --cards-per-node 1 --simulated -- --partition=nosuch >/dev/null
    sed 's/cards: .*/cards: {soc: "Ascend310P*"}/' <(job never '[256]' 1) >never.yaml
    muster submit never.yaml >/dev/null
    until_true sh -c 'muster alloc list --output csv | grep -q "^wrong,failing,.*partition"'
    muster alloc remove wrong
fi

say 'removing a queue ends its allocations'
muster alloc remove q
until_true sh -c '[ "$(muster alloc list --output csv | wc -l)" -le 1 ]'
until_true sh -c '[ -z "$(squeue --noheader --states=pending,running)" ]'
end "$coordinator_pid"
coordinator_pid=
! leftovers | grep -qvE 'slurm|munge' || fail "processes are left: $(leftovers)"

say 'muster run inside an allocation uses its nodes'
sed 's/cards: .*/cards: {soc: "Ascend910B*"}/' <(job inside '[256, 512]' 2) >inside.yaml
cat >inside.sh <<SH
#!/bin/sh
exec muster run --on slurm --address 127.0.0.1 --out "$work/inside" --cards 4 inside.yaml
SH
unset MUSTER_COORDINATOR MUSTER_KEY MUSTER_SERVER_KEY
sbatch --wait --nodes=2 --ntasks-per-node=1 --gres=npu:2 --output=inside.log inside.sh >/dev/null || fail "inside: $(cat inside.log)"
[ -s inside/inside-1/report.html ] || fail "no report: $(cat inside.log)"
[ "$(sqlite3 -batch inside/store/muster.db 'SELECT count(DISTINCT host) FROM ranks')" -ge 1 ] || fail 'no host'
! leftovers | grep -qvE 'slurm|munge' || fail "processes are left: $(leftovers)"

[ "${1:-}" = whole ] || {
    echo 'good'
    exit 0
}
say 'muster run outside an allocation requests one'
muster run --on slurm --address 127.0.0.1 --out "$work/outside" --cards 2 inside.yaml >outside.log 2>&1 &
outside=$!
say 'that run is visible from another terminal and continues when its coordinator is killed'
until_true eval "muster list --out outside --workers 2>/dev/null | grep -q inside-1"
first=$(sed -n 's/.*muster-coordinator\[\([0-9]*\)\].*coordinator started.*/\1/p' outside/store/log/coordinator.log)
kill -KILL "$first"
wait "$outside" || fail "outside: $(cat outside.log)"
grep -q 'coordinator ended and was restarted' outside.log || fail "the run did not restart its coordinator: $(cat outside.log)"
[ "$(sqlite3 -batch outside/store/muster.db "SELECT count(*) FROM tasks WHERE state = 'done'")" -eq 4 ] || fail 'not all tasks are done'
[ -s outside/inside-1/report.html ] || fail "no report: $(cat outside.log)"
until_true sh -c '[ -z "$(squeue --noheader --states=pending,running)" ]'
! leftovers | grep -qvE 'slurm|munge' || fail "processes are left: $(leftovers)"

say 'a killed run leaves no nodes and no keys'
sed 's/repeat: .*/repeat: 400}/' inside.yaml >long.yaml
mkdir keys
TMPDIR=$work/keys muster run --on slurm --address 127.0.0.1 --out "$work/killed" --cards 2 long.yaml >killed.log 2>&1 &
killed=$!
until_true eval "muster list --out killed --workers 2>/dev/null | grep -q inside-1"
kill -KILL "$killed"
wait "$killed" 2>/dev/null || true
until_true sh -c '[ -z "$(squeue --noheader --states=pending,running)" ]'
until_true eval '[ -z "$(ls keys | grep -v spool)" ]'
until_true eval '[ -z "$(leftovers | grep -vE "slurm|munge")" ]'
echo 'good'
