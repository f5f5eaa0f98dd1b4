#!/usr/bin/env python3
"""served.py - sends every request of the vendor's pages to `muster serve` for each result
file of a store and for further files, and compares the answers with what Python reads

usage: served.py OUT FILE...

There must be a file of each operator type and chip family and of each block type, so that
no request remains without figures. Files of one job are compared with each other.
"""

import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import container # noqa: E402
import viewer # noqa: E402
from server import Server # noqa: E402
from viewer_details import SHOWN, body, need, same # noqa: E402
from websocket import WebSocket # noqa: E402

KINDS = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15} # types of blocks with a view
TYPES = {"vector", "cube", "mix", "AiCore"}
CHIPS = {"910B", "310P", "910A5"} # texts of the block "memory map"
# All requests of the pages.
COMMANDS = """
    heartCheck moduleConfig/get files/getProjectExplorer files/get files/checkProjectValid
    files/updateProjectExplorer files/deleteProjectExplorer files/clearProjectExplorer
    global/setBaseline global/cancelBaseline import/action remote/reset remote/delete
    unit/setCardAlias unit/threadTraces unit/threadTracesSummary unit/threads
    unit/threadDetail unit/one/kernelDetail unit/counter unit/flows flow/categoryList
    flow/categoryEvents search/count search/slice search/all/slices
    query/all/same/operators/duration source/code/file source/api/line
    source/api/line/dynamic source/api/instructions source/api/instructions/dynamic
    source/details/baseInfo source/details/computeworkload source/details/memoryGraph
    source/details/memoryTable source/details/interCoreLoadAnalysis
    source/details/roofline source/cache/cachelineRecords source/queryTopWarpStallReason
""".split()


class Client:
    """Sends requests to the server, in one session with one file open. The checks call the
    file SHOWN; the server calls it `name`."""

    def __init__(self, server, name):
        self.name, self.number, self.requests, self.sent = name, -1, 0, set()
        self.socket = WebSocket(server.port)
        self.opened, self.events = self.ask("import/action", {
            "projectName": SHOWN, "path": [SHOWN], "projectAction": 1}), {}
        while "parse/unitCompleted" not in self.events:
            self.keep_event(self.receive())

    def receive(self):
        return json.loads(self.socket.receive().replace(json.dumps(self.name)[1:-1], SHOWN))

    def keep_event(self, message):
        need(message["type"] == "event", "%s instead of an event", message)
        self.events[message["event"]] = message["body"]

    def ask(self, command, params, module=None):
        self.number, self.requests = self.number + 1, self.requests + 1
        request = json.loads(viewer.message(self.number, command, params))
        request["moduleName"] = module or request["moduleName"]
        self.socket.send(json.dumps(request).replace(SHOWN, self.name))
        self.sent.add(command)
        answer = self.receive()
        while answer["type"] == "event":
            self.keep_event(answer)
            answer = self.receive()
        same([answer["requestId"], answer["command"]], [self.number, command], "answer")
        return answer

    def run(self, requests):
        """The interface of viewer.Client."""
        return [self.opened] + [self.ask(*request) for request in requests], self.events


def ask_global(client, command, **params):
    return body(client.ask(command, params, module="global"))


