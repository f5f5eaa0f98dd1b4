# shellcheck shell=bash
# document_page.sh - functions for the script of one page that documents.py writes; $page is
# its name. The script runs in a folder in which the paths of the documents exist.
. "$(dirname "${BASH_SOURCE[0]}")/fleet.sh"
control=$MUSTER_COORDINATOR
unset MUSTER_COORDINATOR
export HOME=$work TMPDIR=$work/tmp
mkdir -p "$work/build" "$TMPDIR"
ln -s "$B" "$work/build/dev"
ln -s "$B" "$work/build/release"
ln -s "$root/configs" "$work/configs"
cd "$work" || exit 1

errors=0
wrong() { # LINE TEXT: reports an error; the page goes on
    echo "$page:$1: $2; it printed: $(tail -n 20 "$work/.out" "$work/.err")"
    errors=1
}

ends_with() { # LINE CODE COMMAND: runs the command in this shell
    local code=0
    set +eu +o pipefail
    eval "$3" >"$work/.out" 2>"$work/.err" </dev/null
    code=$?
    set -eu -o pipefail
    [ "$code" -eq "$2" ] || wrong "$1" "exit $code, not $2: $3"
}
prints() { # LINE PATTERN: the last command printed a line that has the pattern
    grep -qE -e "$2" "$work/.out" "$work/.err" || wrong "$1" "nothing printed matches $2"
}
serves() { # LINE COMMAND CHECK: starts the command, waits until CHECK succeeds, ends it
    alone
    (eval "exec $2") >"$work/.out" 2>"$work/.err" </dev/null 9>&- &
    worker_pid[service]=$!
    until_true check_service "$1" "$2" "$3"
    service_ends
}
service_ends() {
    end "${worker_pid[service]}"
    unset 'worker_pid[service]'
    exec 9>&-
}
# Starts a command as a service for the lines that follow, until service_ends.
service_starts() { # CHECK COMMAND...
    local check=$1
    shift
    alone
    "$@" >"$work/.service" 2>&1 9>&- &
    worker_pid[service]=$!
    until_true eval "$check"
}
# Pages run at the same time, and their services have the same default port.
alone() {
    exec 9>"$MUSTER_TEST_PAGES/service"
    flock -w 100 9
}
check_service() { # LINE COMMAND CHECK
    kill -0 "${worker_pid[service]}" 2>/dev/null || fail "$page:$1: it ended: $2: $(cat "$work/.err")"
    eval "$3" >"$work/.check" 2>&1
}

sample() { cp "$B/lib/muster/sim/bin/${2:-add_custom}" "$1"; }

# program NAME COMMAND...: writes a program that starts a sample with these arguments
program() {
    local name=$1
    shift
    printf '#!/bin/sh\nPATH=%s:$PATH\n%s\n' "$B/lib/muster/sim/bin" "$*" >"$name"
    chmod +x "$name"
}

# measured NAME [LINE...]: runs a job of the file NAME.part and further lines
measured() {
    local name=$1
    shift
    { printf 'version: 1\nname: %s\n' "$name" && cat "$name.part" && printf '%s\n' "$@"; } >"$name.yaml"
    muster run --quiet "$name.yaml" >/dev/null 2>.measured.err || fail "$name: $(cat .measured.err)"
}

# fleet_with NAME...: a fleet of two cards on host node0, whose jobs of these names have ended
fleet_with() {
    coordinator_up
    worker_up 0 --host node0
    worker_up 1 --host node0
    export MUSTER_COORDINATOR=$control
    local name keys=()
    for name; do
        job "$name" '[1024, 65536]' 2 >".$name.yaml"
        keys+=("$(muster submit ".$name.yaml" 2>.submit.err)") || fail "$(cat .submit.err)"
    done
    for name in "${keys[@]}"; do muster wait --quiet "$name" >/dev/null || fail "$name: exit $?"; done
}

# jobs sweep-1 to sweep-9 and nightly-10 of the fleet, which have ended
nine_sweeps() {
    local number repeat
    export NPU_SIM_NOISE=0
    for number in $(seq 9); do
        repeat=1
        case $number in 2 | 3) repeat=7 ;; esac
        cat >.sweep.yaml <<YAML
version: 1
name: sweep
operator: {command: [sim/bin/add_custom, --n, "\${n}"], env: {M: "\${m}"}}
sweep: {matrix: {n: [65536], m: [16, 1024]}, repeat: $repeat}
profile: {metrics: [BasicInfo], warmup: 0}
cards: {ids: [0]}
compare: {against: sweep}
YAML
        muster submit .sweep.yaml >.keys 2>.submit.err
    done
    sed 's/name: sweep/name: nightly/' .sweep.yaml >.nightly.yaml
    muster submit .nightly.yaml >.keys 2>.submit.err
    muster wait --quiet "$(cat .keys)" >/dev/null
}

# small NAME: runs a small job of this name on two cards
small() {
    job "$1" '[1024, 65536]' 2 >".$1.yaml"
    muster run --quiet ".$1.yaml" >/dev/null 2>.small.err || fail "$(cat .small.err)"
}
