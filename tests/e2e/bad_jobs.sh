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

# a named pipe without a writer: each command that reads it must end
refused() { # COMMAND...: ends with 2 and names the pipe
    code=0
    timeout 20 "$@" >stdout.txt 2>stderr.txt || code=$?
    [ "$code" -eq 2 ] && grep -q 'named pipe' stderr.txt || fail "$*: exit $code: $(cat stderr.txt)"
}
mkfifo pipe
echo '{version: 1, name: a, operator: {config: pipe}}' >config.yaml
echo '{version: 1, name: a, operator: {command: [true]}, profile: {custom_input: pipe}}' >marks.yaml
for file in pipe config.yaml marks.yaml; do refused muster validate $file; done
refused muster inspect pipe
refused muster export pipe --json
mkdir etc && mkfifo etc/muster.yaml
MUSTER_ETC=$work/etc refused muster list
mkdir -p profile/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT
mkfifo profile/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/{trace_view.json,kernel_details.csv,step_trace_time.csv,communication.json}
code=0
timeout 20 muster analyze profile >stdout.txt 2>stderr.txt || code=$?
[ "$code" -ne 124 ] || fail 'muster analyze waits for a writer of a named pipe'
# a pipe without a name, as of the shell's <(...)
muster validate <(cat "$root/configs/examples/quickstart.yaml") >/dev/null || fail "a job from <(...): exit $?"

say "$count bad job files were refused"
