#!/usr/bin/env bash
# interrupt.sh - after one Ctrl-C running tasks get the grace time, captured data is parsed
# and reported as incomplete, and muster run exits with 130; a second one ends at once
. "$(dirname "$0")/fleet.sh"
cd "$work"

job slow '[1]' 400 >job.yaml
measured() { [ "$(db "select count(*) from tasks where state = 'done'" 2>/dev/null || echo 0)" -ge "$1" ]; }

for presses in 1 2; do
    rm -rf out
    setsid muster run --out "$work/out" job.yaml >run.txt 2>run.err &
    pid=$!
    until_true measured 4
    kill -INT "$pid"
    if [ "$presses" -eq 2 ]; then kill -INT "$pid"; fi
    code=0
    wait "$pid" || code=$?
    [ "$code" -eq 130 ] || fail "Ctrl-C, $presses times: exit $code, not 130: $(cat run.err)"
    report=$(tail -n 1 run.txt)
    grep -q 'incomplete' "$report" || fail 'the report is not marked as incomplete'
    done=$(db "select count(*) from tasks where state = 'done'")
    bins=$(find out -name visualize_data.bin | wc -l)
    [ "$bins" -ge 4 ] && [ "$bins" -ge "$done" ] || fail "$done tasks done, $bins files"
    [ "$done" -lt 800 ] || fail 'all tasks ran to the end'
    [ -z "$(leftovers)" ] || fail "left running: $(leftovers)"
    say "Ctrl-C, $presses times: $done of 800 tasks kept"
done

waiting stays.sh '"$ADD" --n 1024 >/dev/null && touch '"'$work/measured'"
cat >stays.yaml <<YAML
version: 1
name: stays
operator: {command: ["$work/stays.sh"], env: {ADD: "$B/lib/muster/sim/bin/add_custom"}}
sweep: {repeat: 2}
cards: {ids: [0]}
profile: {metrics: [PipeUtilization]}
YAML
for way in twice grace ends; do
    rm -rf out measured go
    grace=600s
    if [ "$way" = grace ]; then grace=1s; fi
    setsid muster run --out "$work/out" --grace "$grace" stays.yaml >run.txt 2>run.err &
    pid=$!
    until_true [ -e measured ]
    kill -INT "$pid"
    until_true grep -q 'no more tasks start; running tasks have .* s to end; press Ctrl-C again' run.err
    case $way in
    twice) kill -INT "$pid" ;;
    ends) touch go ;;
    esac
    code=0
    wait "$pid" || code=$?
    [ "$code" -eq 130 ] || fail "$way: exit $code, not 130: $(cat run.err)"
    grep -qxF "stays-1: cancelled; 'muster retry --out $work/out stays-1' runs the cancelled tasks" run.err || fail "$way: $(cat run.err)"
    grep -q incomplete "$(tail -n 1 run.txt)" || fail "$way: the report is not marked as incomplete"
    [ "$(find out -name visualize_data.bin | wc -l)" -eq 1 ] || fail "$way: the captured launch is not parsed"
    [ "$(
        unset MUSTER_COORDINATOR
        muster results --out out stays --metric duration_us -o jsonl | grep -c '"value":[0-9]'
    )" -eq 1 ] || fail "$way: not exactly one figure"
    states=$(db "select state, reason from tasks order by repeat")
    case $way in
    ends) expected=$'done|\ncancelled|cancelled' ;;
    *) expected=$'cancelled|cancelled; the partial result is parsed\ncancelled|cancelled' ;;
    esac
    [ "$states" = "$expected" ] || fail "$way: $states"
    case $way in
    twice) grep -q 'interrupted again: stopping running tasks' run.err || fail "$way: $(cat run.err)" ;;
    grace) grep -q 'grace time is over: stopping running tasks' run.err || fail "$way: $(cat run.err)" ;;
    ends) if grep -q 'stopping running tasks' run.err; then fail "$way: $(cat run.err)"; fi ;;
    esac
    [ -z "$(leftovers)" ] || fail "$way: left running: $(leftovers)"
    say "an operator that waits after its launch, $way: the launch is parsed"
done
