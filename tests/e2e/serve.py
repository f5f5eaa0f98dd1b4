#!/usr/bin/env python3
"""serve.py - compares the answers of `muster serve` with the commands, and misuses the server

usage: serve.py OUT (a folder of results whose store has the one job of report_store)
"""

import http.client
import json
import os
import re
import socket
import sqlite3
import ssl
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from server import LIMIT_S, Server # noqa: E402

OUT = sys.argv[1]
COMMANDS = ("/compare", "/gate", "/trend", "/output") # see serve_verdict.py; {file}: serve_trace.py
REMOTE = ("/api/v1/allocs", "/api/v1/allocations") # see serve_remote.py, also for /gang/


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


def printed(*command):
    return subprocess.run(["muster", *command, "--out", OUT, "-o", "json"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def same_answers_as_the_commands(server):
    """Each list is byte for byte what the command prints."""
    for path, command in (("/jobs", ["list"]), ("/jobs/1", ["list"]),
                          ("/jobs/1/tasks", ["show", "1"]),
                          ("/jobs/1/ranks", ["show", "1", "--ranks"]),
                          ("/jobs/1/launches", ["show", "1", "--launches"]),
                          ("/jobs/1/replays", ["show", "1", "--replays"]),
                          ("/jobs/1/results", ["results", "1"]),
                          ("/jobs/1/results?metric=duration*", ["results", "1", "-m", "duration*"]),
                          ("/jobs/1/events", ["events", "1"]), ("/events", ["events"]),
                          ("/events?since=2", ["events", "--since", "2"]),
                          ("/events?newest=2", ["events", "--last", "2"])):
        mark = "&" if "?" in path else "?"
        status, headers, body = server.request(f"/api/v1{path}{mark}limit=10000")
        check(status == 200, path, status, body[:300])
        check(body == printed(*command), path, body[:300])
        check(int(headers["Muster-Rows"]) == len(json.loads(body)["rows"]), path)
    check(len(server.rows("/api/v1/jobs/1/tasks")) == 400 and len(server.rows("/api/v1/events")) == 3,
          "the store has fewer rows than expected")


def pages_together_are_the_whole(server):
    whole = server.rows("/api/v1/jobs/1/results?limit=10000&sort=-value&host=node-0")
    check(len(whole) > 250, len(whole))
    check(whole == sorted((row for row in server.rows("/api/v1/jobs/1/results?limit=10000")
                           if row["host"] == "node-0"), key=lambda row: -row["value"]), "sorted")
    found, path = [], "/api/v1/jobs/1/results?limit=97&sort=-value&host=node-0"
    while path:
        status, headers, body = server.request(path)
        check(status == 200 and int(headers["Muster-Rows"]) == len(whole), path, status)
        found += json.loads(body)["rows"]
        link = re.fullmatch(r'<([^>]*)>; rel="next"', headers["Link"] or "")
        path = link.group(1) if link else None
    check(found == whole, len(found), len(whole))


def matches(value, schema, schemas):
    """A small validator for what the description uses."""
    if isinstance(schema, bool): # whether further properties are allowed
        return schema
    if "$ref" in schema:
        return matches(value, schemas[schema["$ref"].rpartition("/")[2]], schemas)
    kind = schema.get("type") # none: any value
    if not kind:
        return True
    if value is None:
        return schema.get("nullable", False)
    if kind == "object":
        known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        return (isinstance(value, dict) and set(schema.get("required", [])) <= set(value)
                and all(matches(value[name], known.get(name, more), schemas) for name in value))
    if kind == "array":
        return isinstance(value, list) and all(matches(item, schema["items"], schemas) for item in value)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, (int, float))
    if kind == "boolean":
        return isinstance(value, bool)
    return isinstance(value, str) and re.search(schema.get("pattern", ""), value) is not None


def schema_of(answers):
    return answers["200"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]


def fields_of(schema):
    """Yields all parts of a schema that describe values."""
    yield schema
    for part in list(schema.get("properties", {}).values()) + [schema.get("items"), schema.get("additionalProperties")]:
        if isinstance(part, dict):
            yield from fields_of(part)


def every_field_is_described(schemas):
    """No part of a description allows any value."""
    for name, schema in schemas.items():
        check(schema and all("type" in part for part in fields_of(schema)), name, schema)
        check(name == "muster.error.v1" or schema["properties"]["rows"]["items"]["properties"], name)


def the_description_holds(server, workers_too):
    description = json.loads(server.request("/api/v1/openapi.json")[2])
    schemas = description["components"]["schemas"]
    every_field_is_described(schemas)
    check(len(description["paths"]) >= 10, list(description["paths"]))
    filled = set()
    for path, item in description["paths"].items():
        if (path == "/api/v1/workers" and not workers_too) or "{file}" in path or "/gang/" in path or "{name}" in path or path.endswith(COMMANDS) or path in REMOTE:
            continue
        names = [p["name"] for p in item["get"]["parameters"] if p["in"] == "path"]
        check(names == re.findall(r"\{(\w+)\}", path), path, names)
        address = re.sub(r"\{\w+\}", "1", path.replace("{host}", "node-0"))
        answers = item["get"]["responses"]
        for query, code in (("", 200), ("?nothing=1", 400)):
            status, _, body = server.request(address + query)
            value = json.loads(body)
            schema = answers["200" if code == 200 else "default"]["content"]["application/json"]["schema"]
            check(status == code and matches(value, schema, schemas), address, status, body[:300])
            check(value["schema"] == schema["$ref"].rpartition("/")[2], address, value["schema"])
            if value.get("rows"):
                filled.add(value["schema"])
        arguments = [p for p in item["get"]["parameters"] if p["in"] == "query" and p["name"] != "column"]
        for argument in arguments: # each one that is described is accepted
            value = {"sort": "job_id", "metric": "duration*", "kernel": "matmul"}.get(argument["name"], "1")
            if argument["name"] == "sort":
                value = schemas[schema_of(answers)]["properties"]["rows"]["items"]["required"][0]
            status, _, body = server.request(f"{address}?{argument['name']}={value}")
            check(status == 200, address, argument, body)
    check(len(filled) >= 5, filled)


def the_map_has_the_medians_of_the_store(server):
    """Medians, cards and orders, computed a second time from the rows."""
    values = {}
    for row in server.rows("/api/v1/jobs/1/results?limit=10000&metric=duration_us"):
        shape = re.sub(r" card=\d+$", "", row["point_text"])
        values.setdefault((shape, row["host"], row["card"]), []).append(row["value"])
    answer = json.loads(server.request("/api/v1/jobs/1/heat")[2])
    check(all(row["kernel"] == "matmul_kernel" for row in answer["rows"]), answer["rows"][0])
    check(json.loads(server.request("/api/v1/jobs/1/heat?kernel=other")[2])["rows"] == [], "another kernel")
    check((answer["metric"], answer["unit"], answer["simulated"], answer["measured"]) ==
          ("duration_us", "us", True, False), answer["metric"])
    found = {(row["shape"], answer["cards"][field["card"]]["host"], answer["cards"][field["card"]]["card"]):
             (field["median"], field["values"]) for row in answer["rows"] for field in row["fields"]}
    check(len(found) == 200 and found == {key: (statistics.median(of), len(of)) for key, of in values.items()}, found)
    spread = {}
    for (shape, _, _), of in values.items():
        spread.setdefault(shape, []).append(statistics.median(of))
    order = sorted(spread, key=lambda shape: -max(spread[shape]) / min(spread[shape]))
    rows = json.loads(server.request("/api/v1/jobs/1/heat?sort=-spread&limit=3&after=1")[2])["rows"]
    check([row["shape"] for row in rows] == order[1:4], rows, order[:5])
    rows = json.loads(server.request("/api/v1/jobs/1/heat?points=m=128%20*&metric=aic_l2_hit_rate")[2])["rows"]
    check([row["shape"] for row in rows] == ["m=128 n=1024"], rows)
    metrics = server.rows("/api/v1/jobs/1/metrics")
    check(len(metrics) == 6 and metrics[0] == {"kernel": "matmul_kernel", "metric": "duration_us", "unit": "us"}, metrics)


def each_kernel_has_its_rows(server):
    """The second repeat of a point runs another kernel: the point has two rows of the map, and
    counts once in the history of a card."""
    database = sqlite3.connect(os.path.join(OUT, "store", "muster.db"))
    def runs(count):
        """Waits for so many rows, because an answer of the map may be some seconds old."""
        until = time.monotonic() + LIMIT_S
        while True:
            rows = json.loads(server.request("/api/v1/jobs/1/heat?points=m=64%20*")[2])["rows"]
            if len(rows) == count:
                return rows
            check(time.monotonic() < until, count, rows)
    before, = runs(1)
    history = server.rows("/api/v1/cards/node-0/1/history?jobs=1")
    database.execute("INSERT INTO kernels(kernel_id, name) VALUES(77, 'other_kernel')")
    database.execute("UPDATE launches SET kernel_id = 77 WHERE run_id IN"
                     " (SELECT run_id FROM v_results WHERE point_text LIKE 'm=64 %' AND repeat = 1)")
    database.commit()
    rows = sorted(runs(2), key=lambda row: row["kernel"])
    check([(row["shape"], row["kernel"], len(row["fields"])) for row in rows] ==
          [(before["shape"], kernel, len(before["fields"])) for kernel in ("matmul_kernel", "other_kernel")], rows)
    check(all(field["values"] == 1 for row in rows for field in row["fields"]), rows)
    only, = json.loads(server.request("/api/v1/jobs/1/heat?points=m=64%20*&kernel=other_kernel")[2])["rows"]
    check(only == rows[1], only)
    again = server.rows("/api/v1/cards/node-0/1/history")
    check(again[0]["points"] == history[0]["points"], again, history)
    database.execute("UPDATE launches SET kernel_id = (SELECT kernel_id FROM kernels WHERE name = 'matmul_kernel') WHERE kernel_id = 77")
    database.commit()
    database.close()
    check(runs(1) == [before], before)


def cards_have_their_ranks(server):
    ranks = server.rows("/api/v1/jobs/1/ranks?limit=10000")
    cards = server.rows("/api/v1/cards")
    check([(card["host"], card["card"]) for card in cards] == sorted({(rank["host"], rank["card"]) for rank in ranks}), cards)
    for card in cards:
        own = server.rows(f"/api/v1/cards/{card['host']}/{card['card']}/ranks")
        check(own == [rank for rank in ranks if (rank["host"], rank["card"]) == (card["host"], card["card"])], card)
        check((card["ranks"], card["failed"], card["last_job_id"]) == (len(own), 0, 1) and len(own) == 50, card)
    check(server.rows("/api/v1/cards?jobs=0") == [], "cards of no job")


def files_are_sent_by_their_id(server):
    """The bytes of a file come whole; a file that is a link or is missing has no bytes."""
    database = sqlite3.connect(os.path.join(OUT, "store", "muster.db"))
    run, = database.execute("SELECT run_id FROM v_results WHERE point = 3 AND repeat = 1").fetchone()
    for name in ("a.bin", "link.bin", "gone.bin"):
        database.execute("INSERT INTO outputs(run_id, rank, path) VALUES(?, 0, ?)", (run, "node-0/" + name))
    database.commit()
    database.close()
    folder = os.path.join(OUT, "report-1", "p3", "r1", "node-0")
    os.makedirs(folder)
    data = os.urandom(3_000_000)
    with open(os.path.join(folder, "a.bin"), "wb") as file:
        file.write(data)
    os.symlink("/etc/passwd", os.path.join(folder, "link.bin"))
    listed = server.rows("/api/v1/jobs/1/files?point=3")
    files = {row["path"]: row for row in listed}
    check({path: row["size"] for path, row in files.items() if "device0" not in path} == {
        "p3/r1/node-0/a.bin": 3_000_000, "p3/r1/node-0/gone.bin": None, "p3/r1/node-0/link.bin": None}, files)
    check(len(listed) == 5 and all(row["path"].startswith("p3/") for row in listed), listed)
    check(server.rows("/api/v1/jobs/1/files?point=3&limit=2&after=1") == listed[1:3], "the second page")
    address = "/api/v1/jobs/1/files/"
    status, headers, body = server.request(address + files["p3/r1/node-0/a.bin"]["id"])
    check(status == 200 and body == data, status, len(body))
    check(headers["Content-Disposition"] == 'attachment; filename="p3_r1_node-0_a.bin"', headers["Content-Disposition"])
    status, _, body = server.request(address + files["p3/r1/node-0/a.bin"]["id"], headers={"If-None-Match": headers["ETag"]})
    check((status, body) == (304, b""), status)
    for wrong in (files["p3/r1/node-0/link.bin"]["id"], files["p3/r1/node-0/gone.bin"]["id"], "0" * 16, "%2e%2e%2fstore%2fmuster.db"):
        status, _, body = server.request(address + wrong)
        check(status in (403, 404) and b"root:" not in body, wrong, status, body[:100])


def an_unchanged_answer_is_not_sent_again(server):
    path = "/api/v1/jobs/1/tasks?limit=5"
    _, headers, body = server.request(path)
    tag = headers["ETag"]
    status, headers, again = server.request(path, headers={"If-None-Match": tag})
    check((status, again, headers["ETag"]) == (304, b"", tag), status, again)
    status, _, again = server.request(path, headers={"If-None-Match": '"0"'})
    check((status, again) == (200, body), status)
    status, headers, nothing = server.request(path, method="HEAD")
    check((status, nothing, int(headers["Content-Length"])) == (200, b"", len(body)), status)
    other = server.request("/api/v1/jobs/1/tasks?limit=6")[1]["ETag"]
    check(other != tag, "two answers with one tag")


class Stream:
    """Reads server-sent events."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S)
        self.socket.sendall(f"GET /api/v1/changes HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        self.text = b""
        self.wait_for(1)

    def wait_for(self, count):
        while self.text.count(b"event: change\n") < count:
            piece = self.socket.recv(4096)
            check(piece, "the stream ended", self.text)
            self.text += piece


def a_change_of_the_store_is_reported(server):
    stream = Stream(server)
    check(b"Content-Type: text/event-stream" in stream.text, stream.text)
    before = server.request("/api/v1/events")[1]["ETag"]
    database = sqlite3.connect(os.path.join(OUT, "store", "muster.db"))
    database.execute("INSERT INTO events(wall_ms, kind, job_id, task_id, run_id, text)"
                     " SELECT wall_ms, kind, job_id, task_id, run_id, 'news' FROM events LIMIT 1")
    database.commit()
    database.close()
    stream.wait_for(2)
    check(server.request("/api/v1/events")[1]["ETag"] != before, "the tag did not change")
    check(server.rows("/api/v1/events")[-1]["text"] == "news", server.rows("/api/v1/events"))
    stream.socket.close()


def talk(server, data, limit=LIMIT_S):
    """Sends bytes and returns everything until the end of the connection, or of the time."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=limit) as peer:
        received = b""
        try:
            peer.sendall(data)
            while piece := peer.recv(65536):
                received += piece
        except (ConnectionError, TimeoutError):
            pass
        return received


def status_of(answer):
    line = answer.split(b"\r\n")[0].split(b" ")
    return int(line[1]) if len(line) > 1 and line[0].startswith(b"HTTP/1.") else 0


def hostile_requests_get_an_error(server):
    host = f"Host: {server.host}\r\n".encode()
    end = b"Connection: close\r\n\r\n"
    cases = {
        b"GET /api/v1/jobs HTTP/1.1\r\n" + end: 400, # no host
        b"GET /api/v1/jobs HTTP/1.1\r\nHost: attacker.example:" + str(server.port).encode() + b"\r\n" + end: 421,
        b"GET /api/v1/jobs HTTP/1.1\r\n" + host + b"Origin: http://attacker.example\r\n" + end: 403,
        b"GET /api/v1/jobs/1x HTTP/1.1\r\n" + host + end: 400,
        b"GET /api/v1/jobs/99999999999999999999 HTTP/1.1\r\n" + host + end: 400,
        b"GET /api/v1/jobs/2 HTTP/1.1\r\n" + host + end: 404,
        b"GET /api/v1/workers HTTP/1.1\r\n" + host + end: 404, # the store has none
        b"GET /api/v1/jobs/1/heat?sort=colour HTTP/1.1\r\n" + host + end: 400,
        b"GET /api/v1/jobs/1/heat?limit=2001 HTTP/1.1\r\n" + host + end: 400,
        b"GET /api/v1/jobs/1/tasks?limit=9999999 HTTP/1.1\r\n" + host + end: 400,
        b"GET /api/v1/jobs?" + b"&".join(b"a=%d" % i for i in range(40)) + b" HTTP/1.1\r\n" + host + end: 400,
        b"GET /assets/pages.css/../../../etc/passwd HTTP/1.1\r\n" + host + end: 404,
        b"GET /assets/..%2f..%2fetc%2fpasswd HTTP/1.1\r\n" + host + end: 404,
        b"GET /../../../../etc/passwd HTTP/1.1\r\n" + host + end: (403, 404),
        b"GET //etc/passwd HTTP/1.1\r\n" + host + end: 404,
        b"POST /api/v1/jobs HTTP/1.1\r\n" + host + b"Content-Length: 4\r\n\r\nabcd": 405,
        b"PUT /api/v1/jobs HTTP/1.1\r\n" + host + b"Content-Length: 4\r\n\r\nabcd": 405,
        b"DELETE /api/v1/jobs/1 HTTP/1.1\r\n" + host + end: 405,
        b"OPTIONS /api/v1/jobs HTTP/1.1\r\n" + host + end: 405,
        # no other protocol, and nothing behind a body is read as a request
        b"GET /api/v1/jobs HTTP/1.1\r\n" + host + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n": (0, 400, 403, 404),
        b"GET /api/v1/jobs HTTP/1.1\r\n" + host + b"Content-Length: 60\r\n\r\nGET /api/v1/jobs HTTP/1.1\r\n\r\n": 200,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200: (0, 400, 403), # TLS
        b"\0" * 1000: (0, 400, 403),
        b"GET " + b"/x" * 9000 + b" HTTP/1.1\r\n" + host + end: (0, 400, 403, 404, 413, 414, 431),
        b"GET /api/v1/jobs HTTP/1.1\r\n" + host + b"X-Large: " + b"y" * 100000 + b"\r\n" + end: (0, 200, 400, 403, 413, 431),
        b"GET /assets/pages.css%00.js HTTP/1.1\r\n" + host + end: (0, 400, 403, 404),
        b"GET /api/v1/jobs?state=%00 HTTP/1.1\r\n" + host + end: (0, 200, 400, 403),
    }
    for data, expected in cases.items():
        answer = talk(server, data, 15)
        status = status_of(answer)
        check(status in (expected if isinstance(expected, tuple) else (expected,)), data[:120], status, answer[:300])
        check(answer.count(b"HTTP/1.1 ") <= 1, "two answers", data[:120], answer[:600])
        check(b"root:" not in answer, "a file of the host", data)
        check(server.request("/api/v1/jobs")[0] == 200, "the next request", data[:120])


def a_thousand_connections_disturb_nobody(server):
    peers = [socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) for _ in range(1000)]
    for i, peer in enumerate(peers): # silent, half a request, or a whole one that is not read
        if i % 3:
            peer.sendall(b"GET /api/v1/jobs/1/results?limit=10000 HTTP/1.1\r\n")
        if i % 3 == 2 and i < 60:
            peer.sendall(f"Host: {server.host}\r\n\r\n".encode())
    expected = server.request("/api/v1/jobs/1/tasks")[2]
    for _ in range(20):
        check(server.request("/api/v1/jobs/1/tasks")[2] == expected, "an answer beside them")
    peer = peers[2] # reads its answer late, and it is complete
    peer.settimeout(LIMIT_S)
    answer = http.client.HTTPResponse(peer)
    answer.begin()
    check(json.loads(answer.read())["rows"] == server.rows("/api/v1/jobs/1/results?limit=10000"), "late reader")
    for peer in peers:
        peer.close()


