#!/usr/bin/env bash
# resume.sh - kill -9 of `muster run` itself: its fleet ends by itself, and `muster
# resume` goes on where it was
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
[[ $explained = *'point '* && $explained != *nobody* ]] || fail "explain while it runs: $explained"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
nobody() { [ -z "$(leftovers)" ]; }
until_true nobody
no_folder() { [ -z "$(ls tmp)" ]; }
until_true no_folder # its sockets went with it
say 'the fleet ended by itself'
db "select task_id, attempts from tasks where state = 'done'" >before
[ "$(wc -l <before)" -lt 60 ] || fail 'it ran to the end'
code=0
muster wait --quiet broken 2>err.txt || code=$?
[ "$code" -eq 3 ] && grep -q "continue it with 'muster resume --out out broken-1'" err.txt || fail "wait for nobody: exit $code: $(cat err.txt)"
muster explain broken | grep -qE '^broken: point [0-9]+ repeat [0-9]+ is (waiting|leased|parsing).*; no coordinator works on it: continue it with .muster resume' ||
    fail "explain: $(muster explain broken)"

code=0
muster resume --out "$work/out" no-such-job 2>err.txt || code=$?
[ "$code" -eq 2 ] || fail "an unknown job: exit $code"
muster resume --quiet --out "$work/out" >resumed.txt 2>resumed.err || fail "resume: exit $?: $(cat resumed.err)"
grep -q 'complete, 60 of 60' "$(tail -n 1 resumed.txt)" || fail 'not complete'
while IFS='|' read -r task attempts; do
    now=$(db "select attempts from tasks where task_id = $task")
    [ "$now" -eq "$attempts" ] || fail "task $task was measured again"
done <before
code=0
muster resume --out "$work/out" 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'all have ended' err.txt || fail "nothing to resume: exit $code: $(cat err.txt)"
[ "$(muster wait --quiet broken)" = "broken-1 done $(realpath out)/broken-1/report.html" ] || fail 'wait for what has ended'
nobody || fail "left running: $(leftovers)"
