#!/usr/bin/env bash
# run.sh BUILD OUT [NAME...] - runs the benchmark programs of a build, prints a line a
# figure and writes the same to OUT as JSON; never fails for a figure that falls short
set -euo pipefail
build=$1 out=$2
shift 2
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

for program in "$build"/bench/bench_*; do
    [ -x "$program" ] || continue
    name=$(basename "$program")
    if [ $# -gt 0 ] && [[ " $* " != *" ${name#bench_} "* ]]; then
        continue
    fi
    if ! timeout 300 "$program" >>"$lines"; then
        echo "$name: did not finish" >&2
    fi
done

field() { # value of key $2 in the line $1, quotes taken off
    sed -E 's/.*"'"$2"'": ?("([^"]*)"|([^,}]*)).*/\2\3/' <<<"$1"
}
printf '%-34s %10s  %-52s %-12s %s\n' figure ratio 'to' budget ''
while read -r line; do
    [[ "$line" == "{"* ]] || continue
    if [[ "$line" == *'"skipped"'* ]]; then
        printf '%-34s %10s  %s\n' "$(field "$line" name)" skipped "$(field "$line" skipped)"
        continue
    fi
    verdict='falls short'
    [ "$(field "$line" holds)" = true ] && verdict=holds
    printf '%-34s %10.3f  %-52s %-12s %s\n' "$(field "$line" name)" \
        "$(field "$line" ratio)" "$(field "$line" of)" "$(field "$line" budget)" "$verdict"
done <"$lines"
{
    echo '['
    grep '^{' "$lines" | sed '$!s/$/,/'
    echo ']'
} >"$out"
echo "written to $out" >&2
