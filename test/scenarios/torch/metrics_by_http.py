# SPDX-License-Identifier: MIT
"""Each step's metrics are posted to a tracking server over HTTP, and its answer is awaited."""
# truth: class=cpu cause=idle_blocked|idle_host rule=host-blocked steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=150us
import http.client
import http.server
import json
import os
import signal
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step


class Tracking(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(0.008)  # a database far away
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *words):
        pass


def main():
    server = http.server.HTTPServer(("127.0.0.1", 0), Tracking)
    child = os.fork()
    if child == 0:
        server.serve_forever()
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    connection = http.client.HTTPConnection(*server.server_address)
    clock = Stamps()
    for step in range(60):
        train_step(model, optimizer, x, y)
        clock.mark()
        connection.request("POST", "/log", json.dumps({"step": step}), {"Connection": "keep-alive"})
        connection.getresponse().read()  # truth: here
        clock.spent("idle_blocked")
        clock.step()
    clock.end()
    connection.close()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


main()
