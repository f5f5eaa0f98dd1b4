#!/usr/bin/env bash
# management.sh - npu-smi, device nodes, and what processes report about each other
set -euo pipefail
home="$MUSTER_BUILD/lib/muster/sim"
smi="$home/bin/npu-smi"
work=$(mktemp -d)
tenant=
finish() {
    exec 7>&- 2>/dev/null || true
    if [ -n "$tenant" ]; then
        kill -9 "$tenant" 2>/dev/null || true
        wait "$tenant" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
wants() { # WHAT PATTERN TEXT: a line fits
    grep -qE -- "$2" <<<"$3" || complain "$1: nothing like '$2' in:"$'\n'"$3"
}
unset LD_LIBRARY_PATH NPU_SIM_FAULTS NPU_SIM_CARDS ASCEND_RT_VISIBLE_DEVICES NPU_SIM_HOST

cat >"$work/fleet.yaml" <<'FLEET'
version: 1
hosts:
- name: a
  cards: 4
  first_physical_id: 8
  memory_mib: 65536
  except: [{card: 1, soc: Ascend910B3, mhz: 900, hbm_maker: 88}]
- {name: pods, cards: 4, soc: Ascend910_9391}
faults:
- {fault: ecc_error, host: a, card: 2, bits: multi}
- {fault: ecc_error, host: a, card: 3, bits: single, times: 3}
- {fault: full_memory, host: a, card: 3, free_mib: 65000}
FLEET
export NPU_SIM_FLEET="$work/fleet.yaml"

# the table: two rows per chip, groups between thick lines
table=$("$smi" info)
wants 'the head' '^\| npu-smi [^ ]+ +Version: ' "$table"
wants 'a card' '^\| 8 +910B2 +\| OK +\| [0-9.]+ +[0-9]+ +0 +/ 0 ' "$table"
wants 'its chip' '^\| 0 +\| 0001:C1:00\.0 +\| 0 +0 +/ 0 +0 +/ 65536 ' "$table"
wants 'another model' '^\| 9 +910B3 +\| OK ' "$table"
wants 'an error of memory' '^\| 10 +910B2 +\| Alarm ' "$table"
wants 'one that was corrected' '^\| 11 +910B2 +\| Warning ' "$table"
wants 'memory that is taken' '\| 0 +0 +/ 0 +536 +/ 65536 ' "$table"
wants 'nobody there' '^\| No running processes found in NPU 8 +\|$' "$table"
widths=$(awk '{print length($0)}' <<<"$table" | sort -u | wc -l)
[ "$widths" = 1 ] || complain "the lines of the table differ in length"

wants 'the list' 'Total Count +: 4' "$("$smi" info -l)"
wants 'the mapping' $'^\t11 +0 +3 +11 +Ascend 910B2$' "$("$smi" info -m)"
wants 'the ties' $'^\tNPU3 +HCCS +HCCS +HCCS +X ' "$("$smi" info -t topo)"
wants 'the clock' 'Aicore curFreq\(MHZ\) +: 900' "$("$smi" info -t common -i 9)"
wants 'the rated clock' 'Aicore Freq\(MHZ\) +: 1800' "$("$smi" info -t common -i 9)"
wants 'the maker' 'HBM Manufacturer ID +: 88' "$("$smi" info -t memory -i 9)"
wants 'the errors' 'HBM Single Bit Error Count +: 3' "$("$smi" info -t ecc -i 11)"
wants 'the remap' 'Chip Logic ID +: 2' "$("$smi" info -t phyid-remap -p 10)"
wants 'the board' 'PCIe Bus Info +: 0001:C2:00.0' "$("$smi" info -t board -i 9)"
wants 'no super pod' 'SDID +: NA' "$("$smi" info -t spod-info -i 9 -c 0)"

# two dies per package
pods=$(NPU_SIM_HOST=pods "$smi" info -m)
wants 'the second die' $'^\t1 +1 +3 +3 +Ascend 910_9391$' "$pods"
pods=$(NPU_SIM_HOST=pods "$smi" info -t topo)
wants 'dies and ports' $'^\tNPU0 +X +SIO +HCCS_SW +HCCS_SW ' "$pods"
wants 'its place in the pod' 'Server Index +: 1' "$(NPU_SIM_HOST=pods "$smi" info -t spod-info -i 0 -c 1)"

for wrong in 'info -t nothing' 'info -t common' 'info -t common -i 3' 'info -t board -i 9 -c 7' 'info -x' 'fly'; do
    read -ra words <<<"$wrong"
    ! "$smi" "${words[@]}" >"$work/out" 2>&1 || complain "npu-smi $wrong succeeded, expected an error"
    [ -s "$work/out" ] || complain "npu-smi $wrong printed nothing"
done
! NPU_SIM_CARDS=0 NPU_SIM_FLEET="" "$smi" info 2>/dev/null || complain "npu-smi succeeded without cards"

# the example in the documentation is valid
for host in node0 node1; do
    wants "$host of the example" 'Total Count +: 8' "$(NPU_SIM_FLEET=configs/fleets/example.yaml NPU_SIM_HOST=$host "$smi" info -l)"
done

# a process is listed with its memory until it ends
mkfifo "$work/in" "$work/ready"
"$MUSTER_BUILD/tests/sim_tenant" 1 100 20 <"$work/in" >"$work/ready" &
tenant=$!
exec 7>"$work/in"
exec 8<"$work/ready"
read -r -t 60 line <&8 && [ "$line" = ready ] || complain "sim_tenant did not start"
table=$("$smi" info)
wants 'the tenant' "^\| 9 +0 +\| $tenant +\| sim_tenant +\| 1[0-9][0-9] " "$table"
wants 'its memory' '\| 0001:C2:00\.0 +\| [0-9]+ +0 +/ 0 +1[0-9][0-9] +/ 65536 ' "$table"
wants 'proc-mem' "Process id:$tenant +Process name:sim_tenant +Process memory\(MB\):1" "$("$smi" info -t proc-mem -i 9)"
other=$(NPU_SIM_HOST=pods "$smi" info)
! grep -q sim_tenant <<<"$other" || complain "the process is listed on another host"
cp "$NPU_SIM_FLEET" "$work/other.yaml"
! NPU_SIM_FLEET="$work/other.yaml" "$smi" info | grep -q sim_tenant || complain "the process is listed in another fleet"
alone=$(NPU_SIM_FLEET="" "$smi" info)
! grep -q sim_tenant <<<"$alone" || complain "the process is listed without fleet and host"
kill -9 "$tenant"
{ wait "$tenant" || true; } 2>/dev/null
tenant=
wants 'nobody again' '^\| No running processes found in NPU 9 ' "$("$smi" info)"

# device nodes: a card whose node cannot be opened is absent, and later cards move up
"$home/bin/npu-sim-nodes" "$work/box" 9 11
[ -e "$work/box/dev/davinci9" ] && [ ! -e "$work/box/dev/davinci8" ] || complain "wrong device nodes in $work/box/dev"
wants 'the network' '^address_11=10\.0\.0\.12$' "$(cat "$work/box/etc/hccn.conf")"
inside=$(NPU_SIM_DEV_DIR="$work/box/dev" "$smi" info -m)
wants 'renumbered' $'^\t9 +0 +0 +9 +Ascend 910B3$' "$inside"
wants 'renumbered too' $'^\t11 +0 +1 +11 +Ascend 910B2$' "$inside"
! grep -qE $'^\t10 ' <<<"$inside" || complain "card 10 is listed without its node"
rm "$work/box/dev/hisi_hdc"
! NPU_SIM_DEV_DIR="$work/box/dev" "$smi" info >"$work/out" 2>&1 || complain "npu-smi succeeded without the node hisi_hdc"
wants 'what is missing' 'hisi_hdc' "$(cat "$work/out")"
exit $bad
