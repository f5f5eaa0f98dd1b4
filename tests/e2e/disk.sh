#!/usr/bin/env bash
# disk.sh - on a full or read-only disk or with a damaged store the coordinator stops with
# the reason; acknowledged results are kept, and it continues when the disk has space again
if [ -z "${MUSTER_TEST_DISK:-}" ]; then # run in a private mount namespace
    unshare --mount true 2>/dev/null || {
        echo 'SKIPPED: cannot create a mount namespace; to run it: sudo make check'
        exit 77
    }
    MUSTER_TEST_DISK=1 exec unshare --mount "$0" "$@"
fi
. "$(dirname "$0")/fleet.sh"
cd "$work"
mkdir disk
mount -t tmpfs -o size=16m,mode=750 tmpfs disk || {
    echo 'SKIPPED: cannot mount a tmpfs; to run it: sudo make check'
    exit 77
}
leave() {
    local code=$?
    down
    umount --lazy "$work"/disk "$work"/spool 2>/dev/null || true
    [ -n "${MUSTER_TEST_KEEP_DIR:-}" ] || rm -rf "$work"
    exit "$code"
}
trap leave EXIT
mkdir -m 750 disk/out
ln -s disk/out out
stopped() { # PATTERN: the coordinator must have ended with 7 and logged PATTERN
    local code=0
    wait "$coordinator_pid" || code=$?
    [ "$code" -eq 7 ] || fail "the coordinator ended with $code, not 7"
    grep -q "$1" coordinator.log || fail "the coordinator's log lacks '$1'"
    coordinator_pid=
}

say 'full disk: the coordinator stops; with space again each task is stored once'
coordinator_up
job full '[1024, 2048]' 4 >full.yaml
until_true muster submit full.yaml >/dev/null 2>&1
cat /dev/zero >disk/ballast 2>/dev/null || true
for card in 0 1; do worker_up $card; done
stopped 'database or disk is full'
rm disk/ballast
coordinator_up
muster wait 1 --timeout 60s >/dev/null 2>wait.txt || fail "wait: exit $?: $(cat wait.txt)"
[ "$(db 'select count(*), count(distinct point * 100 + repeat) from v_ranks where accepted')" = '16|16' ] ||
    fail "$(db 'select point, repeat, count(*) from v_ranks where accepted group by 1, 2')"
muster capture verify out/store/captures/1.db >/dev/null || fail 'the capture is damaged'

say "full disk of a worker's spool: the operator is ended, and the task has the reason"
end "${worker_pid[1]}"
mkdir -m 750 spool
mount -t tmpfs -o size=1m,mode=750 tmpfs spool
worker_up 1 --spool "$work/spool"
until_true eval 'muster list --workers -o csv | grep -q ",1,.*,idle,"'
cat /dev/zero >spool/ballast 2>/dev/null || true
job spool '[1024]' 1 | sed 's/ids: .*/ids: [1]}\nlimits: {retries: 0}/' >spool.yaml
muster submit spool.yaml >/dev/null 2>&1
code=0
muster wait 2 --timeout 60s >/dev/null 2>&1 || code=$?
muster show 2 -o json | tr -d '\n' | grep -q 'No space left on device' || fail "the task lacks the reason: $(muster show 2)"
[ "$code" -eq 1 ] || fail "wait: exit $code, not 1"
rm spool/ballast
muster retry 2 >/dev/null 2>&1
muster wait 2 --timeout 60s >/dev/null 2>&1 || fail "retry with space again: $(muster show 2)"
down

say 'read-only disk: the coordinator stops; stored results can be read'
unset MUSTER_COORDINATOR
muster list -o csv >list.txt
muster results 1 -o csv >results.txt
mount -o remount,ro disk
coordinator_up
stopped 'Read-only file system'
muster list -o csv | diff list.txt - || fail 'list prints other rows'
muster results 1 -o csv | diff results.txt - || fail 'results prints other rows'
[ "$(wc -l <results.txt)" -gt 16 ] || fail 'fewer than 16 results'
muster fsck >fsck.txt || fail "fsck: exit $?: $(cat fsck.txt)"
muster capture verify out/store/captures/1.db >/dev/null || fail 'the capture cannot be read'
mount -o remount,rw disk

say 'damaged store: the coordinator does not start, fsck reports it; captures are readable'
page=$(db "select rootpage from sqlite_schema where name = 'tasks'")
size=$(db 'pragma page_size')
cp out/store/muster.db whole.db
head -c "$size" /dev/urandom | dd of=out/store/muster.db bs="$size" seek=$((page - 1)) conv=notrunc status=none
coordinator_up
stopped 'coordinator not started: .*muster.db: .*\(damaged\|malformed\|btree\)'
code=0
muster fsck >fsck.txt 2>&1 || code=$?
[ "$code" -ne 0 ] && grep -q 'muster.db' fsck.txt || fail "fsck: exit $code: $(cat fsck.txt)"
muster capture verify out/store/captures/1.db >/dev/null || fail 'the capture is damaged, too'
cp whole.db out/store/muster.db
coordinator_up
export MUSTER_COORDINATOR=ipc://$work/control
until_true eval 'muster list >/dev/null 2>&1'
muster list -o csv | diff list.txt - || fail 'the restored store has other jobs'

say 'a store that is removed or replaced: the coordinator stops with the reason'
mv disk/out/store disk/out/elsewhere
stopped 'muster.db was removed or replaced while it was open'
mkdir -m 750 disk/out/store
mkfifo disk/out/store/muster.db
coordinator_up
stopped 'coordinator not started: .*muster.db: not a regular file'
rm -r disk/out/store
mv disk/out/elsewhere disk/out/store

say 'a limit on the size of files: the coordinator stops with the reason, and not by a signal'
coordinator_up
until_true eval 'muster list >/dev/null 2>&1'
prlimit --fsize=4096 --pid "$coordinator_pid"
muster submit full.yaml >/dev/null 2>&1 || true
stopped 'coordinator failed: '
