# SPDX-License-Identifier: MIT
"""A detector goes through its images one by one: what is above a threshold comes to the host, is suppressed and matched there."""
# truth: class=cpu cause=idle_sync|idle_host steps=60
# truth: rule=sync-shape-dependent|sync-tensor-to-host|sync-scalar-read|sync-repeated-line|host-python
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=350us
import torch
from stamps import Stamps
from torch import nn
from workload import compute, network


def suppress_and_match(boxes, targets):
    """Non-maximum suppression and the matching of anchors in Python; the chosen boxes."""
    compute(4)  # truth: or here
    return list(range(min(len(boxes), len(targets)))) or [0]


def main():
    torch.manual_seed(0)
    model = network(outputs=5)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    anchors = torch.randn(4, 48, 32).cuda()
    targets = [torch.rand(2 + i, 4) for i in range(4)]
    clock = Stamps()
    for _ in range(60):
        outputs = model(anchors)
        loss = 0
        for image, wanted in zip(outputs, targets):
            found = (image[:, 4].detach() > -0.5).nonzero().squeeze(1)  # truth: or here
            boxes = image.detach()[found, :4].tolist()  # truth: or here
            clock.mark()
            chosen = suppress_and_match(boxes, wanted)  # truth: or here
            clock.spent("idle_host")
            chosen = torch.tensor(chosen, device="cuda")
            loss = loss + nn.functional.smooth_l1_loss(image[chosen, :4], wanted[:1].cuda().expand(len(chosen), 4))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        clock.step()
    clock.end()


main()
