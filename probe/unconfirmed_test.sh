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

# Each row of the first table is a check of the probe, each row of the second one a check of a measured program.
rows() { sed -n "/^## $1/,/^## /s/^| \([a-z0-9-]* | .* |\)\$/| \1/p" docs/reference/unconfirmed.md | grep -v '^| name |\|^| ---' | tr -d '`'; }
[ "$(rows 'Asked without a program')" = "$("$probe" --list)" ] ||
    fail "docs/reference/unconfirmed.md and the checks differ: $(diff <(rows 'Asked without a program') <("$probe" --list))"
written=$("$probe" --list | sed 's/^| \([a-z0-9-]*\) .*/\1/')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

code=0
output=$(ASCEND_HOME_PATH=/nowhere "$muster" selftest --hardware --archive "$work/none" --output csv) || code=$?
[ "$code" -eq 1 ] || fail "without a card: exit $code"
grep -q '^cards,not-here,no card' <<<"$output" || fail "without a card: $output"
[ ! -e "$work/none" ] || fail 'an archive was written without a card'

code=0
output=$("$muster" selftest --hardware --simulated --archive "$work/archive" --output csv 2>"$work/err") || code=$?
grep -qF "the archive $work/archive has the captures without user data" "$work/err" || fail "the archive is not named: $(cat "$work/err")"
[ "$code" -le 1 ] || fail "the simulated NPU: exit $code"
for name in $written; do
    grep -qE "^$name,(confirmed|differs|fact|by-hand|not-here)," <<<"$output" ||
        fail "$name has no verdict: $output"
done
grep -qE 'signal [0-9]|no result within' <<<"$output" && fail "a check does not end well: $output"
for name in sonames notifies channel-rights; do
    grep -q "^$name,confirmed" <<<"$output" || fail "$name on the simulated NPU: $output"
done
diff <(sed -n '/^## Asked of known programs/,/^## /s/^| \([a-z0-9-]*\) | .*/\1/p' docs/reference/unconfirmed.md | grep -v '^name$\|^---') \
    <(sed -n '/^known-group,/,$s/,.*//p' <<<"$output" | tail -n +2) ||
    fail 'docs/reference/unconfirmed.md and the checks of known programs differ'
for name in known-kernel known-group capture hooks passes counter-bytes operations restore clock-pairs; do
    grep -q "^$name,confirmed" <<<"$output" || fail "$name on the simulated NPU: $output"
done
# ranks that wait for a core of a busy machine are released late, so the verdict may be either; the counts may not
grep -qE '^barrier,(confirmed|differs),"26 releases, half of them at most [0-9.]+ us late; 0 aborted"' <<<"$output" ||
    fail "barrier on the simulated NPU: $output"
code=0
replayed=$("$muster" selftest --replay "$work/archive" --output csv) || code=$?
[ "$(grep -v '^serial,' <<<"$replayed")" = "$(grep -v '^serial,' <<<"$output")" ] || fail "a replay of the archive: $replayed"
"$muster" selftest --replay "$work/archive" >"$work/text" || [ $? -eq 1 ] || fail 'a replay as text'
grep -q '^restore  *confirmed  0 of .*; assumed: each execution .*; otherwise: a kernel' "$work/text" || fail "a line of text: $(grep ^restore "$work/text")"
! grep -q ' $' "$work/text" || fail 'a line of text ends with spaces'

# libraries that violate assumptions
mkdir -p "$work/odd/lib64"
for name in libascendcl libascend_hal libdcmi; do
    ln -s "$MUSTER_BUILD/tests/libodd_card.so" "$work/odd/lib64/$name.so"
done
code=0
odd=$(ASCEND_HOME_PATH=$work/odd LD_LIBRARY_PATH=$MUSTER_BUILD/lib/muster/sim/lib64 "$probe" --simulated) || code=$?
[ "$code" -eq 1 ] || fail "the probe with odd libraries: exit $code: $odd"
for name in sonames notifies fork channel-rights server-channel board; do
    grep -q "^$name.differs" <<<"$odd" || fail "$name with odd libraries: $odd"
done
echo "$output"
