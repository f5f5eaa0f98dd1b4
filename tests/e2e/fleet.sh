# shellcheck shell=bash
# fleet.sh - functions that the end-to-end tests source: a temporary folder with a fleet,
# both removed at the end
#
#   work                the test's folder; $B is the build tree, $PATH has its bin/
#   fleet_up [CARDS]    starts a coordinator and CARDS workers (default 2) over ipc://
#   coordinator_up      starts only the coordinator, also again after its end
#   worker_up CARD      starts the worker of one card
#   until_true COMMAND  waits until the command succeeds, at most 30 s
#   say TEXT            prints a heading for the checks that follow
#   fail TEXT           prints the text and the logs, ends the test as failed
#   waiting NAME [FIRST [THEN]]  creates an operator script that runs FIRST, waits until
#                       the file $work/go exists, then runs THEN
#
# Exports MUSTER_COORDINATOR, so that `muster submit`, `muster wait` ... find the fleet.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
B=${MUSTER_BUILD:-$root/build/dev}
PATH=$B/bin:$PATH
export LC_ALL=C.UTF-8
# inject is preloaded before the sanitizer's library, which ASan would refuse
export ASAN_OPTIONS=${ASAN_OPTIONS:-verify_asan_link_order=0:detect_leaks=0}

work=$(mktemp -d /tmp/muster-e2e-XXXXXX)
coordinator_pid=
declare -A worker_pid=()

say() { echo "--- $*"; }
fail() {
    echo "FAILED: $*" >&2
    for log in "$work"/*.log "$work"/out/store/log/*.log; do
        [ -s "$log" ] && {
            echo "== $log"
            tail -n 15 "$log"
        } >&2
    done
    exit 1
}

end() { # PID: ends a process with SIGTERM, after 10 s with SIGKILL
    [ -n "${1:-}" ] || return 0
    kill -TERM "$1" 2>/dev/null || return 0
    for _ in $(seq 100); do
        kill -0 "$1" 2>/dev/null || break
        read -rt 0.1 <> <(:) || true
    done
    kill -KILL "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}
down() {
    for card in "${!worker_pid[@]}"; do end "${worker_pid[$card]}"; done
    end "$coordinator_pid"
    worker_pid=() coordinator_pid=
}
finish() {
    local code=$?
    down
    [ -n "${MUSTER_TEST_KEEP_DIR:-}" ] || rm -rf "$work"
    exit "$code"
}
trap finish EXIT

until_true() {
    local deadline=$((SECONDS + ${MUSTER_TEST_WAIT_SECONDS:-30}))
    until "$@"; do
        [ "$SECONDS" -lt "$deadline" ] || fail "not true in time: $*"
        read -rt 0.05 <> <(:) || true # a pause without starting a process
    done
}

waiting() {
    cat >"$work/$1" <<SH
#!/bin/bash
${2:-}
until [ -e "$work/go" ]; do read -rt 0.05 _ <>"$work/wait" || true; done
${3:-}
SH
    chmod +x "$work/$1"
    [ -p "$work/wait" ] || mkfifo "$work/wait"
}

export MUSTER_COORDINATOR=ipc://$work/control
export MUSTER_ETC=$work XDG_CONFIG_HOME=$work # ignore the settings of the user and the host

coordinator_up() {
    [ -d "$work/out" ] || { # not on a read-only disk, where the folder exists
        mkdir -p "$work/out"
        chmod 750 "$work/out"
    }
    muster-coordinator --store "$work/out/store" --out "$work/out" \
        --control "ipc://$work/control" --data "ipc://$work/data" "$@" \
        2>>"$work/coordinator.log" &
    coordinator_pid=$!
}
worker_up() {
    local card=$1
    shift
    muster-worker --control "ipc://$work/control" --data "ipc://$work/data" \
        --card "$card" --model Ascend910B2 --simulated --spool "$work/spool-$card" "$@" \
        2>>"$work/worker-$card.log" &
    worker_pid[$card]=$!
}
fleet_up() {
    coordinator_up
    for card in $(seq 0 $((${1:-2} - 1))); do worker_up "$card"; done
}

db() { sqlite3 -batch -noheader "$work/out/store/muster.db" "$1"; }
capture_db() { sqlite3 -batch -noheader "$work/out/store/captures/$1.db" "$2"; }

# Prints the processes of this test that still run. Their command line contains the test's
# folder, or their working directory is below the folder.
leftovers() {
    pgrep -af "$work" | grep -vE "pgrep|$0" || true
    find /proc -maxdepth 2 -name cwd -lname "$work/?*" 2>/dev/null || true
}

job() { # NAME MATRIX REPEAT: prints a job file of add_custom on cards 0 and 1
    cat <<YAML
version: 1
name: $1
operator: {command: ["sim/bin/add_custom", --n, "\${n}"]}
sweep: {matrix: {n: $2}, repeat: $3}
profile: {metrics: [PipeUtilization]}
cards: {ids: [0, 1]}
YAML
}
fused() { # NAME WORDS HOW ENV PROFILE LINE...: prints a job file of a fused operator
    local name=$1 words=$2 how=$3 env=$4 profile=$5
    shift 5
    cat <<YAML
version: 1
name: $name
operator: {command: [sim/bin/$words], $how, env: {$env}}
profile: {metrics: [PipeUtilization], $profile}
YAML
    printf '%s\n' "$@"
}
