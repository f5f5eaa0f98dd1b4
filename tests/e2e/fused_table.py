#!/usr/bin/env python3
"""fused_table.py - measures each fused operator with muster, and prints a table

usage: fused_table.py [--chips LIST] [--ranks LIST] [--only TEXT] [--links] MUSTER

Each case of tests/independent/fused.py is a program: its ranks compare their results with
a definition in Python after muster executed each launch in lock step. One case of each
interface runs. The columns: operator type and chip, program, ranks, right answer, measured
in lock step, executions, how its ranks were found, which memory was restored.

--links plants a slow link between two cards, and requires that it is visible in
the figures of these two ranks alone: the times of their transfers, or their durations where
cores transfer themselves. Ends with 1 when a row is not as it must be.
"""
import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE.parent / "independent" / "fused.py"
CHIPS = {"A2": "Ascend910B2", "A3": "Ascend910_9391", "950": "Ascend950PR_9589"}
SLOW = {4: (1, 3), 8: (0, 1)}  # by the number of ranks; all programs move data there, but for:
NOT_THERE = ("MoeDistributeDispatchSetup",)
FACTOR = 1000  # of a link of 1 GB/s, since the cases move few bytes
# Operators of some ranks only: no lock step is possible, so their programs run once for each pass.
ONE_SIDED = ("AttentionToFFN", "FFNToAttention")
NO_FIGURES = ("moves nothing", "no figures")
JOINED = "from tasks t join launches l on l.run_id = t.accepted_run_id join kernels k using(kernel_id)"
# Calls without a launch, and launches that use no other rank.
LEFT_OUT = ("calls ", "GroupedMatMulAllReduce empty")


def cases_of(chip, ranks, only):
    listed = subprocess.run([sys.executable, PROGRAM, "--list", "--chip", chip, "--ranks", str(ranks)], stdout=subprocess.PIPE, check=True, text=True)
    first = {}
    for name in listed.stdout.splitlines():
        if name and not name.startswith(LEFT_OUT) and only in name:
            first.setdefault(name.split()[0].rstrip(","), name)
    return list(first.values())


def run_job(options, folder, chip, ranks, cases, replay, links):
    """Runs a sweep over the cases; returns the store and the folder of its tasks."""
    name = f"table-{replay}"
    (folder / "fleet.yaml").write_text(
        f"version: 1\nhosts: [{{name: one, cards: {ranks}, soc: {chip}}}]\n" +
        (f"faults: [{{fault: slow_link, card: {SLOW[ranks][0]}, to_card: {SLOW[ranks][1]}, factor: {FACTOR}}}]\n"
         "links: {gbs: 1}\n" if links else ""))
    command = [sys.executable, str(PROGRAM), "--chip", chip, "--ranks", str(ranks), "--case", "${case}"]
    (folder / "job.yaml").write_text(json.dumps({
        "version": 1, "name": name, "operator": {"command": command, "threads": ranks},
        "sweep": {"matrix": {"case": cases}},
        "profile": {"metrics": ["PipeUtilization" if links else "Default"], "kernel": "*", "replay": replay,
                    "launch": {"count": "all"}, **({"warmup": 0 if links else 5, "barrier": {"deadline": "20s"}}
                                                  if replay == "kernel" else {})}}))
    environment = dict(os.environ, NPU_SIM_FLEET=str(folder / "fleet.yaml"), NPU_SIM_NOISE="0", PYTHONDONTWRITEBYTECODE="1")
    for variable in ("MUSTER_COORDINATOR", "LD_LIBRARY_PATH", "ASCEND_HOME_PATH", "NPU_SIM_SOC", "NPU_SIM_CARDS"):
        environment.pop(variable, None)
    done = subprocess.run([options.muster, "run", "--quiet", "--out", str(folder / "out"), str(folder / "job.yaml")],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"muster run: exit {done.returncode}: {done.stderr}")
    return sqlite3.connect(folder / "out" / "store" / "muster.db")


def launches_of(store):
    """Returns {point: (state, reason, {launch: (kernel, rank, found, restored, {metric: value})})}."""
    points = {row[0]: (row[1], row[2], {}) for row in store.execute("select point, state, reason from tasks")}
    for point, launch, kernel, rank, found, restored in store.execute(
            "select t.point, l.launch_id, k.name, l.rank, l.group_found, l.restored " + JOINED):
        points[point][2][launch] = (kernel, rank, found, restored, {})
    for point, launch, metric, value in store.execute(
            "select t.point, l.launch_id, m.name, f.value " + JOINED +
            " join figures f using(launch_id) join metric_names m using(metric_id)"):
        points[point][2][launch][4][metric] = value
    return points


