#!/usr/bin/env bash
# reference_docs.sh - fails when a page that `muster help` generates below docs/reference
# differs from the committed page; `make reference` writes the pages
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"${MUSTER_BUILD:-$root/build/dev}/bin/muster" help --write-reference "$folder" "$root/configs/job.schema.json"
pages=0
bad=0
for page in "$folder"/*; do
    name=docs/reference/$(basename "$page")
    diff -u --label "$name" --label "$name, as generated" "$root/$name" "$page" >&2 || bad=1
    pages=$((pages + 1))
done
[ "$pages" -ge 4 ] || {
    echo "only $pages pages were generated" >&2
    bad=1
}
[ "$bad" -eq 0 ] || echo "run 'make reference' and commit the pages" >&2
exit "$bad"
