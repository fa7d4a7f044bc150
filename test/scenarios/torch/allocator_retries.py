# SPDX-License-Identifier: MIT
"""Little memory and lengths that change: the allocator gives its cache back and asks anew in most steps."""
# truth: class=cpu cause=idle_sync|idle_alloc rule=alloc-churn steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=700us CUDASIM_MEMORY=128MiB
import torch
from stamps import Stamps
from workload import compute, network, train_step

LENGTHS = (28, 52, 76)


def main():
    torch.cuda.memory._set_allocator_settings("max_split_size_mb:20")  # as the error message advises
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(64, 32).cuda()
    y = x.sum(1, keepdim=True)
    clock = Stamps()
    for step in range(60):
        activations = torch.empty(LENGTHS[step % len(LENGTHS)] << 20, dtype=torch.uint8, device="cuda")  # truth: here
        train_step(model, optimizer, x, y)
        compute(3)  # the next sentence is tokenised
        del activations
        clock.step()
    clock.end()


main()
