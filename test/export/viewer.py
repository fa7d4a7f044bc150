# SPDX-License-Identifier: MIT
"""Exported time lines in Perfetto's own page, in headless Chromium: they open without an error of the import, no
slice is dropped, and there are as many arrows as were written.
usage: viewer.py FOLDER-OF-THE-VIEWER FOLDER-FOR-PICTURES NAME=FORMAT=FILE=[SLICES,ARROWS]..."""
import functools
import http.server
import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "page"))
import browser  # pylint: disable=wrong-import-position

QUERY = """const [sql, done] = arguments;
window.app.trace.engine.query(sql).then(result => {
    const rows = [];
    for (const it = result.iter({}); it.valid(); it.next()) rows.push(result.columns().map(name => String(it.get(name))));
    done(rows);
}, error => done(String(error)));"""
SLICES = "select count(*) as n from slice where category is not 'lost'"
ARROWS = "select count(*) as n from flow"
ERRORS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"


class Server(http.server.ThreadingHTTPServer):
    """The viewer's files, and one trace at a time as /trace."""

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.trace = None
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        return self.server.trace if path.split("?")[0] == "/trace" else super().translate_path(path)

    def log_message(self, *_):
        pass


def load(window, server, trace, number):
    """Open a trace in the viewer; what it says when it could not. None: it is there."""
    server.trace = trace
    window.call("POST", window.session + "/url", {"url": "about:blank"})
    address = f"http://127.0.0.1:{server.server_port}"
    window.call("POST", window.session + "/url", {"url": f"{address}/?again={number}#!/?url={address}/trace"})
    for _ in range(240):
        if window.run("return Boolean(window.app && window.app.trace && window.app.trace.engine)"):
            # it goes on reading after it has shown the page
            if not window.run("return Boolean(window.app.isLoadingTrace)"):
                return None
        time.sleep(0.5)
    return window.run("return document.body.innerText.slice(0, 300)")


def main():
    folder, shots, *traces = sys.argv[1:]
    passed = failed = 0
    server = Server(folder)
    os.makedirs(shots, exist_ok=True)
    with browser.Browser(1400, 1000) as window:
        for number, (name, form, file, written) in enumerate(one.split("=", 3) for one in traces):
            trouble = load(window, server, file, number)
            seen = said = None
            if trouble is None:
                seen = [int(window.wait(QUERY, sql)[0][0]) for sql in (SLICES, ARROWS)]
                trouble = window.wait(QUERY, ERRORS)
                said = window.run("return document.body.innerText.match(/import error|Import errors?:? *[1-9][0-9]*|data loss/i)")
                time.sleep(1)
                window.shot(f"{shots}/{name}-{form}.png")
            good = seen == json.loads(written) and trouble == [] and said is None
            passed += good
            failed += not good
            print("ok" if good else "FAIL", name, form, "slices and arrows written", written, "seen", seen, trouble or "", said or "")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
