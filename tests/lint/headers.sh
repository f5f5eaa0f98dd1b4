#!/usr/bin/env bash
# headers.sh - fails on a header that does not compile alone
set -euo pipefail
cd "${1:-.}"

one() {
    local complaint
    complaint=$("${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -DMUSTER_VERSION='""' -Wall -Wextra \
        -Werror -I. -Isim/include -fsyntax-only -x c "$1" 2>&1) && return
    echo "$1 does not compile alone:" >&2
    head -n 3 <<<"$complaint" >&2
    return 1
}
export -f one
git ls-files -co --exclude-standard '*.h' | xargs -P 2 -I{} bash -c 'one {}'
