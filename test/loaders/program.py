# SPDX-License-Identifier: MIT
"""A loader of a known pace: program.py KIND WORKERS EPOCHS STEPS [persistent]; prints what its stop-watch says.
The environment's START is how workers are started: fork, spawn, forkserver; PREFETCH is the loader's prefetch_factor;
with PIN batches are pinned. Of a loader with workers it also counts, before each batch, how many lie ready and are asked for.

KIND is what a batch costs: wait:MS (time that passes), cpu:MS, decode:MS (cpu at one line, 4 ms pass besides),
copied:MB (of so many for a GPU, whose step sets the pace then), ahead:MS (time; for a GPU whose results nobody waits for), files:COUNT (so many files of FOLDER, the environment's), streams:COUNT (the same by C's fread()), first:MS (only the first batch of a worker), uneven:MS (each 20th batch, the others hardly anything), thread:MS (made by a thread that puts it into a queue),
queue:MS (made by processes of the program's own, as many as WORKERS). A step waits STEP_MS."""
import ctypes
import json
import multiprocessing
import os
import queue
import sys
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset

STEP_S = float(os.environ.get("STEP_MS", "20")) / 1000
WARM = 10


def read_stream(path):
    """As decoders do that are written in C."""
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    stream, buffer = ctypes.c_void_p(libc.fopen(path.encode(), b"rb")), ctypes.create_string_buffer(100000)
    libc.fread(buffer, ctypes.c_size_t(1), ctypes.c_size_t(len(buffer)), stream)
    libc.fclose(stream)


class Batches(Dataset):
    def __init__(self, kind, amount, count):
        self.kind, self.amount, self.count, self.fresh = kind, amount, count, True

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.kind in ("wait", "ahead") or (self.kind == "first" and self.fresh) or (self.kind == "uneven" and index % 20 == 10):
            time.sleep(self.amount / 1000)
        elif self.kind in ("cpu", "decode"):
            end = time.thread_time() + self.amount / 1000
            while time.thread_time() < end:
                sum(range(5000))
            time.sleep(0.004 if self.kind == "decode" else 0)
        elif self.kind == "files":
            for number in range(int(self.amount)):
                with open(os.path.join(os.environ["FOLDER"], str(number)), "rb", buffering=0) as file:
                    file.read(100000)
        elif self.kind == "streams":
            for number in range(int(self.amount)):
                read_stream(os.path.join(os.environ["FOLDER"], str(number)))
        self.fresh = False
        size = int(self.amount * 250000) if self.kind == "copied" else 64
        return torch.full((size,), index / 100), torch.tensor([1.0])


class Watched:
    """Batches of a loader with workers, and what its queues hold before each: (ready, asked for)."""

    def __init__(self, batches, seen):
        self.batches, self.seen = iter(batches), seen

    def __iter__(self):
        return self

    def __next__(self):
        loader = self.batches
        queues = {id(queue): queue for queue in (loader._worker_result_queue, loader._data_queue)}
        stored = sum(len(info) == 2 for info in loader._task_info.values())
        seen = (sum(queue.qsize() for queue in queues.values()) + stored, loader._send_idx - loader._rcvd_idx)
        batch = next(self.batches)
        self.seen.append(seen)
        return batch


def by_thread(batches):
    ready = queue.Queue(2)

    def fill():
        for index in range(len(batches)):
            time.sleep(batches.amount / 1000)
            ready.put((torch.full((1, 64), index / 100), torch.tensor([[1.0]])))
        ready.put(None)

    threading.Thread(target=fill, daemon=True).start()
    return iter(ready.get, None)


def fill(ready, amount, indices):
    for index in indices:
        time.sleep(amount / 1000)
        ready.put(float(torch.full((64,), index / 100).sum()))


def by_processes(batches, workers):
    ready = multiprocessing.Queue(2 * workers)
    for number in range(workers):
        indices = range(number, len(batches), workers)
        multiprocessing.Process(target=fill, args=(ready, batches.amount, indices), daemon=True).start()
    for _ in range(len(batches)):
        yield torch.full((1, 64), ready.get() / 64), torch.tensor([[1.0]])


def main(what, workers, epochs, steps, *persistent):
    kind, amount = what.split(":")
    batches = Batches(kind, float(amount), int(steps))
    device, pin = "cuda" if kind in ("copied", "ahead") else "cpu", "PIN" in os.environ
    network = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Linear(64, 1)).to(device)
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-4)
    own = {"thread": lambda: by_thread(batches), "queue": lambda: by_processes(batches, int(workers))}.get(kind)
    loader = None if own else DataLoader(
        batches, batch_size=1, pin_memory=pin, num_workers=int(workers), persistent_workers=bool(persistent),
        multiprocessing_context=os.environ.get("START"), prefetch_factor=int(os.environ.get("PREFETCH", "2")) if int(workers) else None)
    seen = []
    done, begin, waited, last = 0, 0, 0, 0
    for _ in range(int(epochs)):
        last = time.perf_counter()
        for x, y in own() if own else Watched(loader, seen) if int(workers) else loader:
            waited += time.perf_counter() - last if done >= WARM else 0
            x = x.to(device, non_blocking=pin)
            loss = ((network(x[:, :64]) - y.to(device, non_blocking=pin)) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            if device == "cpu":
                time.sleep(STEP_S)
            optimizer.step()
            if kind == "copied":
                loss.item()
            done += 1
            last = time.perf_counter()
            begin = last if done == WARM else begin
    if device == "cuda":
        torch.cuda.synchronize()
        last = time.perf_counter()
    whole = last - begin
    queues = {"asks": len(seen), "ready_mean": sum(ready for ready, _ in seen) / len(seen), "most_ahead": max(ahead for _, ahead in seen),
              "none_ready_pct": 100 * sum(ready == 0 for ready, _ in seen) / len(seen)} if seen else {}
    print(json.dumps({"steps": done, "step_ms": 1000 * whole / (done - WARM), "reader_pct": 100 * waited / whole, **queues}))


torch.set_num_threads(1)
if __name__ == "__main__":
    main(*sys.argv[1:])
