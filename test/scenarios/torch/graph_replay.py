# SPDX-License-Identifier: MIT
"""A step that was captured once and is replayed: the device is busy, the host has nothing to do."""
# truth: class=gpu cause=device_compute steps=80
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from workload import capture_step, compute, network, regression


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    graph, loss = capture_step(model, optimizer, x, y)
    clock = Stamps()
    for step in range(80):
        x.add_(0.001)
        graph.replay()
        if step % 20 == 19:
            compute(0.2)
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
