#!/usr/bin/env bash
# help.sh - every command and program has a help; wrong arguments give exit 2 and a hint
. "$(dirname "$0")/fleet.sh"
commands=$(muster help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(wc -l <<<"$commands")" -ge 14 ] || fail "only these commands: $commands"
for command in $commands; do
    muster "$command" --help >"$work/help.txt" || fail "$command --help: exit $?"
    grep -q "^usage: muster $command" "$work/help.txt" || fail "$command --help has no usage line"
    [ "$command" = help ] && continue
    code=0
    muster "$command" --no-such-option >/dev/null 2>"$work/err.txt" || code=$?
    [ "$code" -eq 2 ] || fail "$command --no-such-option: exit $code"
    [ -s "$work/err.txt" ] || fail "$command --no-such-option prints no error"
done
for program in muster-coordinator muster-worker muster-parser muster-serve; do
    "$program" --help | grep -qE "^usage: ($program|muster serve) " || fail "$program --help"
    "$program" --version | grep -qE '[0-9]+\.[0-9]+\.[0-9]+' || fail "$program --version"
done
for command in rank merge folder report list; do
    muster-parser $command --help >"$work/help.txt" || fail "muster-parser $command --help: exit $?"
    [ "$(sed -n 1p "$work/help.txt" | cut -d' ' -f1,2)" = "muster-parser $command" ] || fail "muster-parser $command --help: $(cat "$work/help.txt")"
    [ "$(grep -c '^muster-parser' "$work/help.txt")" -eq 1 ] || fail "muster-parser $command --help lists other commands"
done
for words in 'list --last' 'expand --limit' 'run --cards' 'analyze --jobs'; do
    code=0
    # shellcheck disable=SC2086 # a command and its option
    muster $words 0 >/dev/null 2>"$work/err.txt" || code=$?
    [ "$code" -eq 2 ] && grep -q -- "--${words#*--}: '0' is not a whole number of at least 1" "$work/err.txt" ||
        fail "$words 0: exit $code: $(cat "$work/err.txt")"
done
code=0
muster rnu >/dev/null 2>"$work/err.txt" || code=$?
[ "$code" -eq 2 ] || fail "an unknown command: exit $code"
grep -q "did you mean 'run'" "$work/err.txt" || fail "no hint: $(cat "$work/err.txt")"
code=0
MUSTER_COORDINATOR=ipc://$work/no-coordinator muster list >/dev/null 2>"$work/err.txt" || code=$?
[ "$code" -eq 3 ] || fail "no coordinator: exit $code"
