#!/usr/bin/env python3
"""lockstep.py - cost of a launch with ten passes in lock step, over one run of it

usage: lockstep.py BUILD | --launches NUMBER

Two ranks, which are threads, run a product with an all-reduce, once by themselves and once
measured by muster. The cost is the processor time of the ranks, which the load of the host does
not change. It is a difference between a program with more launches and one with fewer, so that
it does not contain the start of the program. Besides the passes muster executes the program's
own launch. With --launches this script is that program.
"""
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from figure import print_figure

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent.parent / "independent"))

PASSES, FEW, MANY, BUDGET = 10, 1, 5, 12
WARMUP = 4  # and 6 passes with counters and times
RANKS = 2
M, N, K = 512, 512, 2048  # large enough that the product takes most of a run
TIMED = 'TIMEFORMAT="%U %S"; { time "$@" >/dev/null; } 2>"$0"'


def operate(launches):
    import aclnn

    def run(rank):
        x1, x2 = aclnn.Tensor([M, K], aclnn.FLOAT16), aclnn.Tensor([K, N], aclnn.FLOAT16)
        out = aclnn.Tensor([M, N], aclnn.FLOAT16)
        for _ in range(launches):
            rank.call("aclnnMatmulAllReduce", x1, x2, None, rank.group, "sum", 0, 1, out)
    aclnn.run_ranks(RANKS, run)


def environment(**more):
    own = dict(os.environ, NPU_SIM_NOISE="0", NPU_SIM_CARDS=str(RANKS), PYTHONDONTWRITEBYTECODE="1", **more)
    for name in ("MUSTER_COORDINATOR", "NPU_SIM_FLEET", "NPU_SIM_FAULTS", "NPU_SIM_SOC"):
        own.pop(name, None)
    return own


def seconds_in(folder):
    """The processor time of the program, as user and system time."""
    return sum(float(number) for number in (folder / "time").read_text().split())


def timed(folder, launches):
    return ["bash", "-c", TIMED, str(folder / "time"), sys.executable, str(HERE), "--launches", str(launches)]


def run_alone(build, launches):
    home = str(build / "lib/muster/sim")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(timed(folder, launches), check=True,
                       env=environment(ASCEND_HOME_PATH=home, LD_LIBRARY_PATH=home + "/lib64"))
        return seconds_in(folder)


def run_measured(build, launches):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "job.yaml").write_text(json.dumps({
            "version": 1, "name": "lockstep", "operator": {"command": timed(folder, launches), "threads": RANKS},
            "profile": {"metrics": ["PipeUtilization"], "kernel": "MatmulAllReduce*", "launch": {"count": "all"},
                        "warmup": WARMUP, "barrier": {"deadline": "60s"}}}))
        done = subprocess.run([build / "bin/muster", "run", "--quiet", "--out", folder / "out", folder / "job.yaml"],
                              env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            sys.exit(f"lockstep.py: muster run: exit {done.returncode}: {done.stdout}")
        store = sqlite3.connect(folder / "out/store/muster.db")
        found = store.execute("select count(*), min(f.value), max(f.value) from figures f join metric_names m using(metric_id) "
                              "where m.name = 'replays_in_step'").fetchone()
        store.close()
        if found != (launches * RANKS, PASSES, PASSES):
            sys.exit(f"lockstep.py: the launches were not replayed {PASSES} times in step: {found}")
        return seconds_in(folder)


def seconds_per_launch(run, build):
    return (run(build, MANY) - run(build, FEW)) / (MANY - FEW)


def main():
    if sys.argv[1] == "--launches":
        operate(int(sys.argv[2]))
        return
    build = pathlib.Path(sys.argv[1]).resolve()
    alone = statistics.mean(seconds_per_launch(run_alone, build) for _ in range(3))
    if alone <= 0:
        sys.exit("lockstep.py: the launches took no time")
    ratio = seconds_per_launch(run_measured, build) / alone
    print_figure("ten passes in lock step", ratio, "one run, processor time of the ranks", f"<= {BUDGET}", ratio <= BUDGET)


if __name__ == "__main__":
    main()
