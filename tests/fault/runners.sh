#!/usr/bin/env bash
# runners.sh [POINTS] - kills resident runners, a worker and the coordinator during a sweep
# of small points
#
# Several points are in a runner at any moment. Each point must be accepted once, and a
# killed runner may fail only the point that it was executing.
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
kill_now() { [ -n "$1" ] && kill -KILL "$1" 2>/dev/null; }
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
    [ "$round" -lt 600 ] || fail 'the sweep does not end'
    if [ $round -eq 2 ]; then
        kill_now "${worker_pid[0]}" && wait "${worker_pid[0]}" 2>/dev/null || true
        worker_up 0
    elif [ $round -eq 4 ]; then
        kill_now "$coordinator_pid" && wait "$coordinator_pid" 2>/dev/null || true
        coordinator_up
    elif kill_now "$(child_of "${worker_pid[$((round % 2))]}")"; then
        runners=$((runners + 1))
    fi
    read -rt 0.05 <> <(:) || true # time for the runners to execute points
done
say "$runners runners killed"
[ "$runners" -gt 0 ] || fail 'no runner was killed'
[ "$(count "tasks where state = 'done'")" -eq "$points" ] || fail "$(db 'select state, reason, count(*) from tasks group by 1, 2')"
[ "$(count "tasks t where not exists (select 1 from attempts a join ranks r using (run_id)
    where a.run_id = t.accepted_run_id and a.task_id = t.task_id and a.state = 'done' and r.status = 'done')")" -eq 0 ] ||
    fail 'a task has no successful attempt'
[ "$(count "attempts where state = 'done'")" -eq "$points" ] || fail 'a point was accepted twice'
killed=$(count "attempts where state = 'failed'")
[ "$killed" -le "$runners" ] || fail "$runners runners killed, $killed attempts failed: $(db "select reason, count(*) from attempts where state = 'failed' group by 1")"
[ "$(count "attempts where state = 'failed' and reason not like 'ended by signal 9%'")" -eq 0 ] ||
    fail "$(db "select distinct reason from attempts where state = 'failed'")"
