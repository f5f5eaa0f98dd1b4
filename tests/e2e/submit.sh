#!/usr/bin/env bash
# submit.sh - a job that was handed in is there once, whatever becomes of the coordinator
# meanwhile; and once a night, however often a script says so
. "$(dirname "$0")/fleet.sh"
cd "$work"
job once '[16]' 1 >once.yaml
job other '[32]' 1 >other.yaml
count() { db 'select count(*) from jobs'; }

say 'the coordinator is killed while jobs are handed in'
coordinator_up
until_true muster list >/dev/null 2>&1
for round in $(seq 12); do
    for which in 1 2 3; do
        muster submit once.yaml >"key.$round.$which" 2>"err.$round.$which" &
        worker_pid[$which]=$!
    done
    read -rt "0.0$((round * 3 % 40 + 10))" <> <(:) || true # it may be before, during or after
    kill -KILL "$coordinator_pid"
    wait "$coordinator_pid" 2>/dev/null || true
    coordinator_up
    for which in 1 2 3; do
        code=0
        wait "${worker_pid[$which]}" || code=$?
        case $code in
        0) ;;
        3) grep -q 'no coordinator accepts' "err.$round.$which" || fail "submit: $(cat "err.$round.$which")" ;;
        *) fail "submit: exit $code: $(cat "err.$round.$which")" ;;
        esac
    done
    worker_pid=()
    until_true muster list >/dev/null 2>&1
done
cat key.* | sort >said
db "select key from jobs" | sort >there
diff said there >differ || fail "other jobs are there than were said: $(cat differ)"
[ "$(wc -l <said)" -gt 6 ] || fail "hardly any was handed in: $(cat err.*)"

say 'words make it one'
before=$(count)
first=$(muster submit --once tonight once.yaml 2>/dev/null)
again=$(muster submit --once tonight once.yaml 2>/dev/null)
[ -n "$first" ] && [ "$first" = "$again" ] || fail "$first, and then $again"
[ "$(count)" -eq $((before + 1)) ] || fail 'it is there twice'
code=0
muster submit --once tonight other.yaml 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q "used for $first, a different job file" err.txt ||
    fail "another file: exit $code: $(cat err.txt)"
