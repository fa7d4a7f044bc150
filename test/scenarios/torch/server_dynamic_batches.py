"""An inference server with dynamic batching: clients ask seldom, so it waits for requests most of the time."""
# truth: class=cpu|io cause=idle_host|idle_input|idle_blocked rule=host-blocked|input-bound steps=any
# truth: never=launch-bound|gpu-bound|sync-tensor-to-host|host-python
# cudasim: CUDASIM_KERNELS=*=150us
import queue
import threading
import time

import torch
from torch import nn

from stamps import Stamps


class Server:
    def __init__(self, model, most=8, patience=0.01):
        self.model, self.most, self.patience = model.eval(), most, patience
        self.requests = queue.Queue()

    def ask(self, x):
        answer = queue.Queue(1)
        self.requests.put((x, answer))
        return answer.get()

    def gather(self):
        batch = [self.requests.get()]  # truth: or here
        until = time.monotonic() + self.patience
        while len(batch) < self.most:
            left = until - time.monotonic()
            if left <= 0:
                break
            try:
                batch.append(self.requests.get(timeout=left))  # truth: or here
            except queue.Empty:
                break
        return batch

    @torch.inference_mode()
    def serve(self, count, clock):
        while count > 0:
            batch = self.gather()
            clock.spent("idle_host")
            rows = torch.zeros(self.most, 30)  # of one size, so that every batch runs the same kernels
            rows[:len(batch)] = torch.stack([x for x, _ in batch])
            out = self.model(rows.cuda()).softmax(1).cpu()
            for (_, answer), row in zip(batch, out):
                answer.put(row)
            count -= len(batch)
            clock.step()


def client(server, count):
    for _ in range(count):
        time.sleep(0.02)
        server.ask(torch.rand(30))


server = Server(nn.Sequential(nn.Linear(30, 60), nn.ReLU(), nn.Linear(60, 60), nn.ReLU(), nn.Linear(60, 5)).cuda())
clients = [threading.Thread(target=client, args=(server, 60)) for _ in range(3)]
server.model(torch.rand(server.most, 30).cuda())
clock = Stamps()
for thread in clients:
    thread.start()
server.serve(180, clock)
clock.end()
for thread in clients:
    thread.join()
