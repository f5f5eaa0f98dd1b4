#!/usr/bin/env bash
# simulator.sh - muster import makes tables, timeline and the viewer's file of the logs of
# an instruction simulator; two imports are equal, and the logs stay unchanged
. "$(dirname "$0")/fleet.sh"
cd "$root"
expect() { [ "$1" = "$2" ] || fail "$3: $1, not $2"; }
sim=$B/lib/muster/sim
mkdir "$work/logs"
CAMODEL_LOG_PATH=$work/logs "$sim/bin/matmul_custom" --m 300 --n 200 --k 130 --blocks 2 >/dev/null ||
    fail "the operator failed"
before=$(cat "$work"/logs/* | cksum)
import() {
    muster import "$work/logs" --soc Ascend910B2 --kernel "$sim/kernels/matmul_custom.o" \
        --out "$work/$1" >"$work/$1.txt" || fail "import: exit $?"
}
import one
import two
diff -r "$work/one" "$work/two" >/dev/null || fail "two imports of the same logs differ"
expect "$(cat "$work"/logs/* | cksum)" "$before" "the logs"
expect "$(grep -c '^core[01]\.' "$work/one.txt")" 6 "cores"
muster inspect --check "$work/one/visualize_data.bin" >"$work/check" || fail "$(cat "$work/check")"

for core in core0 core1; do
    table=$work/one/$core.cubecore0/$core.cubecore0_instr_exe.csv
    # 150 rows, 200 columns and a depth of 130 make 2 x 2 tiles with 3 steps each
    expect "$(awk -F, '$1 == "MMAD" {print $4}' "$table")" $((2 * 2 * 3)) "multiplications of $core"
    # rows are sorted by cycles, longest first
    sort -s -c -t, -k5,5nr <(tail -n +2 "$table" | cut -d, -f1-5) || fail "$core: rows are not sorted by cycles"
    # the cycles of all instructions equal the cycles of all lines
    lines=$(awk -F, 'NR > 1 {n += $3} END {print n}' "$work/one/$core.cubecore0/${core}.cubecore0_code_exe.csv")
    instructions=$(awk -F, 'NR > 1 {n += $5} END {print n}' "$table")
    expect "$lines" "$instructions" "cycles of lines and of instructions of $core"
done
number=$(grep -n 'multiply(sums, l0a, l0b' sim/ops/kernels/matmul_custom_kernel.c | cut -d: -f1)
grep -q "sim/ops/kernels/matmul_custom_kernel.c:$number," "$work/one/core0.cubecore0/core0.cubecore0_code_exe.csv" ||
    fail "the line table has no line $number"
# the bytes of an instruction follow from its operands: both cores read a and b
cat >"$work/bytes.py" <<'PY'
import json, sys
block = next(b for b in json.load(sys.stdin)["blocks"] if b["type"] == 4)
for name in ("ND2NZ", "MOV_ALIGN"):
    rows = [r for r in block["content"]["Instructions"]
            if r["Source"].split(" ")[0] == name and r["Pipe"] == "MTE2"]
    print(sum(n for r in rows for n in r["Process Bytes"] if n > 0))
PY
muster inspect --json "$work/one/visualize_data.bin" | python3 "$work/bytes.py" >"$work/bytes"
expect "$(sed -n 1p "$work/bytes")" $((4 * (300 * 130 * 2 + 130 * 200 * 2 * 2))) "bytes of a and b"
expect "$(sed -n 2p "$work/bytes")" $((4 * (300 * 200 + 4 * 200))) "bytes of the product and the bias"
# the throughput of each microsecond adds up to all bytes moved
cat >"$work/moved.py" <<'PY'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
for name in ("GM_TO_TOTAL", "TOTAL_TO_GM"):
    print(round(sum(e["args"]["throughput(MB/s)"] for e in events if e["ph"] == "C" and e["name"] == name) * 1048576 / 1e6))
arrows = [e for e in events if e["ph"] in "st" and e.get("cat")]
print(all(sum(1 for o in arrows if o["id"] == e["id"]) == 2 for e in arrows) and len(arrows) > 0)
PY
python3 "$work/moved.py" "$work/one/trace.json" >"$work/moved"
expect "$(sed -n 1p "$work/moved")" \
    $((4 * (300 * 130 * 2 + 130 * 200 * 2 * 2) + 4 * (300 * 200 + 4 * 200))) "bytes from GM"
expect "$(sed -n 2p "$work/moved")" $((4 * 300 * 200 * 2)) "bytes to GM"
expect "$(sed -n 3p "$work/moved")" True "arrows with two ends"

say 'the metrics of the simulator are refused with another tool (simulated_job.sh runs them)'
cat >"$work/simulate.yaml" <<'YAML'
version: 1
name: simulate
operator:
  command: [sim/bin/matmul_custom, --m, "300"]
  env: {A: b}
sweep: {matrix: {point: ["1"]}}
profile: {metrics: []}
YAML
for name in TimelineDetail PMSampling OverHead; do
    sed "s/metrics: \[]/metrics: [$name]/" "$work/simulate.yaml" >"$work/refused.yaml"
    code=0
    muster validate "$work/refused.yaml" >"$work/run.txt" 2>"$work/run.err" || code=$?
    { [ "$code" -eq 2 ] && grep -q "refused.yaml:7:.* metric '$name' comes from the vendor's instruction simulator; add 'tool: simulator'" "$work/run.err"; } ||
        fail "$name: exit $code: $(cat "$work/run.err")"
done
# --core-id reads the logs of some cores: their tables are those of the import of all cores
muster import "$work/logs" --soc Ascend910B2 --kernel "$sim/kernels/matmul_custom.o" --core-id 1 \
    --out "$work/part" >"$work/part.txt" || fail "import --core-id: exit $?"
expect "$(cd "$work/part" && echo core*)" 'core1.cubecore0 core1.veccore0 core1.veccore1' 'cores of --core-id 1'
for table in "$work"/part/core1.*/*instr_exe.csv; do
    cmp "$table" "${table/part/one}" || fail "$table differs"
done
code=0
muster import "$work/logs" --core-id 0-2 --out "$work/none" >/dev/null 2>"$work/none.err" || code=$?
expect "$code" 2 'exit code without logs of a core'
grep -q 'core 2 has no instruction logs' "$work/none.err" || fail "$(cat "$work/none.err")"
