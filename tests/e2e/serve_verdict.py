#!/usr/bin/env python3
"""serve_verdict.py - what `muster serve` returns for compare, gate, trend and logs is what these
commands print

usage: serve_verdict.py OUT (a folder of results that serve_nights made)
"""

import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from serve import matches # noqa: E402
from server import LIMIT_S, Server # noqa: E402

OUT = sys.argv[1]


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


def printed(*command):
    done = subprocess.run(["muster", *command, "--out", OUT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.returncode, done.stdout


def ask(server, path):
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        status, headers, body = server.request("/api/v1/" + path)
        answer = json.loads(body)
        if status != 200 or answer["state"] == "ready":
            return status, answer, headers
        check(answer["rows"] == [], answer)
    raise AssertionError(path, "still running")


def rows_are_those_of_the_commands(server):
    for path, command in (("jobs/2/compare", ("compare", "2")), ("jobs/2/compare?base=night-1&metric=*", ("compare", "1", "2", "-m", "*")),
                          ("trend", ("trend",)), ("trend?by=cell&metric=duration*", ("trend", "--by", "cell", "-m", "duration*"))):
        status, answer, headers = ask(server, path)
        code, text = printed(*command, "-o", "json")
        document = json.loads(text)
        check(status == 200 and answer["schema"] == document["schema"] and answer["exit"] == code, path, answer["schema"], answer["exit"], code)
        check(answer["rows"] == document["rows"] and int(headers["Muster-Rows"]) == len(document["rows"]) > 1, path, answer["rows"])
    description = json.loads(server.request("/api/v1/openapi.json")[2])
    schemas = description["components"]["schemas"]
    for path, address in (("/api/v1/jobs/{job}/compare", "jobs/2/compare"), ("/api/v1/trend", "trend"), ("/api/v1/jobs/{job}/gate", "jobs/2/gate"),
                          ("/api/v1/jobs/{job}/tasks/{point}/{repeat}/output", "jobs/3/tasks/0/0/output")):
        schema = description["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        answer = ask(server, address)[1]
        check(matches(answer, schema, schemas) and answer["schema"] == schema["$ref"].rpartition("/")[2], path)


def rows_are_sorted_and_divided(server):
    whole = ask(server, "jobs/2/compare?base=1&metric=*")[1]["rows"]
    changes = [row["change_percent"] for row in whole if row["change_percent"] is not None]
    check(len(set(changes)) > 3 and len(whole) > 10, whole)
    for sort, order in (("change_percent", sorted(changes)), ("-change_percent", sorted(changes, reverse=True))):
        found = [row["change_percent"] for row in ask(server, f"jobs/2/compare?base=1&metric=*&sort={sort}")[1]["rows"]]
        check(found == order + [None] * (len(whole) - len(changes)), sort, found)
    _, answer, headers = ask(server, "jobs/2/compare?base=1&metric=*&point=*524288&limit=2&after=1&sort=metric")
    wanted = sorted((row for row in whole if row["point"] == "n=524288"), key=lambda row: row["metric"])
    check(answer["rows"] == wanted[1:3] and int(headers["Muster-Rows"]) == len(wanted), answer["rows"])
    counts = {}
    for row in whole:
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    check(answer["verdicts"] == counts, answer["verdicts"], counts)


def lines_are_those_of_the_commands(server):
    for path, command in (("jobs/2/gate", ("gate", "2", "--dry-run", "--quiet")), ("jobs/3/tasks/0/0/output", ("logs", "3", "0", "0"))):
        status, answer, _ = ask(server, path)
        code, text = printed(*command)
        check(status == 200 and answer["exit"] == code and [row["text"] for row in answer["rows"]] == text.splitlines() != [], path, answer, text)
    check(ask(server, "jobs/3/tasks/0/0/output")[1]["rows"][0]["text"] == "first <b>line</b>", "the output")


def wrong_requests_get_an_error(server):
    for path, text in (("jobs/2/compare?base=nothing", "no baseline and no job 'nothing'"), ("jobs/2/compare?base=--to=bad", "no job '--to=bad'"),
                       ("jobs/99/compare", "no job"), ("jobs/99/gate", "no job"), ("jobs/1x/gate", "is not a number"), ("jobs/1/compare", "night"),
                       ("jobs/2/compare?colour=red", "no column 'colour'"), ("jobs/2/compare?sort=colour", "no column"), ("jobs/2/gate?to=x", "unknown argument"),
                       ("jobs/2/compare?limit=0", "limit"), ("trend?by=colour", "by"), ("trend?last=x", "last"), ("jobs/3/tasks/9/0/output", "point")):
        status, answer, _ = ask(server, path)
        check(status in (400, 404) and text in answer["error"], path, status, answer)


def files(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if "muster.db" not in name)


def main():
    before = files(".")
    server = Server("--out", OUT)
    rows_are_those_of_the_commands(server)
    rows_are_sorted_and_divided(server)
    lines_are_those_of_the_commands(server)
    wrong_requests_get_an_error(server)
    check(files(".") == before, set(files(".")) ^ set(before))
    server.request("/api/v1/jobs/2/compare?points=n*") # is still running when the server ends
    check(server.stop() == (0, ""), "the end")


if __name__ == "__main__":
    main()
