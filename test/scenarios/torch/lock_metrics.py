# SPDX-License-Identifier: MIT
"""An exporter thread holds the metrics' lock while it sends them; the training loop waits for the lock."""
# truth: class=cpu cause=idle_host|idle_blocked rule=host-blocked steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=150us
import threading
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step

lock, metrics, stopped = threading.Lock(), {"steps": 0}, threading.Event()


def export():
    while not stopped.is_set():
        with lock:
            dict(metrics)
            time.sleep(0.008)  # sending
        time.sleep(0.0005)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    exporter = threading.Thread(target=export)
    exporter.start()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.mark()
        with lock:  # truth: here
            clock.spent("idle_host")
            metrics["steps"] += 1
        clock.step()
    clock.end()
    stopped.set()
    exporter.join()


main()
