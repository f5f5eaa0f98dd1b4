#!/usr/bin/env bash
# unconfirmed_test.sh - compares the names of the checks with docs/reference/unconfirmed.md; runs the checks
# without a card, and on the simulated NPU
set -euo pipefail
muster=$MUSTER_BUILD/bin/muster probe=$MUSTER_BUILD/lib/muster/muster-probe
fail() {
    echo "$*" >&2
    exit 1
}
unset LD_LIBRARY_PATH LD_PRELOAD ASCEND_HOME_PATH ASCEND_RT_VISIBLE_DEVICES

written=$(sed -n 's/^| \([a-z0-9-]*\) | .*/\1/p' docs/reference/unconfirmed.md | grep -v '^name$' | grep -v '^---$')
[ "$written" = "$("$probe" --list)" ] ||
    fail "docs/reference/unconfirmed.md and the checks differ: $(diff <(echo "$written") <("$probe" --list))"

code=0
output=$(ASCEND_HOME_PATH=/nowhere "$muster" selftest --hardware --output csv) || code=$?
[ "$code" -eq 0 ] || fail "without a card: exit $code"
grep -q '^cards,not-here,no card' <<<"$output" || fail "without a card: $output"

code=0
output=$("$muster" selftest --hardware --simulated --output csv) || code=$?
[ "$code" -le 1 ] || fail "the simulated NPU: exit $code"
for name in $written; do
    grep -qE "^$name,(confirmed|differs|fact|by-hand|not-here)," <<<"$output" ||
        fail "$name has no verdict: $output"
done
grep -qE 'signal [0-9]|no result within' <<<"$output" && fail "a check does not end well: $output"
for name in sonames notifies channel-rights; do
    grep -q "^$name,confirmed" <<<"$output" || fail "$name on the simulated NPU: $output"
done
echo "$output"
