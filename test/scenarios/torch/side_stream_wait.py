# SPDX-License-Identifier: MIT
"""A value is fetched on a side stream, for which the host waits in each step; what follows idles the device."""
# truth: class=cpu cause=idle_sync|idle_host rule=sync-explicit|host-python steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    side = torch.cuda.Stream()
    host = torch.empty(1).pin_memory()
    clock = Stamps()
    for _ in range(60):
        loss = train_step(model, optimizer, x, y).detach()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            host.copy_(loss.view(1), non_blocking=True)
        side.synchronize()  # truth: or here
        compute(6)  # truth: or here
        clock.step()
    clock.end()


if __name__ == "__main__":
    main()
