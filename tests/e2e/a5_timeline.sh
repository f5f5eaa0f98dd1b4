#!/usr/bin/env bash
# a5_timeline.sh - the pipe and instruction timelines and the samples of a 950, measured in
# a job, equal the ledger of the simulated card; so do the files for the vendor's parser
. "$(dirname "$0")/fleet.sh"
cd "$work"
unset MUSTER_COORDINATOR
cat >equal.py <<'PYTHON'
"""equal.py TRACE LEDGER instructions|pipes: compares the bars of a trace with the ledger.
"""
import csv, glob, json, os, sys

trace, ledger, mode = sys.argv[1:]
info = os.path.join(os.path.dirname(trace), "OpBasicInfo.csv")
mhz = int(float(list(csv.DictReader(open(info)))[0]["Current Freq"]))
pipes = ["SCALAR", "VECTOR", "CUBE", "MTE1", "MTE2", "MTE3", "FIXP"]
kinds = ["cubecore", "veccore0", "veccore1"]
ns = lambda cycle: (cycle * 1000 + mhz // 2) // mhz


def lane(channel, pipe):
    return f"core{(channel - 11) // 3}.{kinds[(channel - 11) % 3]}", pipes[pipe]


spans, marks = {}, {}
for line in open(ledger):
    what, *numbers = line.split()
    if what == "pipe":
        _, channel, pipe, start, end = map(int, numbers)
        spans.setdefault((channel, pipe), []).append((start, end))
    elif what == "mark":
        _, channel, pipe, cycle, value = map(int, numbers)
        marks.setdefault((channel, pipe), []).append((cycle, value))
wanted = []
for (channel, pipe), list_ in spans.items():
    if mode == "instructions":
        wanted += [lane(channel, pipe) + (ns(a), ns(b)) for a, b in list_ if pipe]
        continue
    busy = []
    for start, end in sorted(list_):  # a pipe is busy without a break
        if busy and start <= busy[-1][1]:
            busy[-1][1] = max(busy[-1][1], end)
        else:
            busy.append([start, end])
    wanted += [lane(channel, pipe) + (ns(a), ns(b), pipes[pipe]) for a, b in busy]
for (channel, pipe), list_ in marks.items() if mode == "pipes" else ():
    begun = {}
    for cycle, value in sorted(list_):
        wanted.append(lane(channel, pipe) + (ns(cycle), ns(cycle + 1), f"MarkStamp{value}"))
        if value >> 11 & 1:
            wanted.append(lane(channel, pipe) + (ns(begun.pop(value & 1023)), ns(cycle), f"Region{value & 1023}"))
        else:
            begun[value & 1023] = cycle
found = []
for event in json.load(open(trace))["traceEvents"]:
    if event["ph"] != "X" or event["tid"] not in pipes:
        continue
    start = round(event["ts"] * 1000)
    bar = event["pid"], event["tid"], start, start + round(event["dur"] * 1000)
    found.append(bar if mode == "instructions" else bar + (event["name"],))
    if mode == "instructions":
        assert not event["name"].startswith("Instr") and "pc_addr" in event["args"] and ".c:" in event["args"]["code"], event
assert len(wanted) > 20 and sorted(found) == sorted(wanted), (set(found) ^ set(wanted), len(found), len(wanted))
PYTHON
measure() { # NAME METRIC OPERATOR [VARIABLE=VALUE]
    cat >"$1.yaml" <<YAML
version: 1
name: $1
operator: {command: [$3]}
profile: {metrics: [$2], warmup: 0}
YAML
    env NPU_SIM_LEDGER="$work/$1.ledger" "${@:4}" muster run --quiet --model Ascend950PR_9599 --out "$work/$1" "$1.yaml" >/dev/null 2>run.err ||
        fail "$1: exit $?: $(cat run.err)"
    trace=$(find "$1" -name trace.json)
    bin=$(find "$1" -name visualize_data.bin)
    muster inspect --check "$bin" >/dev/null || fail "$1: $bin is not valid"
}
compare() { python3 equal.py "$trace" "$1.ledger" "$2" || fail "$1: the trace differs from the ledger"; }

matmul='sim/bin/matmul_custom, --m, "64", --n, "64", --k, "64"'
say 'pipes: a kernel with marks of its own, and one with cubes; reads that cut entries'
measure marks PipeTimeline 'sim/bin/add_custom, --n, "20000", --blocks, "4"'
compare marks pipes
grep -q '"name":"Region1"' "$trace" || fail 'no region of the kernel'
measure pipes PipeTimeline "$matmul" NPU_SIM_FAULTS=read_at_most=6
compare pipes pipes
grep -q '^pipe . 11 2 ' pipes.ledger || fail 'the cube of core 0 did nothing'

say 'instructions: each has its opcode and its source lines'
measure instructions InstrTimeline "$matmul"
compare instructions instructions

say "the vendor's files of the capture give the same trace"
for name in marks instructions; do
    trace=$(find "$name" -name trace.json)
    muster capture extract --vendor "raw-$name" "$(find "$name/store/captures" -name '*.db')" >/dev/null 2>extract.err || fail "extract: $(cat extract.err)"
    [ $(($(stat -c %s "$(find "raw-$name" -name timeline.bin.0)") % (8 + 2097152))) -eq 0 ] || fail "$name: the file has no whole units"
    muster import "raw-$name" --out "import-$name" >/dev/null 2>import.err || fail "import: $(cat import.err)"
    cmp "$trace" "$(find "import-$name" -name trace.json)" || fail "$name: the trace of the import differs"
done

say 'samples of the program counters of threads equal the ledger'
measure samples PcSampling 'sim/bin/scale_threads, --n, "700"' NPU_SIM_FAULTS=read_at_most=10
cat >samples.py <<'PYTHON'
import csv, sys
names = ["IBuf_Empty", "Nop_Cycles", "Scoreboard_Not_Ready", "Register_bank_conflict", "Resource_conflict",
         "Warp_Level_Sync", "Divergence_Stack_Spill", "Others", "Active"]
sums = [0] * 9
for line in open(sys.argv[1]):
    if line.startswith("sample "):
        sums = [a + int(b) for a, b in zip(sums, line.split()[4:])]
assert sums[2] > 0 and sums[4] > 0 and sums[8] > 0, sums
text = open(sys.argv[2]).read()
table = dict(zip(names, sums[:8]))
for name, count in table.items():
    assert f'"{name}":{count}' in text.replace(" ", ""), (name, count, text[-600:])
PYTHON
grep -ao '"top_stall_reason_table": *{[^}]*}' "$bin" >stalls.txt || fail 'no block 0x0F'
python3 samples.py samples.ledger stalls.txt || fail 'the stall reasons differ from the ledger'
grep -aq 'scale_threads_kernel.c' "$bin" || fail 'the samples have no source line'

say 'a kernel without threads has no samples, and the task fails with the reason'
sed 's/PipeTimeline/PcSampling/' marks.yaml >unthreaded.yaml
printf 'limits: {retries: 0}\n' >>unthreaded.yaml
code=0
muster run --quiet --model Ascend950PR_9599 --out "$work/unthreaded" unthreaded.yaml >/dev/null 2>run.err || code=$?
{ [ "$code" -eq 1 ] && grep -qF "metric 'PcSampling' is missing: the kernel does not run as threads (SIMT)" run.err; } ||
    fail "no threads: exit $code: $(cat run.err)"

say 'other chips refuse both, and one job has only one of them'
refused() { # TEXT METRICS [OPTION...]
    local code=0
    sed "s/metrics: .*]/metrics: [$2]/" marks.yaml >refused.yaml
    muster run --quiet "${@:3}" --out "$work/refused" refused.yaml >/dev/null 2>run.err || code=$?
    { [ "$code" -eq 2 ] && grep -qF "$1" run.err; } || fail "$2: exit $code: $(cat run.err)"
}
refused "only a 950 records its pipes; remove metric 'InstrTimeline'" InstrTimeline
refused "only a 950 samples its program counters; remove metric 'PcSampling'" PcSampling
refused "metrics 'PipeTimeline' and 'InstrTimeline' use the same records" 'PipeTimeline, InstrTimeline' --model Ascend950PR_9599
sed 's/profile: {/profile: {replay: application, /' pipes.yaml >application.yaml
code=0
muster validate application.yaml >run.txt 2>run.err || code=$?
{ [ "$code" -eq 2 ] && grep -q "metric 'PipeTimeline' needs 'replay: kernel'" run.err; } || fail "validate: exit $code: $(cat run.txt run.err)"

say 'a kernel of several ranks has no timeline, and the task fails with the reason'
cat >fused.yaml <<'YAML'
version: 1
name: fused
operator: {command: [sim/bin/matmul_all_reduce], ranks: 2}
profile: {metrics: [PipeTimeline], warmup: 0}
limits: {retries: 0}
YAML
code=0
muster run --quiet --model Ascend950PR_9599 --out "$work/fused" fused.yaml >/dev/null 2>run.err || code=$?
{ [ "$code" -eq 1 ] && grep -q "metric 'PipeTimeline' is missing: the pipes of a kernel that communicates with other ranks are not recorded" run.err; } ||
    fail "a fused operator: exit $code: $(cat run.err)"
