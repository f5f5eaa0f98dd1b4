#!/usr/bin/env bash
# unconfirmed_test.sh - the questions and their document name the same things; without a
# card that is what is said; on the simulated NPU each question finds an answer
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
said=$(ASCEND_HOME_PATH=/nowhere "$muster" selftest --hardware --output csv) || code=$?
[ "$code" -eq 0 ] || fail "without a card: exit $code"
grep -q '^cards,not-here,no card' <<<"$said" || fail "without a card: $said"

code=0
said=$("$muster" selftest --hardware --simulated --output csv) || code=$?
[ "$code" -le 1 ] || fail "the simulated NPU: exit $code"
for name in $written; do
    grep -qE "^$name,(confirmed|differs|told|by-hand|not-here)," <<<"$said" ||
        fail "$name has no answer: $said"
done
grep -qE 'signal [0-9]|no answer within' <<<"$said" && fail "a check does not end well: $said"
for name in sonames notifies channel-rights; do
    grep -q "^$name,confirmed" <<<"$said" || fail "$name on the simulated NPU: $said"
done
echo "$said"
