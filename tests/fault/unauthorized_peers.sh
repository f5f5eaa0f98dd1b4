#!/usr/bin/env bash
# unauthorized_peers.sh - peers that the coordinator must refuse
#
# Peers without a key, with an unknown or withdrawn key, with a replayed frame, a frame of
# 10 GiB or garbage are refused, counted, and logged once each. The coordinator's memory
# does not grow, and permitted peers are served meanwhile. A key permits what its role permits.
. "$(dirname "$0")/../e2e/fleet.sh"
cd "$work"
COUNT=30
# The address sanitizer returns freed memory at once, so that only lasting growth counts.
ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=0:thread_local_quarantine_size_kb=0

muster keygen coordinator.key coordinator >/dev/null
for name in worker:worker boss:admin ada:submit bob:submit eve:read unauthorized_peer:admin; do
    muster keygen --role "${name#*:}" "${name%:*}.key" "${name%:*}" >/dev/null
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
attack() { # COUNT: in every way, at both endpoints
    local endpoint
    for endpoint in "$MUSTER_COORDINATOR" "$data"; do
        for way in garbage giant no-key; do "$B/tests/unauthorized_peer" "${endpoint##*:}" $way "$1"; done
        "$B/tests/unauthorized_peer" "${endpoint##*:}" wrong-key "$1" unauthorized_peer.key coordinator.key.pub
        for way in rubbish replay; do
            "$B/tests/unauthorized_peer" "${endpoint##*:}" $way "$1" eve.key coordinator.key.pub
        done
    done
}

say 'an unauthorized peer is refused and costs only one line in the log'
as ada submit good.yaml >/dev/null || fail 'ada cannot submit'
as ada wait 1 --timeout 60s >/dev/null 2>&1 || fail 'a job failed before the attacks'
attack 5 || fail 'an unauthorized peer was accepted'
before=$(memory_kb)
attack "$COUNT" || fail 'an unauthorized peer was accepted'
after=$(memory_kb)
[ $((after - before)) -lt 3000 ] || fail "the coordinator grew by $((after - before)) KiB"
as ada submit good.yaml >/dev/null || fail 'ada cannot submit any more'
as ada wait 2 --timeout 60s >/dev/null 2>&1 || fail 'a job failed after the attacks'

say 'a key permits what its role permits'
denied() { # KEY COMMAND...
    local code=0
    as "$@" >denied.txt 2>&1 || code=$?
    [ "$code" -eq 3 ] || fail "$*: exit $code, not 3: $(cat denied.txt)"
}
denied eve submit good.yaml
denied eve cancel 1
denied ada drain "$(hostname)" --reason tired
denied worker list
as eve list >list.txt || fail 'eve cannot list jobs'
as ada submit long.yaml >/dev/null
[ "$(db "select user from jobs where job_id = 3")" = ada ] || fail 'the job does not have the user of the key'
denied bob cancel 3
as ada cancel 3 --now >/dev/null || fail 'ada cannot cancel her own job'
denied bob retry 3
as boss drain "$(hostname)" --reason tired >/dev/null || fail 'boss cannot drain'
as boss undrain "$(hostname)" >/dev/null || fail 'boss cannot undrain'

say 'one key may not have more than 256 connections; other keys are served meanwhile'
"$B/tests/unauthorized_peer" "${MUSTER_COORDINATOR##*:}" crowd 1 eve.key coordinator.key.pub &
crowd=$!
until_true grep -q 'reason=too-many-connections peer=eve' coordinator.log
kill -0 "$crowd" || fail 'a connection within the limit got no reply'
as ada list >/dev/null || fail 'ada is not served'
end "$crowd"
until_true as eve list >/dev/null

say 'a key that was removed from the allow-list is refused at its next message'
grep -v ' worker worker$' allowed >fewer
cat fewer >allowed
kill -HUP "$coordinator_pid"
until_true grep -q 'reason=withdrawn-key peer=' coordinator.log
until_true eval 'as boss events | grep -q "worker.lost"'
until_true eval '[ "$(as boss list --workers | grep -c idle)" -eq 0 ]'
cat worker.key.pub >>allowed
kill -HUP "$coordinator_pid"
# the workers try again every 15 seconds
MUSTER_TEST_WAIT_SECONDS=60 until_true eval '[ "$(as boss list --workers | grep -c idle)" -eq 2 ]'
echo rubbish >>allowed
kill -HUP "$coordinator_pid"
until_true grep -q 'the old list stays valid' coordinator.log
as eve list >/dev/null || fail 'a damaged allow-list locks eve out'

say 'each refusal is counted and logged once'
as boss events >events.txt
down
expect() { # REASON AT_LEAST
    local lines count
    if grep -o "refused: reason=$1 .*" coordinator.log | sort | uniq -d | grep .; then fail "$1 is logged twice"; fi
    lines=$(grep -c "refused: reason=$1 " coordinator.log)
    [ "$lines" -ge 1 ] && [ "$lines" -le 4 ] || fail "$1: $lines lines in the log"
    grep -q "peer.refused.*reason=$1 " events.txt || fail "$1 has no event: $(cat events.txt)"
    count=$(counted "$1")
    [ "$count" -ge "$2" ] || fail "$1: $count counted, not $2"
}
counted() { # REASON
    sed -n "s/.*refused in total: reason=$1 count=//p" coordinator.log | grep . || echo 0
}
both=$((2 * (COUNT + 5)))
expect unknown-key $both
expect malformed-frame $both
# These peers send garbage, a giant frame, no key, or a valid frame twice. ZeroMQ may report
# the end of a connection before the reason: then it counts as broken off, not cut off.
expect cut-off $both
expect broken-off 1
all=$(($(counted cut-off) + $(counted broken-off)))
[ "$all" -ge $((4 * both)) ] || fail "cut off or broken off: $all counted, not $((4 * both))"
expect wrong-role $((4 + both))
expect withdrawn-key 1
expect too-many-connections 1
[ "$(wc -l <coordinator.log)" -lt 60 ] || fail "the log is long: $(wc -l <coordinator.log) lines"
