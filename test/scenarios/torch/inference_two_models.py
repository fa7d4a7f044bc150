# SPDX-License-Identifier: MIT
"""Inference with two models: one finds candidates, their number is read, and another looks at each batch of them."""
# truth: class=cpu cause=idle_sync rule=sync-tensor-to-host|sync-scalar-read|sync-shape-dependent steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=1500us
import torch
from stamps import Stamps
from workload import compute, network


@torch.inference_mode()
def find(detector, classifier, images, clock):
    names = []
    for x in images:
        scores = detector(x).sigmoid()
        best = scores.argmax(1).cpu()  # truth: or here
        compute(3)  # the candidates are cut out
        labels = classifier(x[: 16 + len(best) % 2])
        names.append(labels.argmax(1).tolist())  # truth: or here
        compute(3)
        clock.step()
    return names


def main():
    detector, classifier = network(outputs=2).eval(), network(outputs=10).eval()
    images = [torch.randn(32, 32).cuda() for _ in range(4)] * 15
    clock = Stamps()
    print(len(find(detector, classifier, images, clock)))
    clock.end()


main()
