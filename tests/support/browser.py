"""browser.py - opens a page in headless Chromium and evaluates expressions there

Chromium's DevTools protocol runs over two pipes (--remote-debugging-pipe), so that no
package for web sockets is needed.
"""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

LIMIT_S = 30 # of one call; a busy machine is slow


def find_browser():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self):
        to_read, to_write = os.pipe() # commands
        from_read, from_write = os.pipe() # answers
        self.profile = tempfile.mkdtemp(prefix="muster-browser-")

        def move_pipes():
            """The browser reads from descriptor 3 and writes to 4."""
            commands, answers = os.dup(to_read), os.dup(from_write)
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [find_browser(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=move_pipes, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.commands, self.answers = to_write, from_read
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        self.open_tab()

    def open_tab(self):
        """Opens a window of its own, so that the other tabs stay visible, and uses it. Returns
        it for use_tab()."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        return self.session

    def use_tab(self, tab):
        self.session = tab

    def close(self):
        self.process.terminate()
        self.process.wait(LIMIT_S)
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read_message(self, until):
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError(f"no answer of the browser in {LIMIT_S} s")
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise EOFError("the browser has ended")
            self.buffer += piece
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        """Sends a command and returns its result; keeps the events before it."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        until = time.monotonic() + LIMIT_S
        while True:
            answer = self.read_message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def set_media(self, scheme="light", media=""):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """Opens a file or an address and waits until it is loaded."""
        self.events.clear()
        url = path if "://" in path else "file://" + os.path.abspath(path)
        answer = self.call("Page.navigate", url=url)
        if "errorText" in answer:
            raise FileNotFoundError(f"{path}: {answer['errorText']}")
        self.wait_for("document.readyState === 'complete'")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, condition):
        until = time.monotonic() + LIMIT_S
        while not self.evaluate(f"!!({condition})"):
            if time.monotonic() > until:
                raise TimeoutError(f"not true in {LIMIT_S} s: {condition}")
            self.evaluate("new Promise(done => requestAnimationFrame(done))")

    def complaints(self):
        """Returns exceptions and error messages since open()."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("text", "exception"))
            elif event.get("method") == "Log.entryAdded":
                found.append(parameters["entry"]["text"])
        return found

    def requests(self):
        """Returns the addresses that the page requested since open(), without itself."""
        addresses = [event["params"]["request"]["url"] for event in self.events
                     if event.get("method") == "Network.requestWillBeSent"]
        return addresses[1:]
