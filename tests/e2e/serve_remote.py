#!/usr/bin/env python3
"""serve_remote.py - compares `muster serve` with a coordinator with `muster serve` with its store

usage: serve_remote.py ENDPOINT KEY SERVER_KEY OUT
"""

import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from serve import matches # noqa: E402
from server import LIMIT_S, Server # noqa: E402

ENDPOINT, KEY, SERVER_KEY, OUT = sys.argv[1:]
LIVE = ("/api/v1/source", "/api/v1/workers", "/api/v1/queue", "/api/v1/allocs", "/api/v1/allocations", "/api/v1/events")
ANALYSES = ("arrival", "overlap", "scaling", "collectives", "cards", "links")


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


def ask(server, path):
    """Returns the answer when it is complete."""
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        status, headers, body = server.request(path)
        answer = json.loads(body)
        if answer.get("state") not in ("running", "reading"):
            return status, headers, answer
    raise AssertionError(path, "is not complete")


def every_address_has_the_same_answer(remote, local):
    description = json.loads(local.request("/api/v1/openapi.json")[2])
    schemas = description["components"]["schemas"]
    compared = 0
    for path, item in description["paths"].items():
        if path in LIVE or "{file}" in path or path.endswith(("/gate", "/output")): # the store keeps the output of failed tasks only
            continue
        for job in ("1", "2"):
            address = (path.replace("{job}", job).replace("{host}", os.uname().nodename).replace("{name}", "pair")
                       .replace("{card}", "1").replace("{point}", "0").replace("{repeat}", "0"))
            status, headers, answer = ask(remote, address)
            other, its_headers, expected = ask(local, address)
            check((status, answer, headers["Muster-Rows"]) == (other, expected, its_headers["Muster-Rows"]), address, answer, expected)
            schema = item["get"]["responses"]["200" if status == 200 else "default"]["content"]["application/json"]["schema"]
            check(matches(answer, schema, schemas), address, answer)
            compared += status == 200
    check(compared > 35, compared)


def what_only_a_coordinator_has(remote):
    workers = ask(remote, "/api/v1/workers")[2]["rows"]
    check([(w["card"], w["state"]) for w in workers] == [(0, "idle"), (1, "idle")], workers)
    check(ask(remote, "/api/v1/source")[2]["rows"][0]["source"] == "coordinator", "the source")
    row, = ask(remote, "/api/v1/queue")[2]["rows"]
    check((row["job_key"], row["waiting"], row["running"]) == ("never-3", 4, 0) and "Ascend77" in row["reason"], row)
    printed = subprocess.run(["muster", "explain", "never", "--key", KEY, "--server-key", SERVER_KEY], check=True, stdout=subprocess.PIPE, text=True).stdout
    check(printed == f"never: {row['reason']}\n", printed, row)
    for path in ("allocs", "allocations"):
        status, _, answer = ask(remote, f"/api/v1/{path}")
        check(status == 200 and answer["rows"] == [], answer)


def files_of(server, job):
    return {row["path"]: row for row in ask(server, f"/api/v1/jobs/{job}/files?limit=10000")[2]["rows"]}


def files_are_the_same(remote, local):
    found, expected = files_of(remote, 1), files_of(local, 1)
    check(set(expected) == set(found) and len(expected) > 60, set(expected) ^ set(found))
    kinds = {}
    for path, row in expected.items():
        check(found[path] == row, found[path], row)
        kinds.setdefault(os.path.splitext(path)[1], path)
    check({".bin", ".csv", ".json", ".html"} <= set(kinds), kinds)
    for path in kinds.values():
        with open(os.path.join(OUT, "pair-1", path), "rb") as file:
            data = file.read()
        status, headers, body = remote.request(f"/api/v1/jobs/1/files/{found[path]['id']}")
        check(status == 200 and hashlib.sha256(body).digest() == hashlib.sha256(data).digest() and len(body) == found[path]["size"], path, status, len(body))
        status, _, again = remote.request(f"/api/v1/jobs/1/files/{found[path]['id']}", headers={"If-None-Match": headers["ETag"]})
        check((status, again) == (304, b""), path, status)
    one = {row["path"] for row in ask(remote, "/api/v1/jobs/2/files?point=1")[2]["rows"]}
    check(one and all(path.startswith("p1/") for path in one), one)
    for wrong in ("0" * 17, "0" * 16, "zz", "0" * 60, "..%2f..%2fstore%2fmuster.db"):
        check(remote.request(f"/api/v1/jobs/1/files/{wrong}")[0] == 404, wrong)
    return found


