# shellcheck shell=bash
# hosts.sh - functions for tests with two network namespaces as hosts; source after fleet.sh
#
#   hosts_up            creates alpha (10.77.0.1) and beta (10.77.0.2) with a link between
#                       them; beta's monotonic clock is BETA_AHEAD seconds ahead (default 0)
#   hosts_far US        delays the link by US microseconds each way; call it before
#                       hosts_coordinator
#   on HOST COMMAND...  runs the command on that host
#   hosts_keys          writes keys; exports MUSTER_COORDINATOR, MUSTER_KEY, MUSTER_SERVER_KEY
#   hosts_coordinator   starts a coordinator with CURVE on alpha
#   hosts_worker HOST CARD OPTION...  starts a worker on that host
#
# Without permission to create namespaces the test is skipped with a message.
declare -A host_pid=() host_address=([alpha]=10.77.0.1 [beta]=10.77.0.2)
declare -A host_worker=()

hosts_down() {
    for name in "${!host_worker[@]}"; do end "${host_worker[$name]}"; done
    for name in "${!host_pid[@]}"; do end "${host_pid[$name]}"; done
    host_worker=() host_pid=()
}
hosts_finish() {
    local code=$?
    end "$coordinator_pid"
    hosts_down
    [ -n "${MUSTER_TEST_KEEP_DIR:-}" ] || rm -rf "$work"
    exit "$code"
}
trap hosts_finish EXIT

on() {
    local host=$1
    shift
    nsenter --target "${host_pid[$host]}" --net --time -- "$@"
}
# Runs a command on a host in the background. $! is the pid of the command itself.
start_on() { # HOST LOG COMMAND...
    local host=$1 log=$2
    shift 2
    nsenter --target "${host_pid[$host]}" --net --time -- "$@" >>"$log" 2>&1 &
}

# Creates a namespace as a host. A waiting process keeps the namespace open.
add_host() { # NAME SECONDS
    local holder
    unshare --net --time --monotonic "$2" --fork --kill-child -- \
        sh -c 'echo $$ >"$0"; exec sleep 3600' "$work/$1.ready" >/dev/null 2>"$work/$1.why" &
    holder=$!
    for _ in $(seq 100); do
        [ -s "$work/$1.ready" ] && break
        kill -0 "$holder" 2>/dev/null || return 1
        read -rt 0.05 <> <(:) || true
    done
    host_pid[$1]=$(cat "$work/$1.ready")
}

hosts_up() {
    if ! command -v ip >/dev/null || ! add_host alpha 0 || ! add_host beta "${BETA_AHEAD:-0}" ||
        ! ip link add "mv$$a" netns "${host_pid[alpha]}" type veth \
            peer name "mv$$b" netns "${host_pid[beta]}" 2>"$work/alpha.why"; then
        echo "SKIPPED: cannot create network namespaces: $(cat "$work"/*.why); to run it: sudo make check"
        exit 77
    fi
    on alpha ip address add 10.77.0.1/24 dev "mv$$a"
    on beta ip address add 10.77.0.2/24 dev "mv$$b"
    for host in alpha beta; do
        on $host ip link set lo up
        on $host ip link set "mv$$${host:0:1}" up
    done
    wire_of() { echo "mv$$${1:0:1}"; }
}

# Uses netem where the kernel has it, else the program slow_wire.
hosts_far() {
    local host
    if on alpha tc qdisc add dev "$(wire_of alpha)" root netem delay "$1us" 2>/dev/null &&
        on beta tc qdisc add dev "$(wire_of beta)" root netem delay "$1us" 2>/dev/null; then
        return
    fi
    on alpha ip link delete "$(wire_of alpha)"
    "$B/tests/slow_wire" "$1" "${host_pid[alpha]}" "$(wire_of alpha)" \
        "${host_pid[beta]}" "$(wire_of beta)" >"$work/wire.ready" 2>"$work/wire.log" &
    host_pid[wire]=$!
    wire_ready() { [ -s "$work/wire.ready" ] || ! kill -0 "${host_pid[wire]}" 2>/dev/null; }
    until_true wire_ready
    [ -s "$work/wire.ready" ] || {
        echo "SKIPPED: $(cat "$work/wire.log"); to run it: modprobe sch_netem"
        exit 77
    }
    for host in alpha beta; do
        on $host ip address add "${host_address[$host]}/24" dev "$(wire_of $host)"
        on $host ip link set "$(wire_of $host)" up
    done
}

hosts_keys() {
    muster keygen "$work/coordinator.key" coordinator >/dev/null
    muster keygen --role worker "$work/worker.key" worker >/dev/null
    muster keygen --role admin "$work/me.key" me >/dev/null
    cat "$work/worker.key.pub" "$work/me.key.pub" >"$work/allowed"
    export MUSTER_COORDINATOR=tcp://10.77.0.1:7701
    export MUSTER_KEY=$work/me.key MUSTER_SERVER_KEY=$work/coordinator.key.pub
}

hosts_coordinator() {
    mkdir -p "$work/out"
    chmod 750 "$work/out"
    start_on alpha "$work/coordinator.log" muster-coordinator --store "$work/out/store" --out "$work/out" \
        --control tcp://10.77.0.1:7701 --data tcp://10.77.0.1:7702 \
        --key "$work/coordinator.key" --allow "$work/allowed" "$@"
    coordinator_pid=$!
}

hosts_worker() { # HOST CARD OPTION...
    local host=$1 card=$2
    shift 2
    NPU_SIM_CARDS=${NPU_SIM_CARDS:-4} start_on "$host" "$work/worker-$host-$card.log" \
        muster-worker --host "$host" \
        --control tcp://10.77.0.1:7701 --data tcp://10.77.0.1:7702 \
        --key "$work/worker.key" --server-key "$work/coordinator.key.pub" \
        --card "$card" --model Ascend910B2 --simulated \
        --spool "$work/spool-$host-$card" "$@"
    host_worker["$host-$card"]=$!
}
