#!/usr/bin/env bash
# visualize.sh - parses generated raw captures of each chip, then compares every table cell
# and every block field with figures that Python computes independently
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/muster-visualize-XXXXXX")
trap 'rm -rf "$work"' EXIT
"${CC:-cc}" -g -O1 -fno-inline -fcf-protection=none -shared -fPIC -nostdlib -o "$work/kernel.so" "$here/kernel.c"
PYTHONDONTWRITEBYTECODE=1 python3 "$here/visualize.py" "$MUSTER_BUILD/bin/muster-parser" "$work/kernel.so" "$work"