def traces_are_the_same(remote, local, files):
    merged, = [row for path, row in files.items() if re.fullmatch(r"p0/r2/merged/.*\.json", path)]
    bin_file, = [row for path, row in files.items() if re.fullmatch(r"p0/r0/.*device1.*/visualize_data\.bin", path)]
    address = f"/api/v1/jobs/1/files/{merged['id']}"
    lanes = ask(remote, address + "/lanes")[2]
    check("ranks" in lanes, lanes)
    check(lanes["ranks"] == "2 of 2" and lanes["slices"] > 10, lanes)
    for part in ("/lanes", "/window", "/arrows", "/search?name=a", "/slices/1"):
        status, _, answer = ask(remote, address + part)
        other = ask(local, address + part)[2]
        check(status == 200 and answer["rows"] == other["rows"] and answer["rows"] or part == "/arrows", part, answer, other)
    path = f"/api/v1/jobs/1/files/{bin_file['id']}/roofline"
    found, expected = ask(remote, path)[2], ask(local, path)[2]
    check(found["rows"] == expected["rows"] and len(found["rows"]) >= 3, found)


def rooflines_are_those_of_the_file(local):
    """The block is found and read here a second time."""
    row, = [row for path, row in files_of(local, 1).items() if re.fullmatch(r"p0/r0/.*device0.*/visualize_data\.bin", path)]
    with open(os.path.join(OUT, "pair-1", row["path"]), "rb") as file:
        data = file.read()
    at, root = 0, None
    while at + 12 <= len(data):
        size, kind, filler = int.from_bytes(data[at:at + 8], "little"), data[at + 8], data[at + 9]
        start = at + 12 + (4096 if kind == 1 else 0)
        if kind == 0x0D:
            root = json.loads(data[start:at + 12 + size - filler].rstrip(b"\0"))
        at += 12 + size
    check(root, "no roofline in the file")
    answer = ask(local, f"/api/v1/jobs/1/files/{row['id']}/roofline")[2]
    expected = [{"title": chart["title"], "roofs": [
        {"path": roof["bw_name"], "bandwidth": float(roof["bw"]), "unit": roof["computility_name"], "peak": float(roof["computility"]),
         "ratio": float(roof["ratio"]), "intensity": float(roof["point"][0]), "performance": float(roof["point"][1])}
        for roof in chart["rooflines"]]} for chart in root["multiple_rooflines"]]
    check(answer["rows"] == expected, answer["rows"], expected)


def analyses_are_those_of_the_command(local):
    schemas = json.loads(local.request("/api/v1/openapi.json")[2])["components"]["schemas"]
    for name in ANALYSES:
        status, _, answer = ask(local, f"/api/v1/jobs/1/gang/{name}")
        environment = {key: value for key, value in os.environ.items() if key != "MUSTER_COORDINATOR"}
        done = subprocess.run(["muster", "gang", "1", name, "--out", OUT, "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        check(status == 200 and answer["exit"] == done.returncode, name, answer, done.stderr)
        if done.returncode == 0:
            check(answer["schema"] == json.loads(done.stdout)["schema"] and answer["rows"] == json.loads(done.stdout)["rows"] != [], name, answer)
        else:
            check(answer["rows"] == [] and done.stderr.strip().endswith(answer["note"]), answer, done.stderr)
        done = subprocess.run(["muster", "gang", "1", name, "--out", OUT, "-o", "csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        rows = schemas[f"muster.{name}.v1"]["properties"]["rows"]["items"]
        check(done.stdout.split("\n")[0].split(",") == rows["required"] == list(rows["properties"]), "description of", name, done.stdout, rows)
    check(ask(local, "/api/v1/jobs/1/gang/arrival")[2]["rows"], "arrival")


def a_card_has_its_distance_to_the_others(local):
    """Computed again from the results."""
    host = os.uname().nodename
    rows = ask(local, f"/api/v1/cards/{host}/1/history")[2]["rows"]
    check([row["job_key"] for row in rows] == ["pair-1", "both-2"], rows)
    values = {}
    for row in ask(local, "/api/v1/jobs/2/results?metric=duration_us&limit=10000")[2]["rows"]:
        values.setdefault((row["point_text"].split(" ")[0], row["card"]), []).append(row["value"])
    percents = [100 * (statistics.median(values[shape, 1]) / statistics.median(values[shape, 0]) - 1) for shape, card in values if card == 1]
    check(len(percents) == 2 and abs(rows[1]["percent"] - statistics.median(percents)) < 1e-6, rows[1], percents)
    check((rows[1]["ranks"], rows[1]["failed"], rows[1]["points"], rows[1]["simulated"]) == (4, 0, 2, True), rows[1])


def main():
    remote = Server("--coordinator", ENDPOINT, "--key", KEY, "--server-key", SERVER_KEY)
    del os.environ["MUSTER_COORDINATOR"]
    local = Server("--out", OUT)
    os.environ["MUSTER_COORDINATOR"] = ENDPOINT
    what_only_a_coordinator_has(remote)
    every_address_has_the_same_answer(remote, local)
    files = files_are_the_same(remote, local)
    traces_are_the_same(remote, local, files)
    rooflines_are_those_of_the_file(local)
    analyses_are_those_of_the_command(local)
    a_card_has_its_distance_to_the_others(local)
    check(remote.stop() == (0, ""), "the end")
    check(local.stop() == (0, ""), "the end")


if __name__ == "__main__":
    main()
