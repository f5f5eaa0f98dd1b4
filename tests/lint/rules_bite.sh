#!/usr/bin/env bash
# rules_bite.sh - each rule of the lint fails where it is broken, and only there
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
git init -q .
mkdir base store worker inject tests

bites() { # what, command...: must fail
    local what=$1
    shift
    git add -A
    if "$@" >out.txt 2>&1; then
        echo "not noticed: $what" >&2
        exit 1
    fi
}
rests() { # command...: must not fail
    git add -A
    "$@" >out.txt 2>&1 || {
        echo "complains for nothing: $*" >&2
        cat out.txt >&2
        exit 1
    }
}

printf '#include "base/a.h"\nint a;\n' >store/a.c
printf '#ifndef A\n#define A\n#include <stddef.h>\nsize_t a(void);\n#endif\n' >base/a.h
rests "$here/includes.sh" .
rests "$here/headers.sh" .
rests "$here/words.sh" .

printf '#include "lib/store/store.h"\n' >base/b.c
bites 'an include that runs upwards' "$here/includes.sh" .
rm base/b.c
printf '#include "inject/hooks.h"\n' >worker/w.c
bites 'a worker that looks into inject' "$here/includes.sh" .
printf '#include "lib/shm/control_channel.h"\n' >worker/w.c
rests "$here/includes.sh" .
printf '#include "lib/base/err.h"\n' >inject/i.c
bites 'an inject that is no guest' "$here/includes.sh" .
rm inject/i.c

printf 'size_t b(void);\n' >base/b.h
bites 'a header that does not stand alone' "$here/headers.sh" .
rm base/b.h

printf '/* %s: later */\n' TO'DO' >base/c.c
bites 'unfinished words' "$here/words.sh" .
rm base/c.c

printf 'int listed(void){return 1;}\nint not_listed(void){return 2;}\n' >lib.c
cc -shared -fPIC -o lib.so lib.c
printf 'listed\nnot_listed\n' >both.txt
printf 'listed\n' >one.txt
printf 'listed\nnot_listed\nmissing\n' >three.txt
rests "$here/exports.sh" lib.so both.txt
bites 'an export that is not listed' "$here/exports.sh" lib.so one.txt
bites 'a listed name that is not exported' "$here/exports.sh" lib.so three.txt
