#!/bin/sh
# dist.sh DIR - writes DIR/muster-VERSION.tar.gz, the sources of the last commit, and its
# SHA-256
#
# The same commit gives the same bytes: the files have the time of the commit, and gzip
# stores no name and no time.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd -P)
[ $# -eq 1 ] || {
    echo 'usage: dist.sh DIR' >&2
    exit 2
}
# an extracted archive can lie inside of a clone
[ "$(git -C "$tree" rev-parse --show-toplevel 2>/dev/null)" = "$tree" ] || {
    echo "dist: $tree is no clone of the repository; the archive is made from a commit" >&2
    exit 1
}
if [ -n "$(git -C "$tree" status --porcelain --untracked-files=no)" ]; then
    echo 'dist: warning: changes that are not committed are not in the archive' >&2
fi
version=$(git -C "$tree" show HEAD:CMakeLists.txt | sed -n 's/^project(muster VERSION \([0-9.]*\).*/\1/p')
[ -n "$version" ] || {
    echo 'dist: CMakeLists.txt has no line "project(muster VERSION ..."' >&2
    exit 1
}
name=muster-$version
mkdir -p "$1"
git -C "$tree" archive --format=tar --prefix="$name/" HEAD >"$1/$name.tar"
gzip -9nf "$1/$name.tar"
(cd "$1" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
echo "$1/$name.tar.gz"