def idle_connections_are_closed():
    server = Server("--out", OUT, "--idle", "1s", "--connections", "8")
    with socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) as peer:
        peer.sendall(f"GET /api/v1/jobs HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        answer = http.client.HTTPResponse(peer)
        answer.begin()
        answer.read()
        check(peer.recv(1) == b"", "an idle connection stays open")
    # the ninth connection closes the first
    peers = [socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) for _ in range(8)]
    check(server.request("/api/v1/jobs")[0] == 200, "no request beside idle connections")
    check(peers[0].recv(1) == b"", "the longest idle connection stays open")
    for peer in peers:
        peer.close()
    check(server.stop() == (0, ""), "the end")


def a_token_opens_the_server_by_tls(folder):
    key = os.path.join(folder, "reader.key")
    subprocess.run(["muster", "keygen", "--role", "read", key, "reader"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-keyout", "tls.key", "-out", "tls.crt", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1"], check=True, cwd=folder, stderr=subprocess.DEVNULL)
    files = ["--tls-cert", os.path.join(folder, "tls.crt"), "--tls-key", os.path.join(folder, "tls.key")]
    server = Server("--out", OUT, "--token", key, *files, "--listen", "0.0.0.0:0")
    check(server.line.startswith("https://0.0.0.0:") and "/?token=" in server.line, server.line)
    token = server.line.partition("token=")[2]
    context = ssl.create_default_context(cafile=files[1])

    def ask(path, **headers):
        connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=LIMIT_S, context=context)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        result = answer.status, answer.headers, answer.read()
        connection.close()
        return result

    for path in ("/", "/api/v1/jobs", "/api/v1/changes", "/api/v1/openapi.json", "/nothing",
                 "/?token=" + "0" * 64, "/?token=", f"/?token={token[:-1]}"):
        status, _, body = ask(path)
        check(status == 401 and b"muster.error.v1" in body, path, status, body)
    check(ask("/assets/pages.css")[0] == 200, "the style needs no token")
    status, headers, _ = ask(f"/jobs/1?token={token}&tasks.sort=-point")
    check((status, headers["Location"]) == (303, "/jobs/1?tasks.sort=-point"), status, headers["Location"])
    cookie = headers["Set-Cookie"]
    check(set(cookie.split("; ")[1:]) == {"Path=/", "HttpOnly", "SameSite=Lax", "Secure"}, cookie)
    for headers in ({"Cookie": cookie.split(";")[0]}, {"Authorization": f"Bearer {token}"}):
        status, answer, body = ask("/api/v1/jobs", **headers)
        check(status == 200 and body == printed("list"), status, body)
        check(answer["Strict-Transport-Security"] and "unsafe" not in answer["Content-Security-Policy"], answer)
    check(ask("/api/v1/jobs", Authorization="Bearer x")[0] == 401, "a wrong token")
    check(talk(server, f"GET / HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode(), 15)[:9] != b"HTTP/1.1 2", "no TLS")
    check(ask("/api/v1/jobs", Authorization=f"Bearer {token}")[0] == 200, "after a peer without TLS")
    check(server.stop()[0] == 0, "the end")


def a_store_that_goes_away_is_an_error(server):
    store = os.path.join(OUT, "store")
    os.rename(store, store + ".away")
    status, _, body = server.request("/api/v1/jobs")
    check(status == 503 and b"store" in body, status, body)
    check(server.request("/")[0] == 200, "the pages are there")
    os.rename(store + ".away", store)
    until = time.monotonic() + LIMIT_S
    while server.request("/api/v1/jobs")[0] != 200:
        check(time.monotonic() < until, "the store is back, but not its rows")
    check(server.request("/api/v1/jobs")[2] == printed("list"), "rows of the store that is back")


def ctrl_c_ends_a_busy_server(server):
    stream = Stream(server)
    code, errors = server.stop()
    check((code, errors) == (0, ""), code, errors)
    check(stream.socket.recv(65536) == b"", "the stream ends")


def main():
    server = Server("--out", OUT)
    same_answers_as_the_commands(server)
    pages_together_are_the_whole(server)
    the_map_has_the_medians_of_the_store(server)
    each_kernel_has_its_rows(server)
    cards_have_their_ranks(server)
    files_are_sent_by_their_id(server)
    the_description_holds(server, False)
    an_unchanged_answer_is_not_sent_again(server)
    a_change_of_the_store_is_reported(server)
    hostile_requests_get_an_error(server)
    a_thousand_connections_disturb_nobody(server)
    a_store_that_goes_away_is_an_error(server)
    ctrl_c_ends_a_busy_server(server)
    idle_connections_are_closed()
    a_token_opens_the_server_by_tls(os.path.dirname(os.path.abspath(OUT)))


if __name__ == "__main__":
    main()
