#!/usr/bin/env bash
# exports.sh LIBRARY LIST - fails when a library exports what is not in its list, or
# lacks what is
set -euo pipefail
library=$1 list=$2
[ -f "$library" ] || {
    echo "no library $library" >&2
    exit 1
}

exported() {
    nm -D --defined-only --format=posix "$library" |
        awk '$2 ~ /^[TtDdBbRrWwVvi]$/ {sub(/@.*/, "", $1); print $1}' | LC_ALL=C sort -u
}
difference=$(diff <(grep -v '^#' "$list" | grep . | LC_ALL=C sort -u) <(exported) || true)
[ -n "$difference" ] || exit 0
sed -n 's/^</listed, not exported:/p; s/^>/exported, not listed:/p' <<<"$difference" >&2
exit 1
