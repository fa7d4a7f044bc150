# SPDX-License-Identifier: MIT
"""Test-time augmentation: four views of each batch, one answer, which is brought back and drawn before the next batch is asked for."""
# truth: class=cpu cause=idle_sync rule=sync-tensor-to-host|sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=700us
import torch
from stamps import Stamps
from workload import compute, network


@torch.inference_mode()
def predict(model, image):
    views = [image, image.flip(2), image.flip(1), image.flip(1).flip(2)]
    total = 0
    for view in views:
        total = total + model(view.flatten(1)).softmax(1)
    return (total / len(views)).argmax(1)


def main():
    model = network(outputs=10).eval()
    images = [torch.rand(16, 4, 8).pin_memory() for _ in range(6)]
    drawn = []
    clock = Stamps()
    for step in range(60):
        image = images[step % 6].cuda(non_blocking=True)
        best = predict(model, image).cpu()  # truth: here
        compute(8)  # outlines are traced and drawn
        drawn.append(best.numpy().max())
        clock.step()
    clock.end()
    print(len(drawn))


main()
