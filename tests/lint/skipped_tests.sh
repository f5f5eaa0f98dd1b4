#!/usr/bin/env bash
# skipped_tests.sh - the list of skipped tests has each reason and command, and a test that
# is skipped without a command is an error
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
results() { # STATUS ELEMENT OUTPUT: writes the results of one test
    cat >"$work/results.xml" <<XML
<testsuite><testcase name="a/test" status="$1">$2<system-out>$3</system-out></testcase></testsuite>
XML
}
list() { # CODE: lists what was skipped, and expects the exit code
    local code=0
    tests/skipped.py "$work/results.xml" >"$work/list" || code=$?
    [ "$code" -eq "$1" ] || fail "exit $code, not $1: $(cat "$work/list")"
}
listed() { # TEXT
    [ "$(cat "$work/list")" = "$1" ] || fail "listed: $(cat "$work/list")"
}
line='SKIPPED: there is no tool; to run it: install the tool'
shown='--- 1 skipped:
a/test: there is no tool
    install the tool'
skipped='<skipped message="SKIP_RETURN_CODE=77"/>'
case='[  SKIPPED ] a_case_needs_a_tool'

results run '' 'all is well'
list 0
listed ''
results notrun "$skipped" "$line"
list 0
listed "$shown"
results run '' "before
$line
after"
list 0
listed "$shown"
results run '' "$line
$case
[  SKIPPED ] 1 test(s), listed below:
$case"
list 0
listed "$shown"
results notrun "$skipped" 'no line'
list 1
grep -q '^a/test: the whole test$' "$work/list" || fail "listed: $(cat "$work/list")"
results run '' "$case"
list 1
grep -q '^a/test: a_case_needs_a_tool$' "$work/list" || fail "listed: $(cat "$work/list")"