def slow_transfers(launches):
    """Returns the largest time of a transfer of each pair of ranks, of a kernel with such figures."""
    times = {}
    for _, rank, _, _, figures in launches:
        for metric, value in figures.items():
            if metric.startswith("transfer_us_") and "_rank_" in metric:
                key = (rank, metric[len("transfer_us_"):])
                times[key] = max(times.get(key, 0), value)
    return times


def peers(key):
    """Returns the two cards of a figure such as (1, 'rank_3') or (1, 'group_2_rank_1')."""
    rank, name = key
    peer = int(name.rsplit("_", 1)[1])
    return rank, peer


def check_links(kernel, launches, slow_cards):
    """Returns '' when only the two ranks of the slow link have long times, else the reason."""
    times = slow_transfers(launches)
    if times:
        usual = sorted(times.values())[len(times) // 2]
        slow = {key for key, value in times.items() if value > 1.5 * usual}
        ranks = {key[0] for key in slow}
        if ranks != set(slow_cards) or (not any("group" in key[1] for key in times) and
                                  {peers(key) for key in slow} != {slow_cards, slow_cards[::-1]}):
            return f"the transfers {sorted(slow)} are slow"
        return ""
    if kernel == "DistributeBarrier" or kernel.endswith("Setup"):
        return "moves nothing"
    durations = {}
    for _, rank, _, _, figures in launches:
        durations[rank] = max(durations.get(rank, 0), figures.get("duration_us", 0))
    others = max((value for rank, value in durations.items() if rank not in slow_cards), default=0)
    own = [durations.get(rank, 0) for rank in slow_cards]
    if all(launch[2] == "AI CPU task" for launch in launches) and len(set(durations.values())) == 1:
        return "no figures"  # a 950: its transfers have no records, and in several turns all ranks wait for each other
    if kernel.startswith(ONE_SIDED):
        return "" if max(own) > 1.1 * others else f"durations {durations}"
    return "" if min(own) > 1.1 * others else f"durations {durations}"


def rows_of(options, label, chip, ranks, cases, points, links):
    for point, case in enumerate(cases):
        state, reason, launches = points.get(point, ("missing", "", {}))
        by_kernel = {}
        for launch in launches.values():
            by_kernel.setdefault(launch[0].rsplit("_", 1)[0], []).append(launch)
        right = state == "done"
        if not by_kernel:
            yield ["-", label, case, ranks, "yes" if right else f"no: {reason}", "no", 0, "-", "-"], False
        for kernel, own in sorted(by_kernel.items()):
            steps = min(int(launch[4].get("replays_in_step", 0)) for launch in own)
            one_sided = kernel.startswith(ONE_SIDED)
            local = {launch[2] for launch in own} <= {"one card"}
            measured = "each run" if one_sided else "one card" if local else "yes" if steps >= (1 if links else 10) else "no"
            seen = check_links(kernel, own, SLOW[ranks]) if links and not local else ""
            good = right and measured != "no" and (not seen or seen in NO_FIGURES)
            row = [kernel, label, case, ranks, "yes" if right else f"no: {reason}", measured,
                   steps + 1 if steps else "-", "/".join(sorted({launch[2] for launch in own})),
                   "/".join(sorted({launch[3] for launch in own}))]
            if links:
                row.append(seen or ("-" if local else "yes"))
            yield row, good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--chips", default="A2,A3,950")
    parser.add_argument("--ranks", default="4", help="numbers of ranks")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--links", action="store_true", help="plant a slow link; four ranks, or eight for programs that need them")
    parser.add_argument("muster", help="the program muster")
    options = parser.parse_args()
    head = ["operator", "chip", "program", "ranks", "right", "in step", "executions", "group found by", "restored"]
    print("| " + " | ".join(head + (["slow link seen"] if options.links else [])) + " |")
    print("|" + " --- |" * (len(head) + options.links), flush=True)
    bad = False
    for label in options.chips.split(","):
        seen = set()
        for ranks in [4, 8] if options.links else [int(number) for number in options.ranks.split(",")]:
            cases = [c for c in cases_of(CHIPS[label], ranks, options.only)
                     if c not in seen and not (options.links and c.startswith(NOT_THERE))]
            seen.update(cases if options.links else ())
            once = [case for case in cases if case.startswith(ONE_SIDED)]
            for chosen, replay in (([c for c in cases if c not in once], "kernel"), (once, "application")):
                if not chosen:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    store = run_job(options, pathlib.Path(folder), CHIPS[label], ranks, chosen, replay, options.links)
                    for row, good in rows_of(options, label, CHIPS[label], ranks, chosen, launches_of(store), options.links):
                        print("| " + " | ".join(str(cell) for cell in row) + " |" + ("" if good else " <-- wrong"), flush=True)
                        bad = bad or not good
                    store.close()
    return bad


if __name__ == "__main__":
    sys.exit(main())
