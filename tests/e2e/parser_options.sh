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
# Waits for a second parser of a rank, at most a second, and writes how many there are. The
# parser ends when its parent is not the coordinator, so it takes the place of the script.
cat >parser.sh <<'SHELL'
#!/bin/sh
count() {
    running=0
    for mark in "$MUSTER_TEST_MARKS"/*; do
        kill -0 "${mark##*/}" 2>/dev/null && running=$((running + 1))
    done
    [ "$running" -ge 2 ]
}
if [ "$1" = rank ]; then
    : >"$MUSTER_TEST_MARKS/$$"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        if count; then break; fi
        sleep 0.1
    done
    echo "$running" >>"$MUSTER_TEST_MARKS.seen"
fi
exec "$MUSTER_TEST_REAL_PARSER" "$@"
SHELL
chmod +x parser.sh
measure() { # OPTION...: measures the job with a new coordinator; sets $code and $errors
    code=0
    rm -rf out marks marks.seen
    mkdir marks
    coordinator_up "$@"
    until_true muster list >/dev/null 2>&1
    worker_up 0
    muster submit job.yaml >submitted.txt 2>&1 || fail "submit: $(cat submitted.txt)"
    timeout 120 muster wait job-1 >wait.txt 2>&1 || code=$?
    errors=$(db 'select distinct parse_error from ranks')
    down
}

say '--parser names the program, and --parsers limits how many run at the same time'
measure --parser "$work/parser.sh" --parsers 1
[ "$code $(sort -u marks.seen)" = '0 1' ] || fail "one: exit $code, $(cat marks.seen wait.txt)"
[ "$(wc -l <marks.seen)" -eq 3 ] || fail "$(wc -l <marks.seen) parsers ran for 3 tasks"
measure --parser "$work/parser.sh" --parsers 2
[ "$code $(sort -n marks.seen | tail -n 1)" = '0 2' ] || fail "two: exit $code, $(cat marks.seen wait.txt)"

say '--parser-limit ends a parser that takes longer'
measure --parser "$work/parser.sh" --parsers 1 --parser-limit 300ms
[ "$code" -eq 1 ] && grep -q 'the parser was killed at its time limit' <<<"$errors" || fail "exit $code: $errors"

case $B in
*sanitize* | *tsan*) exit 0 ;; # their parsers have no limit: a sanitizer reserves more memory than any
esac
say '--parser-memory limits the memory of a parser'
measure --parser-memory 8MiB
[ "$code $errors" = '1 the parser ended with exit code 127: it could not be started; check --parser and --parser-memory' ] ||
    fail "exit $code: $errors"
