#!/usr/bin/env bash
# retry.sh - one verb runs again what failed, and only that: on a fleet, by class of
# failure, and of a private run whose fleet is gone; a job after another waits for it
. "$(dirname "$0")/fleet.sh"
cd "$work"

# fails, or is ended by a signal, as long as the file of that name is there
cat >moody.sh <<'SH'
#!/bin/sh
[ -e "$1" ] || exit 0
[ "$1" = mad ] && kill -SEGV $$
exit 3
SH
chmod +x moody.sh
moody() { # NAME [LINE]
    cat <<YAML
version: 1
name: $1
operator: {command: [./moody.sh, "\${mood}"], cwd: .}
sweep: {matrix: {mood: [calm, cross, mad]}}
profile: {metrics: []}
${2:-}
YAML
}
runs() { # how often each of a job's tasks was run, to an end
    db "select group_concat(n, ' ') from (select count(r.run_id) as n from tasks t
        left join attempts a using(task_id) left join ranks r using(run_id)
        where t.job_id = $1 group by t.task_id order by t.place)"
}
ends() { # CODE COMMAND...
    local wanted=$1 code=0
    shift
    "$@" >out.txt 2>err.txt || code=$?
    [ "$code" -eq "$wanted" ] || fail "$*: exit $code, not $wanted: $(cat out.txt err.txt)"
}

touch cross mad
moody moods >job.yaml
moody behind 'after: [moods]' >behind.yaml
coordinator_up # and no worker yet: the one job must not end before the other is there
key=$(muster submit job.yaml)
ends 0 muster submit behind.yaml
for card in 0 1; do worker_up $card; done
ends 1 muster wait --quiet "$key"
ends 5 muster wait --quiet behind
grep -q 'cancelled' out.txt || fail "behind: $(cat out.txt)"
[ "$(runs 1)" = '1 1 1' ] || fail "runs: $(runs 1)"

say 'by class: only what a signal ended'
ends 2 muster retry --class no-such-class "$key"
rm mad
ends 0 muster retry --class signal "$key"
grep -q '1 task waits again' out.txt || fail "$(cat out.txt)"
ends 1 muster wait --quiet "$key"
[ "$(runs 1)" = '1 1 2' ] || fail "runs: $(runs 1)"

say 'and then all that is left, with the job behind it'
rm cross
ends 7 muster retry behind
grep -q 'depends on another job' err.txt || fail "$(cat err.txt)"
ends 0 muster retry "$key"
ends 0 muster retry behind
ends 0 muster wait --quiet "$key"
ends 0 muster wait --quiet behind
[ "$(runs 1)" = '1 2 2' ] || fail "runs: $(runs 1)"
ends 2 muster retry "$key"
grep -q 'no task of this job failed' err.txt || fail "$(cat err.txt)"
[ "$(db "select count(*) from jobs where state = 'done'")" -eq 2 ] || fail 'not both are done'
down

say 'of a private run, whose fleet is gone'
unset MUSTER_COORDINATOR
touch cross mad
ends 1 muster run --quiet --out "$work/out" job.yaml
rm cross mad
ends 2 muster resume --out "$work/out" moods-3
grep -q "'muster retry' runs its failed tasks again" err.txt || fail "$(cat err.txt)"
ends 0 muster retry --quiet --out "$work/out" moods-3
grep -q 'complete, 3 of 3' "$(tail -n 1 out.txt)" || fail 'the report is an old one'
[ "$(runs 3)" = '1 2 2' ] || fail "runs: $(runs 3)"
nobody() { [ -z "$(leftovers)" ]; }
until_true nobody
