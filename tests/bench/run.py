#!/usr/bin/env python3
"""run.py - runs the benchmark programs of a build and compares their figures with budgets

usage: run.py [--report-only] BUILD OUT [NAME...]

Runs BUILD/bench/bench_NAME, of all names by default, prints one line per figure, and
writes the same to OUT as JSON. A program that cannot run here ends with 77 and prints
'SKIPPED: REASON', or prints a figure with the reason.

Ends with 1 when a figure falls short, or a program fails, exceeds its time limit or prints
no figure. --report-only is for busy machines, where times mean nothing: figures that fall
short and exceeded time limits are printed but do not fail the run.
"""

import argparse
import glob
import json
import os
import subprocess
import sys

LIMIT_SECONDS = 300


def find_programs(build, names):
    found = {}
    for path in sorted(glob.glob(os.path.join(build, "bench", "bench_*"))):
        if os.access(path, os.X_OK) and os.path.isfile(path):
            found[os.path.basename(path)[len("bench_"):]] = path
    unknown = [name for name in names if name not in found]
    if unknown or not found:
        sys.exit(f"run.py: no benchmark {', '.join(unknown) or 'at all'} in {build}/bench; "
                 f"there are: {', '.join(found)}")
    return {name: found[name] for name in (names or found)}


def read_figures(output):
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def run_program(name, path):
    """Returns (figures, skip reason, failure, whether the failure is a matter of time)."""
    try:
        done = subprocess.run([path], stdout=subprocess.PIPE, timeout=LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode(errors="replace")
        return read_figures(output), None, f"exceeded its limit of {LIMIT_SECONDS} s", True
    output = done.stdout.decode(errors="replace")
    figures = read_figures(output)
    if done.returncode == 77:
        reasons = [line for line in output.splitlines() if line.startswith("SKIPPED: ")]
        return figures, reasons[-1][9:] if reasons else "gave no reason", None, False
    if done.returncode < 0:
        return figures, None, f"was killed by signal {-done.returncode}", False
    if done.returncode > 0:
        return figures, None, f"ended with exit code {done.returncode}", False
    if not figures:
        return figures, None, "printed no figure", False
    return figures, None, None, False


def print_figure(figure):
    if "skipped" in figure:
        print(f"{figure['name']:<38} {'skipped':>10}  {figure['skipped']}", flush=True)
        return
    verdict = "holds" if figure["holds"] else "FALLS SHORT"
    print(f"{figure['name']:<38} {figure['ratio']:>10.3f}  {figure['of']:<52} "
          f"{figure['budget']:<12} {verdict}", flush=True)


def print_list(title, lines):
    if lines:
        print(f"\n{title}:")
        for line in lines:
            print(f"  {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--report-only", action="store_true",
                        help="Do not fail for times (default: fail).")
    parser.add_argument("build", help="Build tree with the benchmark programs.")
    parser.add_argument("out", help="File for the figures.")
    parser.add_argument("names", nargs="*", help="Benchmarks to run (default: all).")
    options = parser.parse_args()

    results, short, skipped, failed = [], [], [], []
    programs = find_programs(options.build, options.names)
    print(f"{'figure':<38} {'ratio':>10}  {'compared with':<52} budget")
    for name, path in programs.items():
        figures, reason, failure, late = run_program(name, path)
        for figure in figures:
            print_figure(figure)
            if "skipped" in figure:
                skipped.append(f"{figure['name']}: {figure['skipped']}")
            elif not figure["holds"]:
                short.append(f"{figure['name']}: {figure['ratio']:.3f}, budget {figure['budget']}")
        if reason:
            figures.append({"name": name, "skipped": reason})
            print_figure(figures[-1])
            skipped.append(f"{name}: {reason}")
        if failure:
            figures.append({"name": name, "failed": failure})
            print(f"{name:<38} {'FAILED':>10}  {failure}", flush=True)
            (short if late else failed).append(f"{name}: {failure}")
        results += figures
    with open(options.out, "w", encoding="utf-8") as stream:
        stream.write("[\n" + ",\n".join(json.dumps(r) for r in results) + "\n]\n")

    print_list("skipped", skipped)
    print_list("falls short" + (" (report only)" if options.report_only else ""), short)
    print_list("failed", failed)
    print(f"\n{len(results)} results written to {options.out}")
    return 1 if failed or (short and not options.report_only) else 0


if __name__ == "__main__":
    sys.exit(main())
