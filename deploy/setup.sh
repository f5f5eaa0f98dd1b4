#!/usr/bin/env bash
# setup.sh - installs the Debian packages that muster is built and run with
#
#   deploy/setup.sh           the packages for a build and for `make check`
#   deploy/setup.sh --all     also the packages for `make lint`, the fuzzers, the benchmarks,
#                             and the tests of shells, browsers and a Slurm cluster
#
# Prints the missing packages before the installation, does nothing when none is missing,
# and needs root or sudo only to install.
set -euo pipefail

build=(build-essential cmake ninja-build pkg-config git python3
    libzmq3-dev libmsgpack-dev libyaml-dev libsqlite3-dev libzstd-dev libwebsockets-dev libssl-dev libcmocka-dev libdw-dev
    sqlite3 openssl curl procps iproute2 man-db python3-yaml)
heavy=(clang-14 libclang-rt-14-dev valgrind parallel slurm-wlm munge
    clang-format clang-tidy shellcheck shfmt gcovr zsh fish
    libxml2-utils python3-prometheus-client # the formats that muster gate writes
    chromium wrk)                           # the tests of pages and of the server's load

packages=("${build[@]}")
case "${1:-}" in
"") ;;
--all) packages+=("${heavy[@]}") ;;
-h | --help)
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
*)
    echo "setup.sh: unknown option '$1' (--all, --help)" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "setup.sh: this is not Debian; muster needs: ${packages[*]}" >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

echo "setup: installing ${missing[*]}" >&2
if [ "$(id -u)" -eq 0 ]; then
    root=()
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    root=(sudo)
else
    {
        echo "setup: the installation needs root, and sudo is not usable. As root, run:"
        echo "    apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
        echo "Then repeat the make command."
    } >&2
    exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
    if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "setup: failed: $*" >&2
        exit 1
    fi
}
run apt-get update -q
run apt-get install -y -q --no-install-recommends "${missing[@]}"
echo "setup: done" >&2
