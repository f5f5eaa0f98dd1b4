#!/usr/bin/env python3
"""serve_viewer.py - the vendor's viewer in `muster serve`: its files and its messages

usage: serve_viewer.py OUT SHOWN SITE TOKEN

OUT is a folder of results with the file SHOWN below it, SITE has the web files of a viewer,
TOKEN is a file with a token.
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from server import Server # noqa: E402
from websocket import Closed, Refused, WebSocket # noqa: E402

OUT, SHOWN, SITE, TOKEN = sys.argv[1:]
MESSAGE_MAX = 2 << 20


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


def request(module, command, project="", **params):
    return json.dumps({"id": 5, "type": "request", "moduleName": module, "command": command,
                       "fileId": "", "projectName": project, "params": params})


def ask(client, module, command, project="", **params):
    client.send(request(module, command, project, **params))
    return client.message()


def web_files(server):
    status, headers, _ = server.request("/viewer")
    check(status == 303 and headers["Location"] == f"/index.html?port={server.port}", headers)
    for name, kind in (("index.html", "text/html; charset=utf-8"),
                       ("plugins/Timeline/index.html", "text/html; charset=utf-8"),
                       ("plugins/Timeline/static/js/main.js", "text/javascript; charset=utf-8")):
        status, headers, body = server.request(f"/{name}?port={server.port}")
        with open(os.path.join(SITE, name), "rb") as file:
            check(status == 200 and body == file.read(), name, status, body)
        check(headers["Content-Type"] == kind, headers["Content-Type"])
        check(f"ws://*:{server.port}" in headers["Content-Security-Policy"], headers)
    for name in ("/plugins/Memory/index.html", "/plugins/../link.html", "/link.html",
                 "/%2e%2e/store/muster.db", "/plugins/Timeline"):
        status, headers, _ = server.request(name)
        check(status == 404, name, status)
        check(headers["Content-Security-Policy"].startswith("default-src 'none'"), headers)


def pages_of_a_session(server):
    """The messages of the pages from the first heart beat to the views of a file."""
    client = WebSocket(server.port, f"/?port={server.port}",
                       Origin=f"http://127.0.0.1:{server.port}")
    beat = ask(client, "global", "heartCheck")
    check(beat["requestId"] == 5 and beat["result"], beat)
    check(ask(client, "global", "moduleConfig/get")["body"] == {"configs": []}, "modules")
    listed = ask(client, "global", "files/getProjectExplorer")["body"]["projectDirectoryList"]
    check([p["projectName"] for p in listed] == [SHOWN], listed)
    opened = ask(client, "timeline", "import/action", projectName=SHOWN, path=[SHOWN],
                 projectAction=0)
    check(opened["body"]["isBinary"] and opened["body"]["coreList"] == ["ALL"], opened)
    events = [client.message() for _ in range(3)]
    check([e["event"] for e in events] ==
          ["parse/progress", "parse/success", "parse/unitCompleted"], events)
    check(events[1]["body"]["maxTimeStamp"] == 1760, events[1])
    info = ask(client, "source", "source/details/baseInfo", SHOWN, isCompared=False)
    check(info["body"]["compare"]["name"] == "matmul_custom", info)
    code = ask(client, "source", "source/api/instructions/dynamic", SHOWN, coreName="ALL")
    check(len(code["body"]["Instructions"]) > 400, len(code["body"]["Instructions"]))
    return client


def several_clients(server, first):
    """A second client gets its answers; the first one is not disturbed by its end."""
    second = WebSocket(server.port)
    found = ask(second, "source", "source/details/baseInfo", SHOWN)
    check(found["body"]["compare"]["name"] == "matmul_custom", found)
    clients = [WebSocket(server.port) for _ in range(20)]
    for client in clients:
        client.send(request("global", "heartCheck"))
    for client in clients:
        check(client.message()["result"], "heart beat")
        client.close()
    second.close()
    check(ask(first, "global", "heartCheck")["result"], "first client")


def requests_at_once(server):
    """All requests of a page are sent before the first answer is read; the long answers have
    several parts, and each is complete."""
    client = WebSocket(server.port)
    commands = [("source", "source/api/instructions/dynamic", {"coreName": "ALL"}), ("source", "source/api/instructions", {}),
                ("global", "heartCheck", {})] * 20
    for module, command, params in commands:
        client.send(request(module, command, SHOWN, **params))
    first = {}
    for _, command, _ in commands:
        answer = client.message()
        check(answer["command"] == command and answer["result"], answer)
        check(first.setdefault(command, answer.get("body")) == answer.get("body"), command)
    check(len(json.dumps(first["source/api/instructions"])) > 48 * 1024, "the answer has one part only")
    client.close()


def wrong_messages(server):
    client = WebSocket(server.port)
    client.send("hello")
    check(client.message()["error"]["code"] == 9999, "no JSON")
    client.send("x" * (MESSAGE_MAX // 2 + 1))
    check("the limit is 1048576" in client.message()["error"]["message"], "long request")
    check(ask(client, "global", "heartCheck")["result"], "after wrong messages")
    try:
        client.send("x" * (MESSAGE_MAX + 1))
        client.receive()
        raise AssertionError("a message above the limit was accepted")
    except (Closed, OSError) as closed:
        check(not isinstance(closed, Closed) or closed.args[0] in (1009, None), closed)


def refused(port, path="/", **headers):
    try:
        WebSocket(port, path, **headers)
    except (Refused, OSError):
        return
    raise AssertionError(f"not refused: {path} {headers}")


def further_files():
    """Without a store: a file of the command line, and the files below --browse."""
    with open(os.path.join(OUT, SHOWN[1:]), "rb") as file:
        data = file.read()
    folder = os.path.abspath(OUT) + "-browse"
    os.makedirs(os.path.join(folder, "deep", "er"))
    for name in ("given.bin", "deep/er/b.bin", "deep/note.txt"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    os.symlink("/etc", os.path.join(folder, "deep", "out"))
    os.symlink("/etc/passwd", os.path.join(folder, "passwd.bin"))
    os.symlink(os.path.join(folder, "given.bin"), OUT + "-named.bin") # a named link is followed
    server = Server("--out", OUT + "-none", "--browse", os.path.join(folder, "deep"), OUT + "-named.bin")
    client = WebSocket(server.port)
    listed = ask(client, "global", "files/getProjectExplorer")["body"]["projectDirectoryList"]
    given = f"/files/{os.path.basename(OUT)}-named.bin"
    check(sorted(p["projectName"] for p in listed) == ["/browse/er/b.bin", given], listed)
    for project in ("/browse/er/b.bin", given):
        info = ask(WebSocket(server.port), "source", "source/details/baseInfo", project, isCompared=False)
        check(info["body"]["compare"]["name"] == "matmul_custom", project, info)
    status, _, body = server.request("/api/v1/jobs")
    check(status == 503 and b"no store" in body, status, body)
    check(server.stop() == (0, ""), "the end")


def main():
    server = Server("--out", OUT, "--viewer", SITE)
    web_files(server)
    first = pages_of_a_session(server)
    several_clients(server, first)
    requests_at_once(server)
    wrong_messages(server)
    refused(server.port, Origin="http://example.com")
    refused(server.port, Host=f"example.com:{server.port}")
    refused(server.port, "/api/v1/jobs")
    check(ask(first, "global", "heartCheck")["result"], "first client at the end")
    code, errors = server.stop()
    check(code in (0, 130) and not errors, code, errors)

    server = Server("--out", OUT, "--token", TOKEN)
    with open(TOKEN, encoding="ascii") as file:
        token = file.read().strip()
    refused(server.port)
    refused(server.port, Authorization="Bearer " + "x" * len(token))
    client = WebSocket(server.port, Cookie=f"muster_{server.port}={token}")
    check(ask(client, "global", "heartCheck")["result"], "token")
    check(server.request("/index.html", headers={"Authorization": f"Bearer {token}"})[0] == 404,
          "without --viewer there are no files")
    server.stop()
    further_files()


main()
