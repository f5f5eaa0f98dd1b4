#!/usr/bin/env bash
# rules_fail_when_broken.sh - breaks each rule of the lint tests once, in a scratch tree
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
git init -q .

# must_fail WHAT TEXT COMMAND...: the command fails and prints TEXT; new files count
# without `git add`
must_fail() {
    local what=$1 text=$2
    shift 2
    if "$@" >out.txt 2>&1; then
        echo "not noticed: $what" >&2
        exit 1
    fi
    grep -qF -- "$text" out.txt || {
        echo "$what: the output lacks '$text':" >&2
        cat out.txt >&2
        exit 1
    }
}
must_pass() {
    git add -A
    "$@" >out.txt 2>&1 || {
        echo "fails without a violation: $*" >&2
        cat out.txt >&2
        exit 1
    }
}

# Three folders from low to high: base, store and tool. Each part of the test breaks one
# rule and calls this function to restore the tree.
write_tree() {
    rm -rf base store tool extra
    mkdir -p base store tool
    printf 'add_subdirectory(base)\nadd_subdirectory(store)\nadd_subdirectory(tool)\n' >CMakeLists.txt
    printf '# small helpers\nfolder(base SOURCES a.c USES m)\n' >base/CMakeLists.txt
    printf '#ifndef A\n#define A\n#include <stddef.h>\nsize_t a(void);\n#endif\n' >base/a.h
    printf '#include "base/a.h"\nsize_t a(void) { return 1; }\n' >base/a.c
    printf '# saved data\nfolder(store\n  SOURCES s.c t.c\n  USES base)\nunit_test(s)\n' >store/CMakeLists.txt
    printf 'int s(void);\n' >store/s.h
    printf 'int t(void);\n' >store/t.h
    printf '#include "store/s.h"\n#include "base/a.h"\nint s(void) { return (int)a(); }\n' >store/s.c
    printf '#include "store/t.h"\n#include "store/s.h"\nint t(void) { return s(); }\n' >store/t.c
    printf '#include "store/s.h"\nint main(void) { return s(); }\n' >store/s_test.c
    printf '# the program\nprogram(tool FOLDER tool SOURCES main.c USES base store)\n' >tool/CMakeLists.txt
    printf '#include "base/a.h"\n#include "store/s.h"\nint main(void) { return s() + (int)a(); }\n' >tool/main.c
}
# Compiles the tree as CMake would and writes the list of its commands.
compile_tree() {
    local file separator='['
    mkdir -p build
    for file in base/*.c store/*.c tool/*.c; do
        cc -I. -c "$file" -o "build/${file//\//_}.o"
        printf '%s{"directory": "%s", "command": "cc -o %s -c", "file": "%s"}\n' "$separator" \
            "$work/build" "${file//\//_}.o" "$work/$file"
        separator=,
    done >build/compile_commands.json
    echo ']' >>build/compile_commands.json
}
includes=("$here/includes.py" --root . --build build)
echo build >.gitignore

write_tree
compile_tree
must_fail 'documents that were never written' documents: "${includes[@]}"
must_pass "${includes[@]}" --write
must_pass "${includes[@]}"
sed -i 's/^# saved data/# data on disk/' store/CMakeLists.txt
must_fail 'a document that is out of date' 'components.md:1: documents:' "${includes[@]}"
includes+=(--no-documents)

write_tree
printf '#include "store/s.h"\n' >>base/a.c
must_fail 'an include that runs upwards' 'base/a.c:3: unlisted:' "${includes[@]}"
sed -i 's/USES m/USES store/' base/CMakeLists.txt
must_fail 'an upward name in USES' 'base/CMakeLists.txt:2: upward:' "${includes[@]}"

write_tree
sed -i '/base/d' tool/main.c
must_fail 'a name in USES without an include' 'tool/CMakeLists.txt:2: unneeded:' "${includes[@]}"
sed -i 's/USES base/USES base other\/folder/' tool/CMakeLists.txt
must_fail 'a name in USES that is no folder' 'which no folder() adds' "${includes[@]}"

write_tree
mkdir extra
printf 'int e;\n' >extra/e.c
must_fail 'a folder without a list' 'extra/e.c:1: no-list:' "${includes[@]}"

write_tree
sed -i 1d base/CMakeLists.txt
must_fail 'a list without a description' 'base/CMakeLists.txt:1: no-purpose:' "${includes[@]}"

write_tree
printf 'int private;\n' >store/s_internal.h
printf '#include "store/s_internal.h"\n' >>store/t.c
must_pass "${includes[@]}"
printf '#include "store/s_internal.h"\n' >>tool/main.c
must_fail 'a private header of another folder' 'tool/main.c:4: internal:' "${includes[@]}"

write_tree
printf '#include "tool/main.h"\n' >>store/s_test.c
printf 'int m;\n' >tool/main.h
must_fail 'a test that includes an unlisted folder' 'store/s_test.c:3: unlisted:' "${includes[@]}"
sed -i 's/unit_test(s)/unit_test(s USES tool)/' store/CMakeLists.txt
must_pass "${includes[@]}"

write_tree
printf '#include "store/t.h"\n' >>store/s.h
must_fail 'two modules that include each other' 'circle: store/s -> store/t -> store/s' "${includes[@]}"

write_tree
printf 'int s(void);\nint t(void);\nint s(void) { return t(); }\n' >store/s.c
sed -i 's/base/m/' store/CMakeLists.txt
compile_tree
must_fail 'two modules that call each other' 'store/s.c:2: symbols:' "${includes[@]}"

write_tree
for number in $(seq 30); do
    printf 'int b%s;\n' "$number" >"base/b$number.h"
done
must_fail 'a folder of too many files' 'base/CMakeLists.txt:2: size:' "${includes[@]}"

write_tree
compile_tree
mkdir -p sim/abi
for number in $(seq 31); do
    printf 'int b%s;\n' "$number" >"sim/abi/b$number.h"
done
must_pass "${includes[@]}"
printf 'int c;\n' >sim/abi/c.c
must_fail 'a folder of the simulator with too many files' 'sim/abi/b1.h:1: size:' "${includes[@]}"

write_tree
mkdir own
cp "$here"/*.py own/
sed -i '/^FLAT_FOLDERS/a EXCEPTIONS = ("store/s.c",)' own/includes.py
must_fail 'an exception in the test itself' 'exception: store/s.c' own/includes.py --root . --no-documents
sed -i -e '/^EXCEPTIONS/d' -e 's|^FLAT_FOLDERS = (|&"store", |' own/includes.py
must_fail 'one more built-in rule' 'built-in rules has changed' own/includes.py --root . --no-documents
rm -r own

must_pass "$here/headers.sh" .
must_pass "$here/words.sh" .
printf 'size_t b(void);\n' >base/b.h
must_fail 'a header that needs another one' 'base/b.h:1:' "$here/headers.sh" .
rm base/b.h
printf '/* %s: later */\n' TO'DO' >base/c.c
must_fail 'a word of unfinished work' 'words of unfinished work' "$here/words.sh" .
rm base/c.c
printf '    skip();\n' >base/c_test.c
must_fail 'a test case that is skipped without a reason' 'without a reason' "$here/words.sh" .
rm base/c_test.c

printf 'int listed(void){return 1;}\nint not_listed(void){return 2;}\n' >lib.c
cc -shared -fPIC -o lib.so lib.c
printf 'listed\nnot_listed\n' >both.txt
printf 'listed\n' >one.txt
printf 'listed\nnot_listed\nmissing\n' >three.txt
must_pass "$here/exports.sh" lib.so both.txt
must_fail 'an export that is not listed' 'exported, not listed' "$here/exports.sh" lib.so one.txt
must_fail 'a listed name that is not exported' 'listed, not exported' "$here/exports.sh" lib.so three.txt

# messages_page.py works on the tree that it lies in
messages=$work/messages
mkdir -p "$messages/tests/lint" "$messages/docs/reference" "$messages/lib"
cp "$here/messages_page.py" "$messages/tests/lint/"
cp -r "$here/../../lib/wire" "$messages/lib/"
cp "$here/../../docs/reference/messages.md" "$messages/docs/reference/"
page=("$messages/tests/lint/messages_page.py")
must_pass "${page[@]}"
sed -i 's/number of the card on its host/another meaning/' "$messages/lib/wire/messages_worker.h"
must_fail 'another meaning of a field' 'is out of date' "${page[@]}"
sed -i '/U64(msg_heartbeat, run_id),/d' "$messages/lib/wire/messages.c"
must_fail 'a field without a row in its table' 'has no struct with a comment, or no table' "${page[@]}"
sed -i '/U64(msg_lease_taken, rank),/d' "$messages/lib/wire/messages.c"
sed -i 's/^static const struct field heartbeat_fields.*/&\n    U64(msg_heartbeat, run_id),/' "$messages/lib/wire/messages.c"
must_fail 'a field without a row in its table' 'lacks the field rank' "${page[@]}"

# prose.py and help_lines.py
mkdir -p tests/lint bin
printf '# folders\nbase\n' >tests/lint/prose_clean.txt
must_pass "$here/prose.py"
for text in '/* Nobody knows it. */' '/* what is left */' 'const char *t = "the worker wants this";' 'int guest;'; do
    printf '%s\n' "$text" >base/p.c
    must_fail "misused words: $text" 'base/p.c:1: ' "$here/prose.py"
done
printf '/* Returns the first task. */\nconst char *t = "nobody"; /* one word is no sentence */\n' >base/p.c
must_pass "$here/prose.py"
printf 'gone\n' >>tests/lint/prose_clean.txt
must_fail 'a clean folder that does not exist' 'gone: no such folder' "$here/prose.py"

write_help() { printf '#!/bin/sh\necho "%s"\n' "$1" >bin/tool && chmod +x bin/tool; }
write_help '      --wait TIME  Wait at most TIME (default: 10s)'
must_pass "$here/help_lines.py" . tool
write_help '      --wait TIME  wait at most TIME (default: 10s)'
must_fail 'a help line in lower case' 'capital letter' "$here/help_lines.py" . tool
write_help '      --wait TIME  Wait at most TIME'
must_fail 'an option without default' 'names no default' "$here/help_lines.py" . tool
