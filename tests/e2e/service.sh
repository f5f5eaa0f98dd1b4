#!/usr/bin/env bash
# service.sh - the coordinator as a service: it notifies systemd, writes logs as JSON,
# exports metrics as OpenMetrics, and the installed units pass systemd-analyze
. "$(dirname "$0")/fleet.sh"
cd "$work"

cat >manager.py <<'PY' # writes each message to NOTIFY_SOCKET as one line
import socket
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind("notify")
with open("notified", "w") as out:
    while True:
        out.write(notify.recv(4096).decode().replace("\n", " ") + "\n")
        out.flush()
PY
python3 manager.py &
manager=$!
trap 'code=$?; set +e; end $manager; (exit $code); finish' EXIT
until_true [ -S notify ]

say 'the coordinator notifies systemd of its start, its watchdog and its end'
export NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=100000
coordinator_up --metrics "unix://$work/metrics" --log-format json
unset WATCHDOG_USEC
worker_up 0 --log-format json --log-level info
unset NOTIFY_SOCKET
until_true grep -q 'READY=1 STATUS=serving' notified
until_true grep -qx 'READY=1' notified
until_true grep -q 'WATCHDOG=1' notified
[ "$(stat -c %a metrics)" = 660 ] || fail "other users can read the metrics: mode $(stat -c %a metrics)"

cat >scrape.py <<'PY' # reads one answer, checks it against the OpenMetrics rules, prints one sample per line
import re, socket
client = socket.socket(socket.AF_UNIX)
client.connect("metrics")
client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
answer = b""
while more := client.recv(65536):
    answer += more
head, body = answer.decode().split("\r\n\r\n", 1)
assert head.startswith("HTTP/1.1 200 OK"), head
assert "application/openmetrics-text; version=1.0.0" in head
assert f"Content-Length: {len(body.encode())}" in head
lines = body.split("\n")
assert lines[-1] == "" and lines[-2] == "# EOF" and "# EOF" not in lines[:-2]
kinds, seen, family = {}, set(), None
ends = {"counter": ["_total"], "gauge": [""], "info": ["_info"]}
for line in lines[:-2]:
    meta = re.fullmatch(r"# (TYPE|HELP|UNIT) ([a-z_:]+) (.+)", line)
    if meta:
        keyword, family, value = meta.groups()
        if keyword == "TYPE":
            assert family not in kinds, f"{family} comes twice"
            kinds[family] = value
        assert keyword != "UNIT" or family.endswith("_" + value), line
        continue
    sample = re.fullmatch(r'([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (-?[0-9.e+-]+)', line)
    assert sample, line
    assert sample[1] in [family + end for end in ends[kinds[family]]], line
    assert sample[1] + (sample[2] or "") not in seen, line
    seen.add(sample[1] + (sample[2] or ""))
    print(line)
PY
has_sample() { python3 scrape.py >samples && grep -qxF -- "$1" samples; }
until_true has_sample 'muster_cards{model="Ascend910B2",simulated="true",state="idle"} 1'
has_sample 'muster_tasks{state="waiting"} 0' || fail "$(cat samples)"

say 'the metrics follow the job'
job served '[1024]' 2 | sed 's/\[0, 1\]/[0]/' >job.yaml
muster submit job.yaml >/dev/null 2>&1
until_true has_sample 'muster_events_total{kind="task.leased"} 2'
muster wait 1 --timeout 60s >/dev/null 2>&1 || fail "wait: exit $?"
python3 scrape.py >samples || fail 'the metrics socket gave no valid answer'
for line in 'muster_events_total{kind="job.submitted"} 1' 'muster_events_total{kind="worker.came"} 1' \
    'muster_tasks{state="leased"} 0' 'muster_jobs{state="running"} 0' "muster_build_info{version=\"$(muster version | cut -d' ' -f2)\"} 1"; do
    grep -qxF -- "$line" samples || fail "not '$line': $(cat samples)"
done
[ "$(sed -n 's/^muster_groups_total //p' samples)" -ge 2 ] || fail "groups: $(cat samples)"
muster drain "$(hostname)" --reason 'metrics test' >/dev/null
until_true has_sample 'muster_cards{model="Ascend910B2",simulated="true",state="drained"} 1'
down
until_true grep -q 'STOPPING=1' notified
[ ! -e metrics ] || fail 'the metrics socket remains after the end'

say 'with --log-format json each log line is an object'
python3 - <<'PY' || fail 'a log line is wrong'
import json
lines = [json.loads(line) for name in ("coordinator.log", "worker-0.log") for line in open(name)]
assert all({"time", "level", "program", "pid", "event", "fields"} <= set(line) for line in lines)
came = [line for line in lines if line["event"] == "worker connected"]
assert len(came) == 1 and came[0]["fields"]["card"] == "0" and came[0]["level"] == "info", came
assert any(line["program"] == "muster-worker" and line["event"] == "worker started" for line in lines)
PY
code=0
timeout 20 muster coordinator --store s --out o --control "ipc://$work/c" --data "ipc://$work/d" \
    --metrics tcp://0.0.0.0:9000 2>err.txt || code=$?
[ "$code" -eq 3 ] && grep -q 'only with a token; pass --metrics-token FILE' err.txt || fail "exit $code: $(cat err.txt)"

code=0
timeout 20 muster coordinator --store s --out o --control "ipc://$work/c" --data "ipc://$work/d" \
    --metrics-token token 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q -- '--metrics-token needs --metrics' err.txt || fail "exit $code: $(cat err.txt)"

say 'the installed units are valid'
if ! command -v systemd-analyze >/dev/null; then
    echo 'systemd-analyze is not installed, so the units were not checked'
    exit 0
fi
cmake --install "$B" --prefix "$work/prefix" >/dev/null
cd "$work/prefix/lib/systemd/system"
[ "$(find . -mindepth 1 -maxdepth 1 | wc -l)" -eq 6 ] || fail "units: $(ls)"
if grep -n '@bin@' ./*; then fail 'a unit contains the placeholder @bin@'; fi
if ! systemd-analyze verify --man=no muster-coordinator.service muster-worker.service muster-worker@0.service \
    muster-nightly@health.service muster-nightly@health.timer muster-serve.service 2>"$work/err.txt" || [ -s "$work/err.txt" ]; then
    fail "units: $(cat "$work/err.txt")"
fi
if systemd-analyze security --help 2>/dev/null | grep -q -- --offline; then
    systemd-analyze security --offline=true --threshold=20 muster-coordinator.service >/dev/null || fail 'the coordinator unit exceeds the exposure threshold'
    systemd-analyze security --offline=true --threshold=20 muster-serve.service >/dev/null || fail 'the serve unit exceeds the exposure threshold'
    systemd-analyze security --offline=true --threshold=50 muster-worker@.service >/dev/null &&
        systemd-analyze security --offline=true --threshold=50 muster-worker.service >/dev/null || fail 'a worker unit exceeds the exposure threshold'
fi
