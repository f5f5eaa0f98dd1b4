#!/usr/bin/env bash
# package.sh BUILD OUT - writes Debian packages of a build tree into the folder OUT
#
# muster, muster-simulator, and the debug symbols of both. The content is what
# `cmake --install` installs below /usr, so the packages need no list of files of their own;
# CPack would need a component at each install() command, and the steps below besides.
#   MUSTER_PACKAGE_MAINTAINER   name and address, for packages that you give to others
#   MUSTER_PACKAGE_COMPRESSION  xz, or none for a quick result (default: xz)
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
export LC_ALL=C.UTF-8
umask 022
[ $# -eq 2 ] && [ -f "$1/cmake_install.cmake" ] || {
    echo 'usage: package.sh BUILD OUT, after make release' >&2
    exit 2
}
build=$(cd "$1" && pwd) out=$2
for tool in dpkg-deb dpkg-shlibdeps objcopy; do
    command -v $tool >/dev/null || {
        echo "package.sh: $tool is missing; run deploy/setup.sh on Debian" >&2
        exit 1
    }
done
version=$(sed -n 's/^project(muster VERSION \([0-9.]*\) .*/\1/p' "$tree/CMakeLists.txt")
revision=$version-1
arch=$(dpkg --print-architecture)
# the same sources give the same packages
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$tree" log -1 --format=%ct 2>/dev/null || stat -c %Y "$tree/CHANGELOG.md")}
export SOURCE_DATE_EPOCH
compression=${MUSTER_PACKAGE_COMPRESSION:-xz} symbols=()
[ "$compression" = none ] || symbols=(--compress-debug-sections)
maintainer=${MUSTER_PACKAGE_MAINTAINER:-The muster maintainers <muster@example.org>}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

summary() { # PACKAGE: the short and the long description
    case $1 in
    muster) cat "$tree/deploy/debian/muster.description" ;;
    muster-simulator) cat "$tree/deploy/debian/muster-simulator.description" ;;
    *) printf 'debug symbols for %s\n Read by gdb and other debuggers.\n' "${1%-dbgsym}" ;;
    esac
}

relations() { # PACKAGE: its relations to other packages
    case $1 in
    muster) printf 'Depends: %s\nRecommends: muster-simulator (= %s)\n' "$libraries" "$revision" ;;
    muster-simulator) printf 'Depends: %s\nRecommends: muster (= %s)\n' "$libraries" "$revision" ;;
    *) printf 'Depends: %s (= %s)\n' "${1%-dbgsym}" "$revision" ;;
    esac
}

# Prints the ELF files of a package, except the kernel files of the simulator: a card
# executes these files, and the profiler reads their symbols and source lines.
elf_files() {
    find "$work/$1" -type f ! -path '*/sim/kernels/*' -exec \
        sh -c 'for file; do [ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || echo "$file"; done' sh {} + | sort
}

libraries() {
    local files
    mapfile -t files < <(elf_files "$1")
    mkdir -p "$work/shlibs/debian"
    printf 'Source: muster\n\nPackage: %s\nArchitecture: any\n' "$1" >"$work/shlibs/debian/control"
    # dpkg-shlibdeps warns that the simulator's libraries have no version in their names
    (cd "$work/shlibs" && dpkg-shlibdeps -O --ignore-missing-info \
        -l"$work/muster-simulator/usr/lib/muster/sim/lib64" "${files[@]}" 2>errors) |
        sed -n 's/^shlibs:Depends=//p' || {
        cat "$work/shlibs/errors" >&2
        return 1
    }
}

divide_symbols() { # PACKAGE: moves the debug symbols of its programs to PACKAGE-dbgsym
    local file id debug
    while IFS= read -r file; do
        id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
        debug=$work/$1-dbgsym/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
        mkdir -p "${debug%/*}"
        objcopy --only-keep-debug "${symbols[@]}" "$file" "$debug"
        chmod 644 "$debug"
        case $file in
        *.so) strip --strip-unneeded --remove-section=.comment "$file" && chmod 644 "$file" ;;
        *) strip --remove-section=.comment "$file" ;;
        esac
    done < <(elf_files "$1")
}

add_documents() { # PACKAGE
    local doc=$work/$1/usr/share/doc/$1
    mkdir -p "$doc"
    cp "$tree/deploy/debian/copyright" "$doc/copyright"
    printf 'muster (%s) bookworm; urgency=medium\n\n  * Version %s; changelog.gz of the package muster lists the changes.\n\n -- %s  %s\n' \
        "$revision" "$version" "$maintainer" "$(date -uRd "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.Debian.gz"
}

write_package() { # PACKAGE SECTION
    local folder=$work/$1 libraries=''
    case $1 in *-dbgsym) ;; *) libraries=$(libraries "$1") ;; esac
    find "$folder" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
    mkdir -p "$folder/DEBIAN"
    (cd "$folder" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$folder/DEBIAN/md5sums"
    {
        printf 'Package: %s\nSource: muster\nVersion: %s\nArchitecture: %s\nMaintainer: %s\n' "$1" "$revision" "$arch" "$maintainer"
        printf 'Installed-Size: %s\n' "$(du -k -s --apparent-size --exclude=DEBIAN "$folder" | cut -f1)"
        relations "$1"
        printf 'Section: %s\nPriority: optional\n' "$2"
        printf 'Description: %s\n' "$(summary "$1")"
    } >"$folder/DEBIAN/control"
    dpkg-deb --root-owner-group -Z"$compression" --build "$folder" "$out/$1_${revision}_$arch.deb"
}

mkdir -p "$work/muster" "$work/muster-simulator/usr/lib/muster" "$out"
rm -f "$out"/*.deb
DESTDIR=$work/muster cmake --install "$build" --prefix /usr >/dev/null
mv "$work/muster/usr/lib/muster/sim" "$work/muster-simulator/usr/lib/muster/sim"
rm "$work/muster/usr/share/doc/muster/LICENSE" # the file copyright has it
mv "$work/muster/usr/share/doc/muster/CHANGELOG.md" "$work/muster/usr/share/doc/muster/changelog"
mkdir -p "$work/muster/usr/share/zsh/vendor-completions"
mv "$work/muster/usr/share/zsh/site-functions"/* "$work/muster/usr/share/zsh/vendor-completions/"
rmdir "$work/muster/usr/share/zsh/site-functions"
gzip -9n "$work/muster/usr/share/doc/muster/changelog" "$work/muster"/usr/share/man/man*/*
for package in muster muster-simulator; do
    if [ -f "$tree/deploy/debian/$package.lintian" ]; then
        install -D -m 644 "$tree/deploy/debian/$package.lintian" "$work/$package/usr/share/lintian/overrides/$package"
    fi
    divide_symbols $package
    add_documents $package
    add_documents $package-dbgsym
    write_package $package devel
    write_package $package-dbgsym debug
done
