#!/usr/bin/env bash
# resume.sh - after kill -9 of `muster run` its fleet ends, and `muster resume` runs the
# remaining tasks without repeating finished ones
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
export TMPDIR=$work/tmp
mkdir tmp

job broken '[1024, 2048, 4096]' 10 >job.yaml
muster run --quiet --out "$work/out" job.yaml >run.txt 2>run.err &
pid=$!
measured() { [ "$(db "select count(*) from tasks where state = 'done'" 2>/dev/null || echo 0)" -ge "$1" ]; }
until_true measured 8
code=0
muster wait --quiet --timeout 0s broken 2>err.txt || code=$?
[ "$code" -eq 6 ] && grep -q 'has not ended within --timeout' err.txt || fail "wait while it runs: exit $code: $(cat err.txt)"
explained=$(muster explain broken)
[[ $explained = *'point '* && $explained != *'no coordinator'* ]] || fail "explain while it runs: $explained"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
no_process() { [ -z "$(leftovers)" ]; }
until_true no_process
no_folder() { [ -z "$(ls tmp)" ]; }
until_true no_folder # the folder of its sockets is removed
say 'the fleet of the killed run has ended'
db "select task_id, attempts from tasks where state = 'done'" >before
[ "$(wc -l <before)" -lt 60 ] || fail 'all tasks ended before the kill'
code=0
muster wait --quiet broken 2>err.txt || code=$?
[ "$code" -eq 3 ] && grep -q "continue it with 'muster resume --out out broken-1'" err.txt || fail "wait without a coordinator: exit $code: $(cat err.txt)"
muster explain broken | grep -qE '^broken: point [0-9]+ repeat [0-9]+ is (waiting|leased|parsing).*; no coordinator works on it: continue it with .muster resume' ||
    fail "explain: $(muster explain broken)"

code=0
muster resume --out "$work/out" no-such-job 2>err.txt || code=$?
[ "$code" -eq 2 ] || fail "an unknown job: exit $code"
muster resume --quiet --out "$work/out" >resumed.txt 2>resumed.err || fail "resume: exit $?: $(cat resumed.err)"
grep -q 'complete, 60 of 60' "$(tail -n 1 resumed.txt)" || fail 'the report is not complete'
while IFS='|' read -r task attempts; do
    now=$(db "select attempts from tasks where task_id = $task")
    [ "$now" -eq "$attempts" ] || fail "task $task was measured again"
done <before
code=0
muster resume --out "$work/out" 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'all have ended' err.txt || fail "nothing to resume: exit $code: $(cat err.txt)"
[ "$(muster wait --quiet broken)" = "broken-1 done $(realpath out)/broken-1/report.html" ] || fail 'wait for an ended job did not print its state and report'
no_process || fail "left running: $(leftovers)"
