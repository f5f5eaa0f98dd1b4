#!/usr/bin/env bash
# install.sh BUILD PREFIX - installs a build tree below $DESTDIR/PREFIX
# install.sh --remove PREFIX - removes what was installed there
#
# The installation has a list of its files and of the folders that it created, in
# lib/muster/installed.txt. The removal reads this list, so it needs no build tree.
set -euo pipefail
fail() {
    echo "install.sh: $*" >&2
    exit 1
}
case "${2:-}" in
/*) prefix=${2%/} ;;
*) fail 'usage: install.sh BUILD|--remove PREFIX, with an absolute PREFIX' ;;
esac
top=${DESTDIR:-}$prefix
list=$top/lib/muster/installed.txt

remove() {
    local path paths
    [ -f "$list" ] || fail "$list does not exist: nothing is installed below $top, or by a version that wrote no list"
    mapfile -t paths <"$list"
    rm -f "$list"
    for path in "${paths[@]}"; do # the files come first, then the folders, deepest first
        case /$path in
        */../*) fail "the list had the path '$path', which is not below $top" ;;
        */) [ ! -d "$top/$path" ] || rmdir --ignore-fail-on-non-empty "$top/$path" ;;
        *) rm -f "$top/$path" ;;
        esac
    done
    echo "removed from $top"
}

install_build() {
    local build=$1 stage folder
    [ -f "$build/cmake_install.cmake" ] || fail "$build is no build tree; run: make release"
    if [ -f "$list" ]; then remove >/dev/null; fi # files of an older version
    stage=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder of this call
    trap "rm -rf '$stage'" EXIT
    DESTDIR=$stage cmake --install "$build" --prefix "$prefix" >/dev/null
    find "$stage$prefix" -mindepth 1 ! -type d -printf '%P\n' | sort >"$stage/list"
    find "$stage$prefix" -mindepth 1 -depth -type d -printf '%P/\n' | while IFS= read -r folder; do
        [ -d "$top/$folder" ] || echo "$folder" >>"$stage/list"
    done
    DESTDIR=${DESTDIR:-} cmake --install "$build" --prefix "$prefix" >/dev/null
    install -m 644 "$stage/list" "$list"
    echo "installed below $top"
}

case $1 in
--remove) remove ;;
*) install_build "$1" ;;
esac
