#!/usr/bin/env bash
# retry.sh - muster retry repeats the failed tasks of a job and no others: on a fleet, by
# class of failure, and in a private run that has ended; a dependent job waits for it
. "$(dirname "$0")/fleet.sh"
cd "$work"

# exits with 3, or crashes by a signal, as long as the file $1 exists
cat >flaky.sh <<'SH'
#!/bin/sh
[ -e "$1" ] || exit 0
[ "$1" = crash ] && kill -SEGV $$
exit 3
SH
chmod +x flaky.sh
flaky_job() { # NAME [LINE]
    cat <<YAML
version: 1
name: $1
operator: {command: [./flaky.sh, "\${outcome}"], cwd: .}
sweep: {matrix: {outcome: [pass, fail, crash]}}
profile: {metrics: []}
${2:-}
YAML
}
runs() { # JOB: prints the number of ended executions of each task
    db "select group_concat(n, ' ') from (select count(r.run_id) as n from tasks t
        left join attempts a using(task_id) left join ranks r using(run_id)
        where t.job_id = $1 group by t.task_id order by t.place)"
}
ends() { # CODE COMMAND...
    local expected=$1 code=0
    shift
    "$@" >out.txt 2>err.txt || code=$?
    [ "$code" -eq "$expected" ] || fail "$*: exit $code, not $expected: $(cat out.txt err.txt)"
}

touch fail crash
flaky_job flaky >job.yaml
flaky_job dependent 'after: [flaky]' >dependent.yaml
coordinator_up # without a worker, so that the first job cannot end before the second is submitted
key=$(muster submit job.yaml)
ends 0 muster submit dependent.yaml
ends 3 muster reparse "$key"
grep -q "$key has not ended; try again when it has ended" err.txt || fail "$(cat err.txt)"
for card in 0 1; do worker_up $card; done
ends 1 muster wait --quiet "$key"
ends 5 muster wait --quiet dependent
grep -q 'cancelled' out.txt || fail "dependent: $(cat out.txt)"

say 'a job that names a failed job in after is refused'
ends 2 muster submit dependent.yaml
grep -q 'dependent.yaml: after: job flaky (number 1) has ended as failed' err.txt || fail "$(cat err.txt)"
[ "$(runs 1)" = '1 1 1' ] || fail "runs: $(runs 1)"

say 'retry --class signal repeats the crashed task only'
ends 2 muster retry --class no-such-class "$key"
rm crash
ends 0 muster retry --class signal "$key"
grep -q '1 task waits again' out.txt || fail "$(cat out.txt)"
ends 1 muster wait --quiet "$key"
[ "$(runs 1)" = '1 1 2' ] || fail "runs: $(runs 1)"

say 'retry repeats the remaining failed task, then the dependent job runs'
rm fail
ends 2 muster retry dependent
grep -q 'depends on another job' err.txt || fail "$(cat err.txt)"
ends 0 muster retry "$key"
ends 0 muster retry dependent
ends 0 muster wait --quiet "$key"
ends 0 muster wait --quiet dependent
[ "$(runs 1)" = '1 2 2' ] || fail "runs: $(runs 1)"
ends 2 muster retry "$key"
grep -q 'no task of this job failed' err.txt || fail "$(cat err.txt)"
[ "$(db "select count(*) from jobs where state = 'done'")" -eq 2 ] || fail 'not both jobs are done'
down

say 'retry of a private run that has ended'
unset MUSTER_COORDINATOR
touch fail crash
ends 1 muster run --quiet --out "$work/out" job.yaml
rm fail crash
ends 2 muster resume --out "$work/out" flaky-3
grep -q "'muster retry' runs its failed tasks again" err.txt || fail "$(cat err.txt)"
ends 0 muster retry --quiet --out "$work/out" flaky-3
grep -q 'complete, 3 of 3' "$(tail -n 1 out.txt)" || fail 'the report was not written again'
[ "$(runs 3)" = '1 2 2' ] || fail "runs: $(runs 3)"
no_process() { [ -z "$(leftovers)" ]; }
until_true no_process
