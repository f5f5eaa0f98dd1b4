#!/usr/bin/env bash
# bad_jobs.sh - for every bad job file the error names file, line and column, muster exits
# with 2, and nothing is started
. "$(dirname "$0")/fleet.sh"
cd "$work"

count=0
for file in "$root"/lib/job/samples/bad/*.yaml; do
    for command in validate "run --out $work/out"; do
        code=0
        # shellcheck disable=SC2086
        muster $command "$file" >stdout.txt 2>stderr.txt || code=$?
        [ "$code" -eq 2 ] || fail "$command $file: exit $code, not 2"
        grep -qE "^(muster [a-z]+: )?$file:[0-9]+:[0-9]+: ." stderr.txt ||
            fail "$command $file: no file:line:column in: $(cat stderr.txt)"
        [ ! -e "$work/out" ] || fail "$file: muster run created its output folder"
    done
    count=$((count + 1))
done
[ "$count" -ge 30 ] || fail "only $count bad job files"

code=0
muster run --out "$work/out" /no/such/job.yaml 2>stderr.txt || code=$?
[ "$code" -eq 2 ] || fail "a missing file: exit $code"
grep -q '/no/such/job.yaml' stderr.txt || fail "the error does not name the missing file: $(cat stderr.txt)"
say "$count bad job files were refused"
