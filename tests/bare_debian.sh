#!/usr/bin/env bash
# bare_debian.sh [ROUNDS] [COMMAND] - runs `make demo` and `make check` in a bare Debian 12
#
# Needs root, debootstrap and a Debian mirror. Each of ROUNDS (default: 1) begins with a
# new root: the packages of debootstrap's minbase, with proc, sys, dev and dev/pts mounted,
# and a clone of the last commit in /src. COMMAND replaces the commands of the README.
# The root has its own mount and process namespaces: when a round ends, also after a
# failure or a time limit, its mounts and processes end with it. Exit code 77: skipped.
#
#   MUSTER_TEST_MIRROR      mirror of Debian (default: http://deb.debian.org/debian)
#   MUSTER_TEST_FILES       folder that is copied to /files of each root (default: none)
#   MUSTER_TEST_ROUND_TIME  time limit of a round, for timeout(1) (default: 2h)
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
rounds=${1:-1}
command=${2:-deploy/setup.sh && make demo && make check}
mirror=${MUSTER_TEST_MIRROR:-http://deb.debian.org/debian}

skip() {
    echo "SKIPPED: $*"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip 'a bare Debian needs root; to run it: sudo tests/bare_debian.sh'
command -v debootstrap >/dev/null || skip 'debootstrap is not installed; to run it: apt-get install debootstrap'
unshare --mount --pid --fork true 2>/dev/null || skip 'mount and process namespaces are not permitted; to run it: use a machine with CAP_SYS_ADMIN'

work=$(mktemp -d /var/tmp/muster-bare-XXXXXX)
finish() {
    local code=$?
    if grep -q " $work/" /proc/mounts; then # never remove what is mounted below
        echo "still mounted below $work:" >&2
        grep " $work/" /proc/mounts >&2
        exit 1
    fi
    rm -rf --one-file-system "$work"
    exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# The first process of the round's namespaces.
cat >"$work/enter" <<'SH'
#!/bin/sh
set -e
root=$1
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    cp -a "/dev/$device" "$root/dev/$device"
done
mkdir -m 1777 "$root/dev/shm"
mkdir "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount --bind "$2" "$root/var/cache/apt/archives"
cd /
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
    http_proxy="$http_proxy" https_proxy="$https_proxy" /bin/sh -c "cd /src && $3"
SH
chmod +x "$work/enter"

echo "--- the packages of minbase"
mkdir -p "$work/archives/partial"
timeout 1800 debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/debootstrap.log" 2>&1 || {
    tail -n 20 "$work/debootstrap.log" >&2
    exit 1
}
if [ -f /etc/resolv.conf ]; then cp /etc/resolv.conf "$work/base/etc/resolv.conf"; fi
for round in $(seq "$rounds"); do
    echo "--- round $round of $rounds: $command"
    root=$work/root
    cp -a "$work/base" "$root"
    git clone -q "$tree" "$root/src"
    if [ -n "${MUSTER_TEST_FILES:-}" ]; then cp -R "$MUSTER_TEST_FILES" "$root/files"; fi
    code=0
    http_proxy=${http_proxy:-} https_proxy=${https_proxy:-} \
        timeout --kill-after=60 "${MUSTER_TEST_ROUND_TIME:-2h}" \
        unshare --mount --pid --fork --kill-child "$work/enter" "$root" "$work/archives" "$command" || code=$?
    [ "$code" -eq 0 ] || {
        echo "FAILED: round $round of $rounds: exit $code" >&2
        exit 1
    }
    rm -rf --one-file-system "$root"
done
echo "--- $rounds rounds passed"
