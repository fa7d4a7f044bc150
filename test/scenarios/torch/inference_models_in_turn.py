# SPDX-License-Identifier: MIT
"""A server with two models: each request goes to the one or the other, and its answer is brought back."""
# truth: class=cpu cause=idle_sync rule=sync-tensor-to-host|sync-scalar-read steps=80|unsure
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=2ms
import torch
from stamps import Stamps
from workload import compute, network


@torch.inference_mode()
def answer(model, x):
    return model(x).softmax(1).argmax(1).tolist()  # truth: here


def main():
    models = [network(outputs=2).eval(), network(outputs=10).eval()]
    batches = [torch.randn(32, 32).cuda() for _ in range(4)]
    clock = Stamps()
    for number in range(80):
        found = answer(models[number * 7 % 5 % 2], batches[number % 4])
        compute(6)  # the answer is rendered
        assert len(found) == 32
        clock.step()
    clock.end()


main()
