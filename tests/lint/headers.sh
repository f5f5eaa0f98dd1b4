#!/usr/bin/env bash
# headers.sh - fails on a header that does not compile alone
#
# The compiler gets several headers in one call, and compiles each of them by itself.
set -euo pipefail
cd "${1:-.}"
if ! git ls-files -co --exclude-standard -z '*.h' |
    xargs -0 -P "$(nproc)" -n 16 "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE \
        -DMUSTER_VERSION='""' -Wall -Wextra -Werror -I. -Isim/include -fsyntax-only -x c; then
    echo 'the headers above do not compile alone' >&2
    exit 1
fi
