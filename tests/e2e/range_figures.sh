#!/usr/bin/env bash
# range_figures.sh - range replay gives the figures of each launch and of the whole range;
# both are compared with the exact log of the simulated cards
. "$(dirname "$0")/fleet.sh"
cd "$work"
export NPU_SIM_CARDS=2
kernel=$B/lib/muster/sim/kernels/accumulate_inplace.o
step=$B/lib/muster/sim/bin/matmul_all_reduce_inplace
job() { # NAME RANGE COMMAND MORE
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {command: [/bin/sh, -c, "exec $3"], env: {NPU_SIM_LEDGER: "$work/ledger.$1"}$4}
profile: {metrics: [Default], replay: range, kernel: "$2", warmup: 1, launch: {count: 1}}
limits: {time: 60s}
YAML
}
run() { # NAME: runs the job, writes its figures to figures.NAME and its exit code to $code
    code=0
    env -u MUSTER_COORDINATOR muster run --quiet --out "out.$1" "$1.yaml" >/dev/null 2>"stderr.$1" || code=$?
    env -u MUSTER_COORDINATOR muster results --out "out.$1" --output csv "$1" >"figures.$1"
}
job single forward "$B/tests/marker $kernel 3" ''
job fused step "$step --launches 2 --marked 1" ', ranks: 2'
job synchronised 'st*' "$B/tests/marker $kernel 3" ''
job refused forward "$B/tests/marker $kernel 3 default" ''

for name in single fused synchronised; do
    run $name
    [ $code -eq 0 ] || fail "$name: exit $code: $(cat stderr.$name)"
    python3 - $name <<'PYTHON' || fail "$name: the figures differ from the log of the cards"
import collections, csv, glob, sys

name = sys.argv[1]
# the launches of each segment of the range, as the program issues them
fused = [["HcclAllReduce", "MatmulAllReduceAddRmsNorm_0", "HcclAllReduce"]]
expected = {
    "single": [["accumulate_inplace"] * 3],
    "synchronised": [["accumulate_inplace"] * 4, ["accumulate_inplace"]],
    "fused": fused,
}[name]
AI_CORE, TICKS_PER_US = "0", 50

executions = collections.defaultdict(list)  # by card: (kernel or None, start, end, cycles by kind)
open_tasks, cores = {}, collections.defaultdict(list)
for line in open("ledger." + name):
    word = line.split()
    if word[0] == "core":
        card, kernel, kind, start, end, cycles = word[1], word[2], word[5], int(word[9]), int(word[10]), int(word[11])
        events = dict(map(int, pair.split("=")) for pair in word[12:])
        cores[card].append((kernel, kind, start, end, cycles, events))
    elif word[4] == AI_CORE:
        key = tuple(word[1:4])
        if word[5] == "start":
            open_tasks[key] = int(word[6])
        else:
            executions[word[1]].append((open_tasks.pop(key), int(word[6])))
for runs in executions.values():
    runs.sort()

figures = collections.defaultdict(dict)
for row in csv.DictReader(open("figures." + name)):
    figures[row["device"], row["kernel"], int(row["launch"])][row["metric"]] = float(row["value"])
by_kernel = collections.defaultdict(list)  # (card, kernel): figures of its launches in order
for (card, kernel, launch), values in sorted(figures.items(), key=lambda item: item[0][2]):
    by_kernel[card, kernel].append(values)


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1)


cards = sorted({card for card, _, _ in figures})
marked = {"single": "forward", "synchronised": "step", "fused": "step"}[name]
assert len(cards) == (2 if name == "fused" else 1), cards
for card in cards:
    seen = collections.Counter()
    assert len(by_kernel[card, marked]) == len(expected), by_kernel[card, marked]
    # The channels log the last pass of each segment, before the next segment runs. The log of
    # the card has only passes, and the passes of a segment follow each other.
    runs, at = executions[card], 0
    total = sum(len(kernels) for kernels in expected)
    logged = []
    if len(expected) == 1:
        logged = [runs[-len(expected[0]):]]
    else:  # equal numbers of passes: split by the number of executions
        passes = len(runs) // total
        assert passes * total == len(runs), (len(runs), total)
        for kernels in expected:
            at += passes * len(kernels)
            logged.append(runs[at - len(kernels):at])
    for number, (kernels, times) in enumerate(zip(expected, logged)):
        whole = by_kernel[card, marked][number]
        first, last = times[0][0], times[-1][1]
        assert close(whole["duration_us"], (last - first) / TICKS_PER_US), (whole, times)
        assert close(whole["range_busy_us"], sum(end - start for start, end in times) / TICKS_PER_US)
        assert whole["range_launches"] == len(kernels) and whole["range_segment"] == number + 1
        sums = collections.Counter()
        for place, (kernel, (start, end)) in enumerate(zip(kernels, times)):
            own = by_kernel[card, kernel][seen[kernel]]
            order = seen[kernel]
            seen[kernel] += 1
            assert close(own["duration_us"], (end - start) / TICKS_PER_US), (kernel, own, start, end)
            ran = [core for core in cores[card] if start <= core[2] and core[3] <= end]
            assert len(ran) == own["sub_blocks"], (kernel, len(ran), own)
            assert bool(ran) == (kernel != "HcclAllReduce"), (kernel, ran)
            for kind, metric in (("0", "aic_cycles_total"), ("1", "aiv_cycles_total")):
                cycles = sum(core[4] for core in ran if core[1] == kind)
                assert cycles == own.get(metric, 0), (kernel, metric, cycles, own)
                sums[metric] += cycles
            for metric in ("aic_cube_operations", "aiv_vec_operations", "main_memory_read_kib", "main_memory_written_kib"):
                sums[metric] += own.get(metric, 0)
            table = glob.glob(f"out.{name}/{name}-1/p0/r0/*/device{card}/{kernel}/{order}/OpBasicInfo.csv")
            assert len(table) == 1, table
            row = next(csv.DictReader(open(table[0])))
            assert close(float(row["Task Duration(us)"]), (end - start) / TICKS_PER_US), row
            assert glob.glob(f"out.{name}/{name}-1/p0/r0/*/device{card}/{kernel}/{order}/visualize_data.bin")
        for metric, value in sums.items():
            assert close(whole.get(metric, 0), value), (metric, whole, value)
        assert sums["aiv_cycles_total"] > 0
        table = glob.glob(f"out.{name}/{name}-1/p0/r0/*/device{card}/{marked}/{number}/RangeLaunches.csv")
        assert len(table) == 1, table
        rows = list(csv.DictReader(open(table[0])))
        assert [row["Kernel"] for row in rows] == kernels, rows
        for row, (start, end) in zip(rows, times):
            assert close(float(row["Start(us)"]), (start - first) / TICKS_PER_US), (row, start, first)
            assert close(float(row["Duration(us)"]), (end - start) / TICKS_PER_US)
    # distinct launches have distinct figures, so no launch has those of another one
    assert len({(start, end) for times in logged for start, end in times}) == total
PYTHON
done

say 'launches that cannot be captured are named, and the result is not complete'
run refused
[ $code -eq 1 ] || fail "refused: exit $code"
grep -q 'accumulate_inplace: the runtime does not capture this stream' stderr.refused || fail "refused: $(cat stderr.refused)"
grep -q '"complete": false' out.refused/refused-1/report.json || fail 'report.json calls the job complete'
