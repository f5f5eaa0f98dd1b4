# shellcheck shell=bash
# slurm.sh - sourced: a Slurm cluster of two nodes on this machine's loopback, with npu
# resources that are empty files, and nothing of it left behind
#
#   slurm_up FOLDER CARDS   munged, slurmctld and two slurmd; SLURM_CONF is set
#   slurm_down              ends these processes by their pids
#
# When the Debian packages are not installed, or do not run, slurm_up returns 77 and
# prints the missing part.
slurm_pids=()

slurm_start() { # LOG COMMAND...
    local log=$1
    shift
    "$@" >"$log" 2>&1 &
    slurm_pids+=($!)
}

slurm_port() { # prints a free port, from the range of this process
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 10)); done
    echo "$port"
}

slurm_up() {
    local folder=$1 cards=$2 host base missing=
    for tool in munged slurmctld slurmd sbatch; do
        command -v "$tool" >/dev/null || missing+=" $tool"
    done
    [ "$(id -u)" -eq 0 ] || missing+=" the-rights-of-root"
    if [ -n "$missing" ]; then
        echo "SKIPPED: a Slurm of our own needs$missing; to run it: deploy/setup.sh --all, and sudo make check"
        return 77
    fi
    host=$(hostname -s)
    base=$(slurm_port $((20000 + $$ % 10000 / 10 * 10)))
    mkdir -p "$folder"/{munge,state,spool/n0,spool/n1,log,run,npu}
    chmod 711 "$folder" "$folder/munge" # munge lets others reach its socket
    for i in $(seq 0 $((2 * cards - 1))); do : >"$folder/npu/$i"; done
    cat >"$folder/slurm.conf" <<CONF
ClusterName=muster
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,defer_batch,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
MinJobAge=2
InactiveLimit=0
KillWait=2
SlurmdParameters=config_overrides
GresTypes=npu
TopologyPlugin=topology/none
NodeName=n[0-1] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((base + 1))-$((base + 2))] CPUs=8 RealMemory=4000 Gres=npu:$cards State=UNKNOWN
PartitionName=main Nodes=n[0-1] Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
CONF
    printf 'NodeName=n0 Name=npu File=%s/npu/[0-%d]\nNodeName=n1 Name=npu File=%s/npu/[%d-%d]\n' \
        "$folder" $((cards - 1)) "$folder" "$cards" $((2 * cards - 1)) >"$folder/gres.conf"
    head -c 1024 /dev/urandom >"$folder/munge/key"
    chmod 400 "$folder/munge/key"
    export SLURM_CONF=$folder/slurm.conf
    slurm_start "$folder/log/munged.out" munged --force --foreground --key-file="$folder/munge/key" \
        --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
        --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
    until_true test -S "$folder/munge/socket"
    slurm_controller
    for node in n0 n1; do
        slurm_start "$folder/log/$node.out" slurmd -D -N $node -f "$SLURM_CONF"
    done
    until_true slurm_is_ready_or_dead
    slurm_is_ready && return
    echo "SKIPPED: no Slurm of our own can run here: $(grep -h 'error:' "$folder"/log/n?.out | tail -n 1); to run it: use a machine where slurmd starts"
    slurm_down
    return 77
}
# A container without control groups, say, is no place for slurmd.
slurm_is_ready_or_dead() {
    slurm_is_ready && return
    for pid in "${slurm_pids[@]}"; do kill -0 "$pid" 2>/dev/null || return 0; done
    return 1
}
slurm_is_ready() { [ "$(sinfo --noheader --Node --states=idle 2>/dev/null | wc -l)" -eq 2 ]; }

slurm_controller() { # [-c]: without its saved state
    slurm_start "${SLURM_CONF%/*}/log/slurmctld.out" slurmctld -D "$@" -f "$SLURM_CONF"
    slurm_controller_pid=$!
}

slurm_down() {
    local steps
    # Leftovers of jobs: slurmstepd is not a child of this script, and neither is an srun
    # after the end of its coordinator.
    steps=$(pgrep -f "^slurmstepd: \[|^srun " || true)
    for pid in $steps; do
        grep -qz "${SLURM_CONF:-none}" "/proc/$pid/environ" 2>/dev/null && kill -KILL "$pid" 2>/dev/null
    done
    for ((i = ${#slurm_pids[@]} - 1; i >= 0; i--)); do end "${slurm_pids[$i]}"; done
    slurm_pids=()
}
