#!/usr/bin/env python3
"""analyze_faults.py - muster analyze finds each fault that a program planted

usage: analyze_faults.py MUSTER TRAIN_LIKE

train_like writes the profile of a training program on four ranks. Each row below plants
faults; the analysis must name exactly these, with their ranks. Without a fault it must
name nothing.
"""

import json
import os
import subprocess
import sys
import tempfile

RANKS = 4
IDLE = {"DEVICE_IDLE_GAP_HEAVY"}
INNER = IDLE | {"INTERNAL_BUBBLE_HEAVY", "WAIT_ANCHOR_FALSE_HOTSPOT"}
WAITING = {"COMM_SYNC_RISK"}
GAP = {"--gap": "middle"}
LONG_GAP = {"--gap": "middle", "--gap-us": "12000"}
SLOW = "Rank {} entered {} of 12 collectives last"

# options, tags of the steps of the ranks, tags of their groups beyond those of the
# steps, labels of the gaps of rank 1, findings of the comparison
FAULTS = [
    ({}, {}, {}, [], []),
    # a gap of rank 1: the other ranks wait for it in the next collective
    (
        {"--gap": "start"},
        {0: WAITING, 1: IDLE | {"PRELAUNCH_GAP_HEAVY"}, 2: WAITING, 3: WAITING},
        {1: {"RECURRING_BUBBLE_PATTERN"}},
        ["possible_untraced_host_blocking"] * 3,
        [SLOW.format(1, 3)],
    ),
    (
        GAP,
        {0: WAITING, 1: INNER, 2: WAITING, 3: WAITING},
        {1: {"RECURRING_BUBBLE_PATTERN"}},
        ["possible_untraced_host_blocking"] * 3,
        [SLOW.format(1, 3), "Free differs by 5.0"],
    ),
    (
        {**GAP, "--fault-rank": "3", "--gap-step": "2"},
        {0: [2, WAITING], 1: [2, WAITING], 2: [2, WAITING], 3: [2, INNER]},
        {},
        [],
        [SLOW.format(3, 1)],
    ),
    (
        {"--gap": "end", "--gap-step": "1"},
        {0: [2, WAITING], 1: [1, IDLE | {"TAIL_GAP_HEAVY"}], 2: [2, WAITING], 3: [2, WAITING]},
        {},
        ["possible_untraced_host_blocking"],
        [SLOW.format(1, 1)],
    ),
    (
        {**LONG_GAP},
        {0: WAITING, 1: INNER, 2: WAITING, 3: WAITING},
        {1: {"RECURRING_BUBBLE_PATTERN", "UNTRACED_HOST_BLOCKING_RISK"}},
        ["possible_untraced_host_blocking"] * 3,
        [SLOW.format(1, 3)],
    ),
    (
        {**LONG_GAP, "--cause": "launch"},
        {0: WAITING, 1: INNER, 2: WAITING, 3: WAITING},
        {1: {"RECURRING_BUBBLE_PATTERN", "HOST_ORIGINATED_RISK"}},
        ["possible_host_launch_lag"] * 3,
        [SLOW.format(1, 3)],
    ),
    (
        {**LONG_GAP, "--cause": "copy"},
        {0: WAITING, 1: INNER, 2: WAITING, 3: WAITING},
        {1: {"RECURRING_BUBBLE_PATTERN", "HOST_ORIGINATED_RISK"}},
        ["possible_sync_or_h2d"] * 3,
        [SLOW.format(1, 3)],
    ),
    (
        {**GAP, "--cause": "collective"},
        {0: WAITING, 1: INNER | WAITING, 2: WAITING, 3: WAITING},
        {1: {"RECURRING_BUBBLE_PATTERN"}},
        ["possible_comm_wait"] * 3,
        [SLOW.format(1, 3)],
    ),
    ({"--aicpu": "exposed"}, {1: {"AICPU_EXPOSED_RISK"}}, {}, [], [SLOW.format(1, 3)]),
    ({"--aicpu": "partly"}, {1: {"AICPU_EXPOSED_RISK"}}, {}, [], [SLOW.format(1, 3)]),
    ({"--aicpu": "masked"}, {}, {}, [], []),
    ({"--shapes": "varied"}, {}, {1: {"VARIABLE_SHAPE_SAME_TEMPLATE"}}, [], []),
    (
        {"--slow-rank": "2", "--slow-percent": "140"},
        {0: WAITING, 1: WAITING, 3: WAITING},
        {},
        [],
        ["Computing differs by 2.9", "rank 2 has the most", SLOW.format(2, 12)],
    ),
    (
        {"--slow-link": "1", "--link-percent": "300"},
        {0: WAITING, 3: WAITING},
        {},
        [],
        [
            "bandwidth by SDMA differs by 49.9 %: rank 2 has",
            "The link from rank 1 to rank 2 has 9.",
            "The link from rank 2 to rank 1 has 9.",
        ],
    ),
]
AICPU = {
    "exposed": "AICPU_EXPOSED_NOT_ALLOWED",
    "partly": "AICPU_PARTIALLY_EXPOSED",
    "masked": "AICPU_MASKED_BUT_UNDESIRABLE",
}


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as stream:
        return json.load(stream)


