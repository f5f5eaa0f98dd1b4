#!/usr/bin/env bash
# package_test.sh FOLDER - installs the Debian packages in FOLDER on this host, uses them,
# and removes them without a trace; `make package-test` runs it in a bare Debian 12
#
# This script changes the packages of the host, so it refuses a host that is in use.
set -euo pipefail
packages=$(cd "$1" && pwd)
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
say() { echo "--- $*"; }
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
apt() { apt-get -q -y --no-install-recommends "$@" >/tmp/apt.log 2>&1 || {
    tail -n 20 /tmp/apt.log >&2
    fail "apt-get $*"
}; }
[ "$(dpkg-query -W -f '.\n' | wc -l)" -lt 400 ] || fail 'this is no bare Debian; run: make package-test'
version=$(sed -n 's/^project(muster VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)

# The files of the host, without those that apt and dpkg write about themselves.
files() {
    find / -xdev \( -path /src -o -path /files -o -path /tmp -o -path /proc -o -path /sys -o -path /dev \
        -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \
        -o -path /etc/ld.so.cache \) -prune -o -print | sort
}

apt update
useradd --create-home tester
files >/tmp/before
say 'both packages and their debug symbols are installed'
apt install "$packages"/*.deb
for package in muster muster-simulator muster-dbgsym muster-simulator-dbgsym; do
    [ "$(dpkg-query -W -f '${Version} ${db:Status-Status}' $package)" = "$version-1 installed" ] || fail "$package is not installed"
done
[ "$(muster version)" = "muster $version" ] || fail "muster version: $(muster version)"
for program in muster-coordinator muster-worker muster-parser muster-serve; do
    $program --version | grep -qF "$version" || fail "$program --version: $($program --version)"
done

say 'the self-test and the demo, as root and as another user'
demo='set -e; cd; muster selftest; muster run --out out /usr/share/muster/examples/quickstart.yaml; muster results --out out quickstart'
for user in root tester; do
    su - $user -c "$demo" >/tmp/demo.txt 2>/tmp/demo.err || fail "$user: $(tail -n 5 /tmp/demo.txt /tmp/demo.err)"
    home=$(getent passwd $user | cut -d: -f6)
    grep -q '"complete": true' "$home/out/quickstart-1/report.json" || fail "$user: the job is not complete"
    rm -rf "$home/out"
done

say 'the packages are removed without a trace'
apt purge --autoremove muster muster-simulator muster-dbgsym muster-simulator-dbgsym
files >/tmp/after
diff /tmp/before /tmp/after >/tmp/trace || fail "the removal left, or took away: $(head -n 20 /tmp/trace)"
if dpkg-query -W 'muster*' 2>/dev/null | grep .; then fail 'dpkg still lists muster'; fi

say 'lintian reports no error'
apt install lintian
lintian --allow-root --fail-on error "$packages"/*.deb >/tmp/lintian.txt 2>&1 || fail "lintian: $(cat /tmp/lintian.txt)"
sed 's/^/lintian: /' /tmp/lintian.txt
echo "--- the packages of version $version passed"
