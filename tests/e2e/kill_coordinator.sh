#!/usr/bin/env bash
# kill_coordinator.sh - after three times kill -9 of the coordinator during a job the job
# ends complete, no acknowledged task runs twice, and the store has all blocks once
. "$(dirname "$0")/fleet.sh"
cd "$work"

fleet_up
until_true muster submit "$root/configs/examples/quickstart.yaml" >submitted.txt 2>/dev/null
done_tasks() { db "select count(*) from tasks where state = 'done'"; }
for target in 5 14 23; do
    until_true eval "[ \"\$(done_tasks 2>/dev/null || echo 0)\" -ge $target ]"
    kill -KILL "$coordinator_pid"
    wait "$coordinator_pid" 2>/dev/null || true
    db "select task_id, attempts from tasks where state in ('parsing', 'done')" >"acked.$target"
    coordinator_up
    say "killed at $target tasks or more"
done
muster wait 1 --timeout 120s || fail "muster wait: exit $?"

[ "$(done_tasks)" -eq 36 ] || fail "$(done_tasks) of 36 tasks"
say 'a task with an acknowledged result does not run again'
for target in 5 14 23; do
    while IFS='|' read -r task attempts; do
        now=$(db "select attempts from tasks where task_id = $task")
        [ "$now" -eq "$attempts" ] || fail "task $task ran again: $attempts attempts, now $now"
    done <"acked.$target"
done
say 'the store contains every sent block exactly once'
db "select run_id, blocks from ranks where status = 'done'" >sent
[ -s sent ] || fail 'no rank ended'
while IFS='|' read -r run blocks; do
    kept=$(capture_db 1 "select count(*) from blocks where run_id = $run")
    [ "$kept" -eq "$blocks" ] || fail "run $run: $blocks blocks sent, $kept stored"
    holes=$(capture_db 1 "select count(*) from (select block, row_number() over
        (partition by shard order by block) - 1 as n from blocks where run_id = $run) where block != n")
    [ "$holes" -eq 0 ] || fail "run $run: $holes holes among its blocks"
done <sent
[ "$(find out -name visualize_data.bin | wc -l)" -eq 36 ] || fail 'not all files were written'
muster show 1 --output jsonl >show.txt

say 'a parser ends when its coordinator is killed'
end "$coordinator_pid"
MUSTER_TEST_PARSER_BREAK=reader:hang coordinator_up
sed 's/^name: .*/name: stuck/' "$root/configs/examples/quickstart.yaml" >stuck.yaml
until_true muster submit stuck.yaml >/dev/null 2>&1
parsers() { pgrep -f "muster-parser rank .*$work/out/stuck-2" || true; }
until_true eval '[ -n "$(parsers)" ]'
kill -KILL "$coordinator_pid"
wait "$coordinator_pid" 2>/dev/null || true
until_true eval '[ -z "$(parsers)" ]'
