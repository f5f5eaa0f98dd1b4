#!/usr/bin/env bash
# layers.sh - a hook sees each call once in the public layer, and also in the older layer unless
# the runtime is bound to itself
set -euo pipefail
home="$MUSTER_BUILD/lib/muster/sim"
seen() { # of an operator that allocates three buffers, on the libraries of a folder
    LD_LIBRARY_PATH="$home/$1" LD_PRELOAD="$MUSTER_BUILD/tests/layers_hook.so" \
        "$home/bin/add_custom" 3>&1 >/dev/null 2>&3 3>&-
}
usual=$(seen lib64) hidden=$(seen hidden/lib64)
count=$(sed -nE 's/impl=([1-9][0-9]*) .*/\1/p' <<<"$usual")
[ -n "$count" ] && [ "$usual" = "impl=$count rt=$count" ] || {
    echo "usual runtime: $usual" >&2
    exit 1
}
[ "$hidden" = "impl=$count rt=0" ] || {
    echo "hidden runtime: $hidden" >&2
    exit 1
}
