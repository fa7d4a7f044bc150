"""A stream of shards from an object store that takes 25 ms for each; the model could do three times as many."""
# truth: class=io cause=idle_input|idle_host|idle_blocked rule=input-bound|host-blocked steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import http.server
import io
import os
import time
import urllib.request

import numpy as np
import torch
import torch.nn.functional as F

from stamps import Stamps


class Store(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.025)
        body = io.BytesIO()
        np.save(body, np.random.rand(32, 48).astype("float32"))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body.getvalue())))
        self.end_headers()
        self.wfile.write(body.getvalue())

    def log_message(self, *_):
        pass


def shards(url, count):
    for i in range(count):
        with urllib.request.urlopen(f"{url}/shard-{i:05d}.npy") as answer:  # truth: or here
            body = answer.read()  # truth: or here
        yield torch.from_numpy(np.load(io.BytesIO(body)))


server = http.server.HTTPServer(("127.0.0.1", 0), Store)
child = os.fork()
if child == 0:
    server.serve_forever()
url = f"http://127.0.0.1:{server.server_port}"
encoder = torch.nn.Linear(48, 16).cuda()
decoder = torch.nn.Linear(16, 48).cuda()
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
clock = Stamps()
for x in shards(url, 60):  # truth: or here
    clock.spent("idle_input")
    x = x.cuda()
    loss = F.mse_loss(decoder(F.gelu(encoder(x))), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    clock.step()
clock.end()
os.kill(child, 9)
os.waitpid(child, 0)
