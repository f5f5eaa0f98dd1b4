#!/usr/bin/env bash
# parser_options.sh - the coordinator's options for parsers have an effect: the number at
# the same time, the program, and the limits of time and memory
. "$(dirname "$0")/fleet.sh"
cd "$work"
export MUSTER_TEST_REAL_PARSER=$B/bin/muster-parser MUSTER_TEST_MARKS=$work/marks
cat >job.yaml <<'YAML'
version: 1
name: job
operator: {command: [sim/bin/add_custom]}
sweep: {repeat: 3}
profile: {metrics: [PipeUtilization], warmup: 0}
limits: {retries: 0}
YAML
# A parser ends when its parent is not the coordinator, so it takes the place of its script.
parser() { # NAME SHELL: a parser that runs this shell text before it parses a rank
    printf '#!/bin/sh\n[ "$1" != rank ] || {\n%s\n}\nexec "$MUSTER_TEST_REAL_PARSER" "$@"\n' "$2" >"$1"
    chmod +x "$1"
}
# The parser keeps the open file, and with it the lock, until it ends.
parser alone.sh 'exec 9>"$MUSTER_TEST_MARKS/lock"
if flock -n 9; then echo alone; else echo together; fi >>"$MUSTER_TEST_MARKS/seen"'
# The first two parsers wait for each other at the pipe.
parser together.sh 'if mkdir "$MUSTER_TEST_MARKS/first" 2>/dev/null; then : <"$MUSTER_TEST_MARKS/pipe"
elif mkdir "$MUSTER_TEST_MARKS/second" 2>/dev/null; then : >"$MUSTER_TEST_MARKS/pipe"
fi'
parser blocked.sh ': <"$MUSTER_TEST_MARKS/pipe"'
measure() { # OPTION...: measures the job with a new coordinator; sets $code and $errors
    code=0
    rm -rf out marks
    mkdir marks
    mkfifo marks/pipe
    coordinator_up "$@"
    until_true muster list >/dev/null 2>&1
    worker_up 0
    muster submit job.yaml >submitted.txt 2>&1 || fail "submit: $(cat submitted.txt)"
    timeout 120 muster wait job-1 >wait.txt 2>&1 || code=$?
    errors=$(db 'select distinct parse_error from ranks')
    down
}

say '--parser names the program, and --parsers limits how many run at the same time'
measure --parser "$work/alone.sh" --parsers 1
[ "$code $(xargs <marks/seen)" = '0 alone alone alone' ] || fail "one: exit $code, $(cat marks/seen wait.txt)"
measure --parser "$work/together.sh" --parsers 2
[ "$code" -eq 0 ] && [ -d marks/second ] || fail "two: exit $code, $(ls marks), $(cat wait.txt)"

say '--parser-limit ends a parser that takes longer'
measure --parser "$work/blocked.sh" --parser-limit 300ms
[ "$code" -eq 1 ] && grep -q 'the parser was killed at its time limit' <<<"$errors" || fail "exit $code: $errors"

say '--parser-memory limits the memory of a parser'
case $B in
*sanitize* | *tsan*) exit 0 ;; # their parsers have no limit: a sanitizer reserves more memory than any
esac
# The coordinator sets the limit right after the start, so the script waits for it. The
# libraries of the parser need more than 6 MiB, the shell needs less. Without a limit the
# script ends with the coordinator.
parser limited.sh 'until [ "$(ulimit -v)" = 6144 ]; do kill -0 "$PPID" || exit; done'
measure --parser "$work/limited.sh" --parser-memory 6MiB
[ "$code $errors" = '1 the parser ended with exit code 127: it could not be started; check --parser and --parser-memory' ] ||
    fail "exit $code: $errors"
