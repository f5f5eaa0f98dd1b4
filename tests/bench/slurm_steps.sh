#!/usr/bin/env bash
# slurm_steps.sh - measures job steps of a Slurm cluster that it starts on this machine
#
# For each line of its input it runs 60 steps, four at a time in one allocation, and
# prints the microseconds per step. It prints the reason instead when it cannot.
. "$(dirname "$0")/../e2e/fleet.sh"
. "$root/tests/support/slurm.sh"
finish_slurm() {
    local code=$?
    slurm_down >/dev/null
    rm -rf "$work"
    exit "$code"
}
trap finish_slurm EXIT
chmod 711 "$work"
code=0
slurm_up "$work/slurm" 2 >"$work/why" 2>&1 || code=$?
if [ "$code" -ne 0 ]; then
    head -n 1 "$work/why" | sed 's/^SKIPPED: //; s/"//g'
    exit 0
fi
cat >"$work/steps.sh" <<'SH'
#!/usr/bin/env bash
while read -r _; do
    start=$(date +%s%N)
    seq 60 | xargs -P4 -n1 srun --nodes=1 --ntasks=1 --overlap /bin/true >/dev/null 2>"$0.err" ||
        { echo "a step failed: $(head -n 1 "$0.err" | tr -d '"')"; exit 1; }
    echo $((($(date +%s%N) - start) / 60000))
done
SH
chmod +x "$work/steps.sh"
salloc --quiet --nodes=1 --ntasks=4 --partition=main "$work/steps.sh" 2>/dev/null ||
    echo 'Slurm granted no allocation'
