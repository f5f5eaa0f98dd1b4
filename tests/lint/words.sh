#!/usr/bin/env bash
# words.sh - fails on marks of unfinished work, paths of one machine, test cases that are
# skipped without a reason, and large files
set -euo pipefail
cd "${1:-.}"
bad=0
check() { # pattern, what it is
    if git grep --untracked -nIE "$1" -- . ':!tests/lint/words.sh' ':!LICENSE' >&2; then
        echo "^ $2" >&2
        bad=1
    fi
}
check '\b(TODO|FIXME|XXX|HACK)\b' 'words of unfinished work'
check '(^|[^A-Za-z0-9._-])/(work|farm|root)/' 'a path of some machine'
check '\.\./shared\b' 'something outside the project'
check '^[^/*]*\bskip\(\);$' 'a test case without a reason: write SKIP("REASON; to run it: COMMAND")'
big=$(git ls-files -co --exclude-standard -z | xargs -0 du -k | awk '$1 > 1024 {print $1 " KiB " $2}')
[ -z "$big" ] || {
    echo "large files: $big" >&2
    bad=1
}
exit $bad
