#!/usr/bin/env python3
"""import.py - cost of `muster import` for one launch, and for many transfer records

usage: import.py BUILD [MUSTER]

Both inputs are folders as the vendor's tool writes them, made from simulated runs. All times
are processor times of the processes that the command starts, in pairs with their peer. MUSTER
is another program to measure with the same inputs, such as that of an older version.

The budgets: to import one launch costs at most as much again as to start the program, and
transfer records are read with 400 MB/s a core.
"""
import json
import os
import pathlib
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from figure import print_figure

PAIRS = 11
START_BUDGET, PROMISED_MB_A_SECOND = 2, 400
LAUNCH = ("add_custom", {"n": 1048576}, ["Default", "Roofline", "Occupancy"])
RECORDS = ("matmul_custom", {"m": 2048, "n": 1024, "k": 1152}, ["MemoryDetail"])


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"import.py: {' '.join(map(str, command))}: exit {done.returncode}: {done.stdout}")


def seconds_of(command):
    """The processor time of a command and of the processes that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def make_raw_data(build, folder, operator):
    """Measures a simulated operator, and returns the folder with its raw data."""
    name, sizes, metrics = operator
    command = [str(build / "lib/muster/sim/bin" / name)]
    for option, value in sizes.items():
        command += [f"--{option}", str(value)]
    own = dict(os.environ)
    for variable in ("MUSTER_COORDINATOR", "NPU_SIM_FLEET", "NPU_SIM_FAULTS", "NPU_SIM_SOC"):
        own.pop(variable, None)
    folder.mkdir()
    (folder / "job.yaml").write_text(json.dumps({
        "version": 1, "name": name.replace("_", "-"), "operator": {"command": command},
        "profile": {"metrics": metrics}, "cards": {"ids": [0]}}))
    run([build / "bin/muster", "run", "--quiet", "--out", folder / "out", folder / "job.yaml"], env=own)
    store = sqlite3.connect(folder / "out/store/muster.db")
    run_id, = store.execute("select run_id from v_ranks").fetchone()
    store.close()
    run([build / "bin/muster", "capture", "extract", "--run", str(run_id), "--vendor", folder / "raw",
         folder / "out/store/captures/1.db"])
    return folder / "raw"


def import_seconds(muster, raw):
    out = raw.parent / "imported"
    seconds = seconds_of([muster, "import", raw, "--out", out])
    if len(list(out.rglob("visualize_data.bin"))) != 1:
        sys.exit(f"import.py: the import of {raw} wrote no visualize_data.bin")
    shutil.rmtree(out)
    return seconds


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    muster = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else build / "bin/muster").resolve()
    with tempfile.TemporaryDirectory(dir=build) as name:
        launch = make_raw_data(build, pathlib.Path(name) / "launch", LAUNCH)
        ratio = statistics.median(import_seconds(muster, launch) / seconds_of([muster, "--version"]) for _ in range(PAIRS))
        print_figure("import.launch", ratio, "starting muster, processor time", f"<= {START_BUDGET}", ratio <= START_BUDGET)

        records = make_raw_data(build, pathlib.Path(name) / "records", RECORDS)
        size = sum(path.stat().st_size for path in records.rglob("MemoryChart.bin"))
        if size < 40e6:
            sys.exit(f"import.py: there are only {size} bytes of transfer records")
        speed = statistics.median(size / 1e6 / import_seconds(muster, records) for _ in range(PAIRS))
        print_figure("import.transfers", speed / PROMISED_MB_A_SECOND, f"{PROMISED_MB_A_SECOND} MB/s a core, {size / 1e6:.0f} MB of transfer records",
                     ">= 1", speed >= PROMISED_MB_A_SECOND)


if __name__ == "__main__":
    main()
