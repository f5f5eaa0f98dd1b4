#!/usr/bin/env bash
# runners.sh [POINTS] - a sweep of small points in runners that stay, several of which are
# in a runner at any moment, while runners, a worker and the coordinator are killed: each
# point is accepted once, and a runner that is killed costs the one point that it was in
. "$(dirname "$0")/../e2e/fleet.sh"
cd "$work"
points=${1:-6000}

cat >small.yaml <<YAML
version: 1
name: small
operator:
  kernel: sim/kernels/add_custom.o
  blocks: 8
  args: ['in fp32 1024', 'in fp32 1024', 'out fp32 1024', 'data u32 1024']
sweep: {matrix: {i: {from: 1, to: $points}}}
profile: {metrics: []}
limits: {retries: 50, on: [signal, worker-lost]}
YAML

count() { db "select count(*) from $1" 2>/dev/null || echo 0; }
ended() { [ "$(db "select count(*) from jobs where state in ('done', 'failed', 'cancelled')" 2>/dev/null)" = 1 ]; }
shoot() { [ -n "$1" ] && kill -KILL "$1" 2>/dev/null; }
child_of() {
    local child=
    read -r child _ 2>/dev/null <"/proc/$1/task/$1/children" || true
    echo "$child"
}

fleet_up
until_true muster submit small.yaml >/dev/null 2>&1
until_true eval '[ "$(count "tasks where state = '"'done'"'")" -gt 0 ]'
runners=0 round=0
until ended; do
    round=$((round + 1))
    [ "$round" -lt 600 ] || fail 'it does not end'
    if [ $round -eq 2 ]; then
        shoot "${worker_pid[0]}" && wait "${worker_pid[0]}" 2>/dev/null || true
        worker_up 0
    elif [ $round -eq 4 ]; then
        shoot "$coordinator_pid" && wait "$coordinator_pid" 2>/dev/null || true
        coordinator_up
    elif shoot "$(child_of "${worker_pid[$((round % 2))]}")"; then
        runners=$((runners + 1))
    fi
    read -rt 0.05 <> <(:) || true # so that they do something in between
done
say "$runners runners killed"
[ "$runners" -gt 0 ] || fail 'no runner was killed'
[ "$(count "tasks where state = 'done'")" -eq "$points" ] || fail "$(db 'select state, reason, count(*) from tasks group by 1, 2')"
[ "$(count "tasks t where not exists (select 1 from attempts a join ranks r using (run_id)
    where a.run_id = t.accepted_run_id and a.task_id = t.task_id and a.state = 'done' and r.status = 'done')")" -eq 0 ] ||
    fail 'a task without a good attempt'
[ "$(count "attempts where state = 'done'")" -eq "$points" ] || fail 'a point was accepted twice'
killed=$(count "attempts where state = 'failed'")
[ "$killed" -le "$runners" ] || fail "$runners runners killed, $killed attempts failed: $(db "select reason, count(*) from attempts where state = 'failed' group by 1")"
[ "$(count "attempts where state = 'failed' and reason not like 'ended by signal 9%'")" -eq 0 ] ||
    fail "$(db "select distinct reason from attempts where state = 'failed'")"
