#!/usr/bin/env bash
# no_cluster.sh - when Slurm refuses to give nodes, muster prints the error of sbatch:
# `muster run --on slurm` at once, and `muster explain` for a task that waits for nodes
. "$(dirname "$0")/fleet.sh"
cd "$work"
mkdir fake
for tool in squeue scancel; do
    printf '#!/bin/sh\nexit 0\n' >"fake/$tool"
done
cat >fake/sbatch <<'SH'
#!/bin/sh
[ "$1" = --version ] && exit 0
echo "sbatch: error: first line" >&2
case "$*" in
*--test-only*) [ ! -e refuse ] && exit 0 ;;
esac
echo "sbatch: fatal: no such partition: lunch" >&2
exit 1
SH
chmod +x fake/*
export PATH=$work/fake:$PATH
unset SLURM_JOB_ID
cat >job.yaml <<'YAML'
version: 1
name: job
operator: {command: [sim/bin/add_custom]}
YAML
sed 's/name: job/name: ids/' job.yaml >ids.yaml
echo 'cards: {ids: [0, 3]}' >>ids.yaml
refused() { # TEXT OPTION...: the run ends with exit code 2 and the text
    local code=0
    timeout 60 env -u MUSTER_COORDINATOR muster run --on slurm --quiet --address 127.0.0.1 --out run "${@:2}" >/dev/null 2>run.err || code=$?
    [ "$code" -eq 2 ] && grep -qF "$1" run.err || fail "exit $code: $(cat run.err)"
}

say 'a run on a cluster that refuses the request ends at once'
touch refuse
refused 'Slurm refuses the request for nodes: sbatch: fatal: no such partition: lunch' job.yaml
refused 'Slurm refuses the request for nodes: sbatch: fatal: no such partition: lunch' ids.yaml

say 'cards that no node has are refused'
refused 'cards.ids names card 3, but each of the 2 nodes has cards 0 to 1' --nodes 2 ids.yaml

say 'a task that waits for nodes is explained with the error of sbatch'
muster keygen coordinator.key --role admin coordinator >/dev/null
muster keygen me.key --role admin me >/dev/null
cp me.key.pub allowed
export MUSTER_KEY=$work/me.key MUSTER_SERVER_KEY=$work/coordinator.key.pub
mkdir -m 750 out
muster-coordinator --store out/store --out out --control 'tcp://127.0.0.1:*' --data 'tcp://127.0.0.1:*' \
    --key coordinator.key --allow allowed --announce endpoints --alloc-poll 300ms 2>>coordinator.log &
coordinator_pid=$!
until_true test -s endpoints
MUSTER_COORDINATOR=$(head -n 1 endpoints)
muster alloc add slurm --name q --simulated >/dev/null
muster submit job.yaml >/dev/null 2>&1
explained() { muster explain job-1 | grep -qF 'allocation queue q: sbatch: fatal: no such partition: lunch'; }
until_true explained
