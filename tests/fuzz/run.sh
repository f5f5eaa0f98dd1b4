#!/usr/bin/env bash
# run.sh SECONDS - every reader against libFuzzer, so long each; seeds are the samples
# that stand beside the reader (FOLDER/samples). What breaks one is left in
# build/fuzz/found and fails the run.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}

cmake --preset fuzz >/dev/null
programs=$(ninja -C build/fuzz -t targets all | sed -n 's/^\(fuzz\/[a-z_]*_fuzz\): .*/\1/p')
ninja -C build/fuzz $programs >/dev/null
mkdir -p build/fuzz/found

bad=0
for program in $programs; do
    name=$(basename "$program")
    corpus=build/fuzz/corpus/$name
    mkdir -p "$corpus"
    seeds=()
    [ -d "${name%%_*}/samples" ] && mapfile -t seeds < <(find "${name%%_*}/samples" -type d)
    log=build/fuzz/$name.log
    if "build/fuzz/$program" -max_total_time="$seconds" -max_len=65536 -timeout=10 \
        -rss_limit_mb=1024 -artifact_prefix="build/fuzz/found/$name-" \
        "$corpus" "${seeds[@]}" >"$log" 2>&1; then
        echo "$name: $(grep -oE 'DONE.*|Done [0-9]+ runs.*' "$log" | tail -n 1)"
    else
        echo "$name: FAILED" >&2
        grep -E 'ERROR|SUMMARY|Test unit' "$log" | head -n 5 >&2
        bad=1
    fi
done
exit $bad