def check_list(client, name):
    """Requests about the list of files; the last of them remove the file from the list."""
    need(client.ask("heartCheck", {}, module="global")["result"], "heart beat")
    same(ask_global(client, "moduleConfig/get"), {"configs": []}, "modules")
    listed = ask_global(client, "files/getProjectExplorer")["projectDirectoryList"]
    node, = [project for project in listed if project["projectName"] == SHOWN]
    card, = node["children"][0]["children"]
    same([node["fileName"], card["filePath"], card["rankId"], card["fileDir"]],
         [[SHOWN], SHOWN, SHOWN, os.path.basename(name)], "entry of the list")
    folder = ask_global(client, "files/get", path=os.path.dirname(name))
    same([folder["exist"], folder["childrenFiles"]],
         [True, [{"name": os.path.basename(name), "path": SHOWN}]], "files/get of the folder")
    same(ask_global(client, "files/get", path=SHOWN)["exist"], True, "files/get of the file")
    same(ask_global(client, "files/get", path=name + ".gone")["exist"], False, "files/get of nothing")
    for path, result in ((SHOWN, 0), ("/no/such/file.bin", 6)):
        found = ask_global(client, "files/checkProjectValid", projectName=path, dataPath=[path])
        same(found["result"], result, "checkProjectValid of " + path)
    same(body(client.ask("unit/setCardAlias", {"rankId": SHOWN, "cardAlias": "first card"})), {}, "alias")
    same(ask_global(client, "files/updateProjectExplorer", oldProjectName=SHOWN, newProjectName="mine"), {}, "rename")
    names = [p["projectName"] for p in ask_global(client, "files/getProjectExplorer")["projectDirectoryList"]]
    need("mine" in names and SHOWN not in names, "list after renaming: %s", names)
    same(ask_global(client, "files/updateProjectExplorer", oldProjectName="mine", newProjectName=SHOWN), {}, "rename")
    found = body(client.ask("remote/delete", {"rankId": [SHOWN], "dbPaths": []}, module="timeline"))
    same([type(found["maxTimeStamp"]), type(found["startTimeUpdated"])], [int, bool], "remote/delete")
    same(body(client.ask("remote/reset", {}, module="timeline")), {}, "remote/reset")
    same(ask_global(client, "files/deleteProjectExplorer", projectName=SHOWN, dataPath=[]), {}, "removal")
    names = [p["projectName"] for p in ask_global(client, "files/getProjectExplorer")["projectDirectoryList"]]
    same([len(names), SHOWN in names], [len(listed) - 1, False], "list after removal")
    same(ask_global(client, "files/clearProjectExplorer", projectNameList=[]), {}, "removal of all")
    same(ask_global(client, "files/getProjectExplorer")["projectDirectoryList"], [], "list after removal of all")


def check_comparison(client, file, other):
    baseline = ask_global(client, "global/setBaseline", projectName=other.name, fileType="COMPUTE",
                          filePath=other.name, rankId=other.name, baselineClusterPath=other.name,
                          currentClusterPath="")
    same([baseline["rankId"], baseline["cardName"], baseline["errorMessage"], baseline["isCluster"]],
         ["Baseline_" + other.name, "Baseline_Baseline_" + other.name, "", False], "setBaseline")
    viewer.check_compared(client, file.blocks, other.blocks)
    same(ask_global(client, "global/cancelBaseline", projectName=other.name, filePath=other.name), {},
         "cancelBaseline")
    info = body(client.ask("source/details/baseInfo", {"isCompared": True}))
    same(info["baseline"]["name"], "", "base information without a baseline")


class File:
    def __init__(self, out, path):
        self.name = path[len(out):] if path.startswith(out + "/") else "/files/" + os.path.basename(path)
        self.job = self.name.split("/")[1]
        self.blocks, self.sources, _ = container.read(path)
        self.type = json.loads(self.blocks[5])["op_type"] if 5 in self.blocks else ""
        self.chips = {core["soc"] for core in json.loads(self.blocks[8])["core_memory_map"]} if 8 in self.blocks else set()


def check_file(server, file, others):
    """Returns the commands that were sent, and the number of answers."""
    client = Client(server, file.name)
    try:
        viewer.check(client, file.blocks, file.sources)
        for other in others:
            check_comparison(client, file, other)
        check_list(client, file.name)
    except container.Mismatch as bad:
        sys.exit(f"{file.name}: {bad}")
    client.socket.close()
    return client.sent, client.requests


def main(out, further):
    measured = sorted(glob.glob(os.path.join(out, "**/visualize_data.bin"), recursive=True))
    files = [File(out, path) for path in measured + further]
    kinds = {kind for file in files for kind in file.blocks} | ({1} if any(file.sources for file in files) else set())
    same([KINDS - kinds, TYPES - {file.type for file in files}, CHIPS - {chip for file in files for chip in file.chips}],
         [set(), set(), set()], "what no file has")
    server = Server("--out", out, *further)
    sent, requests, compared = set(), 0, 0
    for file in files:
        others = [other for other in files if other.job == file.job and other is not file]
        commands, count = check_file(server, file, others)
        sent, requests, compared = sent | commands, requests + count, compared + len(others)
    same([sorted(set(COMMANDS) - sent), sorted(sent - set(COMMANDS))], [[], []], "commands without a request, and others")
    same(server.stop(), (0, ""), "end of the server")
    need(compared >= 8, "only %d comparisons", compared)
    print(f"{requests} answers about {len(files)} files, {compared} comparisons")


try:
    main(sys.argv[1].rstrip("/"), sys.argv[2:])
except container.Mismatch as wrong:
    sys.exit(str(wrong))
