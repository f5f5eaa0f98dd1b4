#!/usr/bin/env bash
# interrupt.sh - Ctrl-C once: what was captured is parsed and reported as incomplete,
# exit 130, nothing left running; twice: at once
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
    [ "$code" -eq 130 ] || fail "pressed $presses: exit $code, not 130: $(cat run.err)"
    report=$(tail -n 1 run.txt)
    grep -q 'incomplete' "$report" || fail 'the report does not say that it is incomplete'
    done=$(db "select count(*) from tasks where state = 'done'")
    bins=$(find out -name visualize_data.bin | wc -l)
    [ "$bins" -ge 4 ] && [ "$bins" -ge "$done" ] || fail "$done tasks done, $bins files"
    [ "$done" -lt 800 ] || fail 'it ran to the end all the same'
    [ -z "$(leftovers)" ] || fail "left running: $(leftovers)"
    say "pressed $presses: $done of 800 tasks kept"
done
