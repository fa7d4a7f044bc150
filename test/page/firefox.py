# SPDX-License-Identifier: MIT
"""A headless Firefox, driven by its own protocol (Marionette over a socket), with what the checks of looks need of
browser.Browser. A window of Firefox is never narrower than 450 pixels, so a page is looked at in a frame of its own."""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

FRAME = '<!doctype html><title>frame</title><style>body{margin:0}iframe{border:0}</style><iframe src="%s"></iframe>'
SETTINGS = {"browser.shell.checkDefaultBrowser": False, "browser.startup.page": 0, "datareporting.policy.dataSubmissionEnabled": False,
            "toolkit.telemetry.reportingpolicy.firstRun": False, "app.update.enabled": False, "browser.aboutwelcome.enabled": False,
            "security.fileuri.strict_origin_policy": False, "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False, "services.settings.server": "data:,", "extensions.update.enabled": False}
THEMES = {"": 2, "dark": 0, "light": 1}


class Firefox:
    """One window. Errors of the browser become RuntimeError."""

    def __init__(self):
        self.profile = tempfile.mkdtemp()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with open(f"{self.profile}/user.js", "w", encoding="utf-8") as file:
            for name, value in {**SETTINGS, "marionette.port": port}.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(["firefox-esr", "--headless", "--no-remote", "--marionette",
                                         "--remote-allow-system-access", "--profile", self.profile],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile})
        self.socket = self.connect(port)
        self.buffer = b""
        self.number = 0
        self.receive()  # its greeting
        self.call("WebDriver:NewSession", {"capabilities": {}})
        self.call("WebDriver:SetTimeouts", {"script": 120000, "pageLoad": 120000})
        self.width, self.height = 1280, 900

    @staticmethod
    def connect(port):
        for _ in range(600):
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=180)
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("Firefox does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b":" not in self.buffer:
            self.buffer += self.more()
        size, rest = self.buffer.split(b":", 1)
        while len(rest) < int(size):
            rest += self.more()
        self.buffer = rest[int(size):]
        return json.loads(rest[:int(size)])

    def more(self):
        found = self.socket.recv(1 << 20)
        if not found:
            raise RuntimeError("Firefox has gone")
        return found

    def call(self, command, parameters=None):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        while True:
            answer = self.receive()
            if isinstance(answer, list) and answer[:2] == [1, self.number]:
                break
        if answer[2]:
            raise RuntimeError(answer[2]["message"].split("\n")[0])
        return answer[3]

    def run(self, script, *arguments):
        return self.call("WebDriver:ExecuteScript", {"script": script, "args": list(arguments), "sandbox": None})["value"]

    def wait(self, script, *arguments):
        """The script calls its last argument when it is done."""
        return self.call("WebDriver:ExecuteAsyncScript", {"script": script, "args": list(arguments), "sandbox": None})["value"]

    def size(self, width, height):
        self.width, self.height = width, height

    def media(self, _name="", value=""):
        self.call("Marionette:SetContext", {"value": "chrome"})
        self.run(f"Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {THEMES[value]})")
        self.call("Marionette:SetContext", {"value": "content"})

    def open(self, path):
        """In a frame of the size that was asked for; what the page complains of is kept."""
        frame = f"{self.profile}/frame.html"
        with open(frame, "w", encoding="utf-8") as file:
            file.write(FRAME % f"file://{path}")
        self.call("WebDriver:SwitchToFrame", {"id": None})
        self.call("WebDriver:Navigate", {"url": "about:blank"})
        self.call("WebDriver:Navigate", {"url": f"file://{frame}"})
        self.run("const frame = document.querySelector('iframe'); frame.width = arguments[0]; frame.height = arguments[1]", self.width, self.height)
        self.call("WebDriver:SwitchToFrame", {"id": 0})
        self.wait("const done = arguments[0]; window.libtrace.ready.then(() => setTimeout(done, 100))")

    def shot(self, path, whole=False):
        """whole: all of the page, for which the frame gets as high as it."""
        height = min(20000, self.run("return document.documentElement.scrollHeight")) if whole else self.height
        self.call("WebDriver:SwitchToFrame", {"id": None})
        self.run("document.querySelector('iframe').height = arguments[0]", height)
        time.sleep(0.3)
        picture = self.call("WebDriver:TakeScreenshot", {"full": True})["value"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))
        self.run("document.querySelector('iframe').height = arguments[0]", self.height)
        self.call("WebDriver:SwitchToFrame", {"id": 0})

    def complaints(self):
        """Errors and warnings of pages since the last question, from the browser's own console."""
        self.call("Marionette:SetContext", {"value": "chrome"})
        found = self.run("""const found = Services.console.getMessageArray().filter(one => one instanceof Ci.nsIScriptError
            && one.sourceName.startsWith('file:')).map(one => one.errorMessage); Services.console.reset(); return found""")
        self.call("Marionette:SetContext", {"value": "content"})
        return found