def check_identities(step):
    parts = ("prelaunch_gap_ms", "internal_bubble_total_ms", "tail_gap_ms", "device_busy_union_ms")
    assert abs(sum(step[part] for part in parts) - step["service_ms"]) < 1e-6, step
    assert step["marker_end_us"] >= step["end_us"], step


def check_step_times(result, cluster_rank):
    """The profiler's own table of the steps agrees with the analysis of the kernels."""
    for step, row in zip(result["steps"], cluster_rank["steps"]):
        assert abs(step["compute_busy_union_ms"] * 1000 - row["Computing"]) < 0.001, (step, row)
        assert abs(step["comm_busy_union_ms"] * 1000 - row["Communication"]) < 0.001, (step, row)
        assert abs(step["internal_bubble_total_ms"] * 1000 - row["Free"]) < 0.001, (step, row)
        assert abs(step["prelaunch_gap_ms"] * 1000 - row["Preparing"]) < 0.001, (step, row)


def expected_tags(tags, number):
    """The tags of step `number`, from 1: tags of all steps, or [number, tags] of one."""
    if isinstance(tags, list):
        return tags[1] if tags[0] == number else set()
    return tags


def check_rank(rank, result, fault):
    options, tags, group_tags, labels, _ = fault
    faulty = rank == int(options.get("--fault-rank", 1))
    own = tags.get(rank, set())
    for number, step in enumerate(result["steps"], 1):
        # the last step ends with its last kernel
        found = set(step["anomaly_tags"])
        assert found == expected_tags(own, number), (options, rank, number, found)
        check_identities(step)
    groups = result["step_group_anomalies"]
    assert len(groups) == 1, (options, rank)
    found = set(groups[0]["dominant_anomaly_tags"])
    steps = own if isinstance(own, set) else set()
    assert found == steps | group_tags.get(rank, set()), (options, rank, found)
    gaps = result["bubble_windows"]
    assert bool(gaps) == (faulty and "--gap" in options), (options, rank, gaps)
    if faulty and gaps:
        planted = int(options.get("--gap-us", 5000)) / 1000
        for gap in gaps:
            assert planted <= gap["duration_ms"] < planted + 0.05, (options, gap)
        if labels:
            assert [label for gap in gaps for label in gap["candidate_labels"]] == labels, gaps
    classes = {op["aicpu_class"] for op in result["aicpu_ops"]}
    wanted = {AICPU[options["--aicpu"]]} if faulty and "--aicpu" in options else set()
    assert classes == wanted, (options, rank, classes)


def check_fault(muster, train_like, folder, fault):
    options, _, _, _, findings = fault
    profile, report = os.path.join(folder, "profile"), os.path.join(folder, "report")
    words = [word for pair in options.items() for word in pair]
    subprocess.run([train_like, "--out", profile] + words, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(
        [muster, "analyze", profile, "--to", report],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    cluster = read(report, "cluster.json")
    for rank in range(RANKS):
        result = read(report, "rank_%d" % rank, "anomaly_discovery.json")
        check_rank(rank, result, fault)
        check_step_times(result, cluster["ranks"][rank])
    text = "\n".join(cluster["findings"])
    for finding in findings:
        assert finding in text, (options, text)
    assert bool(findings) == bool(text), (options, text)
    slow = [(link["src_rank"], link["dst_rank"]) for link in cluster["links"] if link["is_slow"]]
    assert len(cluster["links"]) == RANKS * (RANKS - 1), cluster["links"]
    assert slow == ([(1, 2), (2, 1)] if "--slow-link" in options else []), (options, slow)
    named = [rank["rank"] for rank in cluster["ranks"] if rank["slow_votes"] > 0]
    wanted = [int(finding.split()[1]) for finding in findings if " collectives last" in finding]
    assert named == wanted, (options, named)
    waits = cluster["longest_waits"]
    if wanted:
        assert waits[0]["last_rank"] == wanted[0], (options, waits[0])
        assert waits[0]["longest_ms"] - waits[0]["shortest_ms"] > 0.1, (options, waits[0])


def main():
    muster, train_like = sys.argv[1:]
    environment_rank = os.environ.pop("RANK_ID", None)
    assert environment_rank is None, "RANK_ID chooses one rank"
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            check_fault(muster, train_like, folder, fault)
    print("%d faults found, with their ranks" % (len(FAULTS) - 1))


main()
