"""server.py - starts `muster serve` and sends requests to it"""

import atexit
import http.client
import json
import select
import signal
import subprocess

LIMIT_S = 30 # of one answer; a busy machine is slow


class Server:
    def __init__(self, *options, token=None):
        self.process = subprocess.Popen(
            ["muster", "serve", "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)  # after a check that failed; of an ended server it does nothing
        ready, _, _ = select.select([self.process.stdout], [], [], LIMIT_S)
        self.line = self.process.stdout.readline().strip() if ready else ""
        if not self.line:
            raise RuntimeError(f"no address: {self.process.communicate()[1]}")
        self.scheme, rest = self.line.split("://")
        self.host = rest.split("/")[0]
        self.port = int(self.host.rpartition(":")[2])
        self.token = token

    def request(self, path, method="GET", headers=None, body=None):
        """Returns (status, headers, body) of a request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def rows(self, path):
        status, _, body = self.request(path)
        if status != 200:
            raise AssertionError((path, status, body))
        return json.loads(body)["rows"]

    def stop(self, signum=signal.SIGINT):
        """Ends the server and returns its exit code and its messages."""
        self.process.send_signal(signum)
        _, errors = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, errors
