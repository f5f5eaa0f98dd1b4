#!/usr/bin/env bash
# source.sh - the metrics MemoryDetail and Source give the bytes that each kernel line
# moves and the number of instructions that each line executes
. "$(dirname "$0")/fleet.sh"
cd "$root"
expect() { [ "$1" = "$2" ] || fail "$3: $1, not $2"; }
cat >"$work/job.yaml" <<'JOB'
version: 1
name: detail
operator:
  command: [sim/bin/matmul_custom, --m, 300, --n, 200, --k, 130, --blocks, 2]
profile: {metrics: [MemoryDetail, Source]}
cards: {ids: [0]}
JOB
muster run --quiet --out "$work/out" "$work/job.yaml" >/dev/null || fail "the job did not succeed"
bin=$(find "$work/out" -name visualize_data.bin)
muster inspect --check "$bin" >"$work/check" || fail "$(cat "$work/check")"
muster inspect --json "$bin" >"$work/all.json"

# prints one column of the kernel line that contains a text
cat >"$work/line.py" <<'PY'
import json, sys
def find_node(node, key):
    if isinstance(node, dict):
        if key in node:
            return node
        node = list(node.values())
    for part in node if isinstance(node, list) else []:
        found = find_node(part, key)
        if found:
            return found
text = open("sim/ops/kernels/matmul_custom_kernel.c").read().split("\n")
fragment, column = sys.argv[2:4]
number = next(i for i, line in enumerate(text, 1) if fragment in line)
for file in find_node(json.load(open(sys.argv[1])), "Files")["Files"]:
    if file["Source"].endswith("sim/ops/kernels/matmul_custom_kernel.c"):
        print(next(l for l in file["Lines"] if l["Line"] == number)[column][0])
PY
line() { python3 "$work/line.py" "$work/all.json" "$@"; }

# 150 rows are two tiles, 200 columns are two, a depth of 130 is three. So each block
# reads its part of a twice, and both blocks read b twice.
expect "$(line 'npu_sim_nd2nz(npu_sim_at(NPU_SIM_L1, l1),' 'Process Bytes')" \
    $((300 * 130 * 4 * 2)) "bytes of a"
expect "$(line 'npu_sim_nd2nz(npu_sim_at(NPU_SIM_L1, l1 + L1_B)' 'Process Bytes')" \
    $((130 * 200 * 4 * 2 * 2)) "bytes of b"
expect "$(line 'npu_sim_mov_fp(' 'Process Bytes')" $((300 * 200 * 4)) "bytes of the product"
expect "$(line 'multiply(sums, l0a, l0b' 'Process Bytes')" -1 "a line that moves nothing"
# a sanitizer inserts checks that change the number of instructions of a line
if ! nm "$B/lib/muster/sim/kernels/matmul_custom.o" | grep __asan >/dev/null; then
    expect "$(line 'multiply(sums, l0a, l0b' 'Instructions Executed')" $((2 * 2 * 2 * 3)) \
        "multiplications"
fi
# the file contains the source text (block type 0x01)
muster inspect "$bin" | grep -q ' 0x01 ' || fail "no source code"
# bandwidth of MTE2 while busy, times its busy time, gives the bytes moved into L1
cat >"$work/moved.py" <<'PY'
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    if row["sub_block_id"] == "cube0":
        print(round(float(row["aic_mte2_active_bw(GB/s)"]) * float(row["aic_mte2_time(us)"]) * 2**30 / 1e6 / 1000))
PY
table=$(find "$work/out" -name PipeUtilization.csv)
expect "$(python3 "$work/moved.py" "$table" | sort -u)" \
    $(((150 * 130 * 4 * 2 + 130 * 200 * 4 * 2) / 1000)) "kilobytes into L1, a block"
# the stamps of the kernel: each core reports one pair, with the source line of the stamp
cat >"$work/stamps.py" <<'PY'
import json, sys
text = open("sim/ops/kernels/matmul_custom_kernel.c").read().split("\n")
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    if event["ph"] == "X" and event["name"] in ("65536", "65537"):
        number = int(event["args"]["code"].rsplit(":", 1)[1])
        print(event["tid"], event["name"], text[number - 1].strip())
PY
python3 "$work/stamps.py" "$(find "$work/out" -path '*matmul_custom/0/trace.json')" | sort >"$work/stamps"
diff - "$work/stamps" <<'STAMPS' || fail "the timeline has other stamps"
core0.cubecore0 65536 npu_sim_stamp(STAMP_CUBE);
core0.veccore0 65537 npu_sim_stamp(STAMP_BIAS);
core0.veccore1 65537 npu_sim_stamp(STAMP_BIAS);
core1.cubecore0 65536 npu_sim_stamp(STAMP_CUBE);
core1.veccore0 65537 npu_sim_stamp(STAMP_BIAS);
core1.veccore1 65537 npu_sim_stamp(STAMP_BIAS);
STAMPS
