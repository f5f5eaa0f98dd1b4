#!/usr/bin/env bash
# container_test.sh FOLDER - builds the image of deploy/Containerfile from the Debian packages
# in FOLDER, and runs the self-test and a job in it; `make container-test` calls it
#
# Needs root, buildah, debootstrap and a Debian mirror. The base of the image is a new
# minbase root, so no registry is used. Images and containers are stored in a temporary
# folder. Exit code 77: skipped.
#
#   MUSTER_TEST_MIRROR  mirror of Debian (default: http://deb.debian.org/debian)
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
packages=$(cd "$1" && pwd)
mirror=${MUSTER_TEST_MIRROR:-http://deb.debian.org/debian}
skip() {
    echo "SKIPPED: $*"
    exit 77
}
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
[ "$(id -u)" -eq 0 ] || skip 'an image needs root; to run it: sudo make container-test'
for tool in buildah debootstrap; do
    command -v $tool >/dev/null || skip "$tool is not installed; to run it: apt-get install buildah debootstrap"
done
version=$(sed -n 's/^project(muster VERSION \([0-9.]*\) .*/\1/p' "$tree/CMakeLists.txt")
work=$(mktemp -d /var/tmp/muster-container-XXXXXX)
build() { buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
finish() {
    local code=$?
    build rm --all >/dev/null 2>&1 || true
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

echo '--- the base image is a new minbase root'
timeout 1800 debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/debootstrap.log" 2>&1 || {
    tail -n 20 "$work/debootstrap.log" >&2
    fail debootstrap
}
base=$(build from scratch)
build copy --quiet "$base" "$work/base" / >/dev/null
build commit --quiet "$base" localhost/debian-minbase >/dev/null
build rm "$base" >/dev/null

echo '--- the image is built from the packages'
timeout 1800 buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs build --isolation chroot \
    --from localhost/debian-minbase --file "$tree/deploy/Containerfile" --tag localhost/muster "$packages" \
    >"$work/build.log" 2>&1 || {
    tail -n 20 "$work/build.log" >&2
    fail 'buildah build'
}
config=$(build inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.WorkingDir}} {{.OCIv1.Config.Cmd}}' localhost/muster)
[ "$config" = 'muster /var/lib/muster [muster help]' ] || fail "user, folder and command: $config"

echo '--- a container runs the self-test and a job'
container=$(build from localhost/muster)
run() { build run --isolation chroot "$container" -- "$@"; }
[ "$(run id -u)" -eq 10001 ] || fail "user id: $(run id -u)"
[ "$(run muster version)" = "muster $version" ] || fail "muster version: $(run muster version)"
run muster selftest >"$work/selftest.txt" 2>&1 || fail "muster selftest: $(tail -n 5 "$work/selftest.txt")"
run muster run --quiet --out out /usr/share/muster/examples/quickstart.yaml >"$work/job.txt" 2>&1 || fail "muster run: $(tail -n 5 "$work/job.txt")"
run cat out/quickstart-1/report.json >"$work/report.json"
grep -q '"complete": true' "$work/report.json" || fail 'the job is not complete'
run sh -c '[ ! -e /tmp/packages ] && [ -z "$(ls /var/lib/apt/lists)" ]' || fail 'the image keeps packages or lists of packages'
echo "--- the image of version $version passed"
