# SPDX-License-Identifier: MIT
"""Training is sound; the test at the end has a slow loader, which is none of training's business."""
# truth: class=gpu cause=device_compute steps=60 ahead=yes
# truth: never=launch-bound|input-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=600us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import Images, network, regression, train_step


@torch.inference_mode()
def test(model):
    return sum(model(x.cuda()).mean().item() for x in DataLoader(Images(160, 0.002), batch_size=8))


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.step()
    clock.end()
    print(f"test {test(model):.3f}")


main()
