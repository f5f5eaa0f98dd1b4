#!/usr/bin/env bash
# unauthorized_peers.sh - no key, a wrong one, an old one, a replayed frame, one of 10 GiB, garbage:
# each is refused, counted and told once, the coordinator does not grow by it, and those
# who may come are served meanwhile; a key may do what its role may
. "$(dirname "$0")/../e2e/fleet.sh"
cd "$work"
COUNT=30
# what is freed is given back at once, so that what the coordinator keeps can be seen
ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=0:thread_local_quarantine_size_kb=0

muster keygen coordinator.key coordinator >/dev/null
for who in worker:worker boss:admin ada:submit bob:submit eve:read unauthorized_peer:admin; do
    muster keygen --role "${who#*:}" "${who%:*}.key" "${who%:*}" >/dev/null
done
cat worker.key.pub boss.key.pub ada.key.pub bob.key.pub eve.key.pub >allowed
job good '[1024]' 1 >good.yaml
job long '[1024, 2048]' 400 >long.yaml

coordinator_up --control tcp://127.0.0.1:0 --data tcp://127.0.0.1:0 \
    --key coordinator.key --allow allowed --log-level info
at() { sed -n "s/.* $1=\(tcp:[^ ]*\).*/\1/p" coordinator.log | tail -n 1; }
until_true eval '[ -n "$(at data)" ]'
export MUSTER_COORDINATOR MUSTER_SERVER_KEY=$work/coordinator.key.pub
MUSTER_COORDINATOR=$(at control) data=$(at data)
as_worker() {
    end "${worker_pid[$1]:-}"
    worker_up "$1" --control "$MUSTER_COORDINATOR" --data "$data" --key worker.key \
        --server-key coordinator.key.pub
}
for card in 0 1; do as_worker $card; done
as() { MUSTER_KEY=$work/$1.key muster "${@:2}"; }
memory_kb() { awk '/^VmRSS/ {print $2}' "/proc/$coordinator_pid/status"; }
knock() { # COUNT: in every way, at both doors
    local door
    for door in "$MUSTER_COORDINATOR" "$data"; do
        for way in garbage giant no-key; do "$B/tests/unauthorized_peer" "${door##*:}" $way "$1"; done
        "$B/tests/unauthorized_peer" "${door##*:}" wrong-key "$1" unauthorized_peer.key coordinator.key.pub
        for way in rubbish replay; do
            "$B/tests/unauthorized_peer" "${door##*:}" $way "$1" eve.key coordinator.key.pub
        done
    done
}

say 'who knocks in a wrong way is turned away, and leaves no trace but a line'
as ada submit good.yaml >/dev/null || fail 'ada cannot submit'
as ada wait 1 --timeout 60s >/dev/null 2>&1 || fail 'before the strangers came'
knock 5 || fail 'a unauthorized_peer was let in'
before=$(memory_kb)
knock "$COUNT" || fail 'a unauthorized_peer was let in'
after=$(memory_kb)
[ $((after - before)) -lt 3000 ] || fail "the coordinator grew by $((after - before)) KiB"
as ada submit good.yaml >/dev/null || fail 'ada cannot submit any more'
as ada wait 2 --timeout 60s >/dev/null 2>&1 || fail 'after the strangers came'

say 'a role is a role'
denied() { # WHO VERB...
    local code=0
    as "$@" >denied.txt 2>&1 || code=$?
    [ "$code" -eq 3 ] || fail "$*: exit $code, not 3: $(cat denied.txt)"
}
denied eve submit good.yaml
denied eve cancel 1
denied ada drain "$(hostname)" --reason tired
denied worker list
as eve list >list.txt || fail 'eve may look'
as ada submit long.yaml >/dev/null
[ "$(db "select user from jobs where job_id = 3")" = ada ] || fail 'the job is not of whose key it was'
denied bob cancel 3
as ada cancel 3 --now >/dev/null || fail 'ada may cancel her own job'
denied bob retry 3
as boss drain "$(hostname)" --reason tired >/dev/null || fail 'boss may drain'
as boss undrain "$(hostname)" >/dev/null || fail 'boss may undrain'

say 'a key that is taken from the list is an old one, with its next word'
grep -v ' worker worker$' allowed >fewer
cat fewer >allowed
kill -HUP "$coordinator_pid"
until_true grep -q 'reason=withdrawn-key peer=' coordinator.log
until_true eval 'as boss events | grep -q "worker.lost"'
until_true eval '[ "$(as boss list --workers | grep -c idle)" -eq 0 ]'
cat worker.key.pub >>allowed
kill -HUP "$coordinator_pid"
as_worker 0
until_true eval '[ "$(as boss list --workers | grep -c idle)" -eq 1 ]'
echo rubbish >>allowed
kill -HUP "$coordinator_pid"
until_true grep -q 'the old list stays valid' coordinator.log
as eve list >/dev/null || fail 'a list with a fault has shut eve out'

say 'each was told once, and counted'
as boss events >events.txt
down
expect() { # WHY AT_LEAST
    local lines count
    if grep -o "refused: reason=$1 .*" coordinator.log | sort | uniq -d | grep .; then fail "$1 is told twice"; fi
    lines=$(grep -c "refused: reason=$1 " coordinator.log)
    [ "$lines" -ge 1 ] && [ "$lines" -le 4 ] || fail "$1: $lines lines"
    grep -q "peer.refused.*reason=$1 " events.txt || fail "$1 is no event: $(cat events.txt)"
    count=$(counted "$1")
    [ "$count" -ge "$2" ] || fail "$1: $count counted, not $2"
}
counted() { # WHY
    sed -n "s/.*refused in total: reason=$1 count=//p" coordinator.log | grep . || echo 0
}
both=$((2 * (COUNT + 5)))
expect unknown-key $both
expect malformed-frame $both
# Garbage, the giant, no key; and a frame that came twice, behind one that was understood.
# The end of a connection may be told of before its first frame is read: then it is of
# the other kind, but none is missed.
expect cut-off $both
expect broken-off 1
all=$(($(counted cut-off) + $(counted broken-off)))
[ "$all" -ge $((4 * both)) ] || fail "cut off or broken off: $all counted, not $((4 * both))"
expect wrong-role $((4 + both))
expect withdrawn-key 1
[ "$(wc -l <coordinator.log)" -lt 60 ] || fail "the log is long: $(wc -l <coordinator.log) lines"
