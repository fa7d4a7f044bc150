# SPDX-License-Identifier: MIT
"""A headless Chromium, driven by chromedriver's own protocol (WebDriver over HTTP)."""
import base64
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request

ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--force-device-scale-factor=1"]


class Browser:
    """One window. Errors of the browser become RuntimeError."""

    def __init__(self, width=1280, height=900):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.root = f"http://127.0.0.1:{port}"
        self.listen()
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": [*ARGUMENTS, f"--window-size={width},{height}"]},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        started = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{started['sessionId']}"

    def listen(self):
        """Until the driver answers, ten seconds at most."""
        for _ in range(100):
            try:
                self.call("GET", "/status")
                return
            except urllib.error.URLError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, method=method, data=data,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def open(self, path, anchor=""):
        self.call("POST", self.session + "/url", {"url": "about:blank"})
        self.call("POST", self.session + "/url", {"url": f"file://{path}{anchor}"})
        self.wait("const done = arguments[0]; window.libtrace.ready.then(() => requestAnimationFrame(() => done()))")

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments):
        """The script calls its last argument when it is done."""
        return self.call("POST", self.session + "/execute/async", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, name="", value=""):
        self.devtools("Emulation.setEmulatedMedia", media="", features=[{"name": name, "value": value}] if name else [])

    def press(self, key):
        """A key as the user presses it, where the focus is."""
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def pointer(self, *moves):
        """Moves of the mouse: ("move", x, y), ("down",), ("up",)."""
        actions = []
        for move in moves:
            if move[0] == "move":
                actions.append({"type": "pointerMove", "x": round(move[1]), "y": round(move[2]), "duration": 0})
            else:
                actions.append({"type": {"down": "pointerDown", "up": "pointerUp"}[move[0]], "button": 0})
        self.call("POST", self.session + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def wheel(self, x, y, down, across=0):
        self.call("POST", self.session + "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": round(x), "y": round(y), "deltaX": across, "deltaY": down, "duration": 0}]}]})

    def shot(self, path, whole=False):
        picture = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def pdf(self):
        return base64.b64decode(self.devtools("Page.printToPDF", printBackground=True)["data"])

    def complaints(self):
        """What the console holds since the last question, but for remarks."""
        entries = self.call("POST", self.session + "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("WARNING", "SEVERE")]

    def requests(self):
        """Addresses that were asked for since the last question."""
        found = []
        for entry in self.call("POST", self.session + "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found
