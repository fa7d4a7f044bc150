# SPDX-License-Identifier: MIT
"""Batch inference: no optimiser, no loader, and predictions that are brought back batch by batch."""
# truth: class=cpu cause=idle_sync rule=sync-tensor-to-host|sync-scalar-read steps=80
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=2ms
import torch
from stamps import Stamps
from workload import compute, network


@torch.inference_mode()
def predict(model, batches, clock):
    names = []
    for x in batches:
        logits = model(x)
        best = logits.softmax(1).argmax(1).cpu()  # truth: here
        names += [f"class {i}" for i in best.tolist()]
        compute(5)  # the answer is rendered
        clock.step()
    return names


def main():
    model = network(outputs=10).eval()
    batches = [torch.randn(32, 32).cuda() for _ in range(4)] * 20
    clock = Stamps()
    print(len(predict(model, batches, clock)))
    clock.end()


main()
