#!/usr/bin/env bash
# serve_live.sh - two tabs of a browser follow a job while it runs, also while its coordinator
# ends and starts again
. "$(dirname "$0")/fleet.sh"
cd "$work"
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || {
    echo 'SKIPPED: there is no chromium; to run it: deploy/setup.sh --all'
    exit 77
}
cat >step.sh <<'SH'
#!/bin/bash
# the first call waits for the file go.1, the second one for go.2 ...
n=1
until mkdir "taken.$n" 2>/dev/null; do n=$((n + 1)); done
until [ -e "go.$n" ]; do read -rt 0.05 _ <>wait || true; done
echo "step $n"
[ "$n" -ne 3 ]
SH
chmod +x step.sh
mkfifo wait
cat >job.yaml <<YAML
version: 1
name: steps
operator: {command: [/bin/sh, -c, "cd $work && ./step.sh"]}
sweep: {repeat: 4}
profile: {metrics: []}
cards: {ids: [0]}
YAML
fleet_up 1
until_true muster submit job.yaml >key.txt 2>/dev/null
"$root/tests/e2e/serve_live.py" &
browser=$!
# waits as long as the browser runs, whose own waits have limits
MUSTER_TEST_WAIT_SECONDS=240
asked() { [ -e "$1" ] || ! kill -0 "$browser" 2>/dev/null; }
until_true asked ask.stop
end "$coordinator_pid"
until_true asked ask.start
coordinator_up
wait "$browser" || fail 'the pages do not follow the job'
