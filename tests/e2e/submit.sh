#!/usr/bin/env bash
# submit.sh - a submitted job is stored exactly once, also when the coordinator is killed
# meanwhile; submit --once TOKEN stores one job for all submits with the same token
. "$(dirname "$0")/fleet.sh"
cd "$work"
job once '[16]' 1 >once.yaml
job other '[32]' 1 >other.yaml
count() { db 'select count(*) from jobs'; }

say 'the coordinator is killed while clients submit jobs'
coordinator_up
until_true muster list >/dev/null 2>&1
for round in $(seq 12); do
    for client in 1 2 3; do
        muster submit once.yaml >"key.$round.$client" 2>"err.$round.$client" &
        worker_pid[$client]=$!
    done
    read -rt "0.0$((round * 3 % 40 + 10))" <> <(:) || true # so the kill comes before, during or after a submit
    kill -KILL "$coordinator_pid"
    wait "$coordinator_pid" 2>/dev/null || true
    coordinator_up
    for client in 1 2 3; do
        code=0
        wait "${worker_pid[$client]}" || code=$?
        case $code in
        0) ;;
        3) grep -q 'no coordinator accepts' "err.$round.$client" || fail "submit: $(cat "err.$round.$client")" ;;
        *) fail "submit: exit $code: $(cat "err.$round.$client")" ;;
        esac
    done
    worker_pid=()
    until_true muster list >/dev/null 2>&1
done
cat key.* | sort >printed
db "select key from jobs" | sort >stored
diff printed stored >differ || fail "the stored jobs differ from the printed keys: $(cat differ)"
[ "$(wc -l <printed)" -gt 6 ] || fail "fewer than 7 jobs were submitted: $(cat err.*)"

say 'the same token gives the same job'
before=$(count)
first=$(muster submit --once tonight once.yaml 2>first.txt)
again=$(muster submit --once tonight once.yaml 2>again.txt)
grep -q "^$first: submitted, 2 tasks" first.txt || fail "first submit: $(cat first.txt)"
grep -q "^$first: was submitted before with this token, so nothing was submitted now" again.txt ||
    fail "second submit: $(cat again.txt)"
[ -n "$first" ] && [ "$first" = "$again" ] || fail "the first submit printed '$first', the second '$again'"
[ "$(count)" -eq $((before + 1)) ] || fail 'the job is stored twice'
code=0
muster submit --once tonight other.yaml 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q "used for $first, a different job file" err.txt ||
    fail "another file with the same token: exit $code: $(cat err.txt)"
