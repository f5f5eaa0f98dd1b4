#!/usr/bin/env bash
# shell.sh - runs shellcheck and shfmt on all shell scripts; skips without these programs
set -euo pipefail
cd "${1:-.}"
if ! command -v shellcheck >/dev/null || ! command -v shfmt >/dev/null; then
    echo 'SKIPPED: shellcheck or shfmt is not installed; to run it: deploy/setup.sh --all'
    exit 77
fi
mapfile -t scripts < <(git ls-files -co --exclude-standard -z | xargs -0 grep -lIE '^#!.*(bash|/sh)$')
mapfile -t -O "${#scripts[@]}" scripts < <(git ls-files -co --exclude-standard 'tests/*.sh' | xargs grep -LE '^#!')
bad=0
shfmt -i 4 -d "${scripts[@]}" || bad=1
printf '%s\0' "${scripts[@]}" | xargs -0 -n 8 -P "$(nproc)" shellcheck -x || bad=1
exit $bad
