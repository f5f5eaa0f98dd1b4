#!/usr/bin/env bash
# dist.sh - the source archive of a commit has always the same bytes, has all files of the
# commit, and a program and a test build from it
. "$(dirname "$0")/fleet.sh"
git -C "$root" rev-parse HEAD >/dev/null 2>&1 || {
    echo 'SKIPPED: the sources are no clone of the repository; to run it: clone the repository'
    exit 77
}
cd "$work"
"$root/deploy/dist.sh" first >first.txt 2>first.err || fail "$(cat first.err)"
"$root/deploy/dist.sh" second >/dev/null 2>&1
archive=$(cat first.txt)
name=$(basename "$archive" .tar.gz)
version=${name#muster-}
[ "$(muster version | head -n 1)" = "muster $version" ] || fail "the archive is of $version: $(muster version)"
cmp "$archive" "second/$name.tar.gz" || fail 'two archives of one commit differ'
(cd first && sha256sum --quiet -c "$name.tar.gz.sha256") || fail 'the checksum is wrong'

say 'the archive has the files of the commit, and nothing else'
diff <(git -C "$root" ls-tree -r --name-only HEAD | sort) \
    <(tar -tzf "$archive" | sed "s|^$name/||" | grep -v '/$' | grep . | sort) || fail 'the files differ'

say 'it builds without a repository'
tar -xzf "$archive"
cd "$name"
cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Release >cmake.log 2>&1 || fail "$(tail -n 20 cmake.log)"
cmake --build build --target muster-probe lib_base_options_test >build.log 2>&1 || fail "$(tail -n 20 build.log)"
build/tests/lib_base_options_test >test.log 2>&1 || fail "$(tail -n 20 test.log)"
"$(find build -name muster-probe -type f)" >probe.txt 2>&1 || [ $? -eq 3 ] || fail "muster-probe: $(cat probe.txt)"

say 'without a repository of its own, the script prints the reason and fails'
git init -q "$work"
code=0
deploy/dist.sh ../third >dist.log 2>&1 || code=$?
[ "$code" -eq 1 ] && grep -q 'is no clone of the repository' dist.log || fail "exit $code: $(cat dist.log)"
