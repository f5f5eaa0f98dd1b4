#!/usr/bin/env bash
# help.sh - every verb and program tells what it takes; wrong words get exit 2 and a hint
. "$(dirname "$0")/fleet.sh"
verbs=$(muster help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(wc -l <<<"$verbs")" -ge 14 ] || fail "only these verbs: $verbs"
for verb in $verbs; do
    muster "$verb" --help >"$work/help.txt" || fail "$verb --help: exit $?"
    grep -q "^usage: muster $verb" "$work/help.txt" || fail "$verb --help has no usage line"
    [ "$verb" = help ] && continue
    code=0
    muster "$verb" --no-such-option >/dev/null 2>"$work/err.txt" || code=$?
    [ "$code" -eq 2 ] || fail "$verb --no-such-option: exit $code"
    [ -s "$work/err.txt" ] || fail "$verb --no-such-option says nothing"
done
for program in muster-coordinator muster-worker muster-parser; do
    "$program" --help | grep -q "^usage: $program" || fail "$program --help"
    "$program" --version | grep -qE '[0-9]+\.[0-9]+\.[0-9]+' || fail "$program --version"
done
code=0
muster rnu >/dev/null 2>"$work/err.txt" || code=$?
[ "$code" -eq 2 ] || fail "an unknown verb: exit $code"
grep -q "did you mean 'run'" "$work/err.txt" || fail "no hint: $(cat "$work/err.txt")"
code=0
MUSTER_COORDINATOR=ipc://$work/nobody muster list >/dev/null 2>"$work/err.txt" || code=$?
[ "$code" -eq 3 ] || fail "no coordinator: exit $code"
