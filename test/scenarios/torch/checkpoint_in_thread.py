# SPDX-License-Identifier: MIT
"""Weights are copied on the device and written to disk by a thread every twenty steps; training goes on."""
# truth: class=gpu cause=device_compute steps=80
# truth: never=launch-bound|input-bound|sync-tensor-to-host|host-blocked|host-gil
# cudasim: CUDASIM_KERNELS=*=700us
import os
import tempfile
import threading

import torch
from stamps import Stamps
from workload import network, regression, train_step


class Saver:
    def __init__(self, folder):
        self.folder, self.thread = folder, None

    def write(self, weights, number):
        path = os.path.join(self.folder, f"step{number}.pt")
        torch.save({name: tensor.cpu() for name, tensor in weights.items()}, path + ".part")
        os.replace(path + ".part", path)

    def save(self, model, number):
        if self.thread:
            self.thread.join()
        weights = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
        self.thread = threading.Thread(target=self.write, args=(weights, number))
        self.thread.start()


def main():
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = regression()
    with tempfile.TemporaryDirectory() as folder:
        saver = Saver(folder)
        clock = Stamps()
        for step in range(80):
            train_step(model, optimizer, x, y)
            if step % 4 == 3:
                torch.cuda.synchronize()  # never further ahead than that
            if step % 20 == 19:
                saver.save(model, step)
            clock.step()
        clock.end()
        saver.thread.join()


main()
