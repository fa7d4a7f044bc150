# SPDX-License-Identifier: MIT
"""A thread that computes statistics in plain Python takes the interpreter away from the loop that launches."""
# truth: class=cpu cause=idle_gil|idle_host rule=host-gil steps=20
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=100us
import threading

import torch
from stamps import Stamps
from workload import compute, network, regression, train_step

stopped = threading.Event()


def count_words():
    while not stopped.is_set():
        compute(20)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    train_step(model, optimizer, x, y)
    torch.cuda.synchronize()
    clock.step()
    counter = threading.Thread(target=count_words)
    counter.start()
    for _ in range(19):
        loss = torch.nn.functional.mse_loss(model(x), y)  # truth: or here
        optimizer.zero_grad()  # truth: or here
        loss.backward()  # truth: or here
        optimizer.step()  # truth: or here
        clock.step()
    clock.end()
    stopped.set()
    counter.join()


main()
