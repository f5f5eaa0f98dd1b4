#!/usr/bin/env bash
# includes.sh - fails on an include that runs upwards
#
# A file includes its own folder and what its folder may know. The table below is the
# lint of the README, once more, for the machine.
set -euo pipefail
cd "${1:-.}"

may_know() {
    case "$1" in
    base) echo "" ;;
    capture) echo "base" ;;
    wire | job | store) echo "base capture" ;;
    alloc) echo "base" ;;
    inject) echo "lib/capture/format/records.h" ;;
    sim) echo "" ;;
    parsers) echo "base capture store" ;;
    coordinator) echo "base capture wire job alloc store" ;;
    runner) echo "base" ;;
    worker) echo "base capture wire lib/shm/control_channel.h lib/shm/rank_barrier.h lib/shm/ring.h worker/process/stub_libraries.h runner/protocol/mark.h runner/protocol/runner_messages.h" ;;
    cli) echo "base capture wire job alloc store parsers lib/query/task_outcome.h lib/query/store_rows.h lib/daemon/coordinator_settings.h lib/daemon/rank_outputs.h lib/daemon/worker_settings.h" ;;
    *) return 1 ;;
    esac
}

# The writer half of capture is a guest where inject is one: libc and itself only.
libc_only='^capture/(crc|writer|format|records)\.[ch]$'

bad=0
while IFS=: read -r file included; do
    folder=${file%%/*}
    allowed=$(may_know "$folder") || continue
    [[ "$file" =~ $libc_only ]] && allowed=""
    case "$file" in *_test.c | *_fuzz.c) allowed="$allowed tests/support" ;; esac
    fine=no
    for may in "$folder" $allowed; do
        case "$included" in "$may" | "$may"/*) fine=yes ;; esac
    done
    if [ $fine = no ]; then
        echo "$file includes \"$included\"; it may know: $folder $allowed" >&2
        bad=1
    fi
done < <(git ls-files '*.c' '*.h' | grep -vE '^(tests|sim/(ops|include|kernels))/' |
    xargs grep -HE '^#include "[a-z_]+/' | sed -E 's/:#include "([^"]+)".*/:\1/')
exit $bad
