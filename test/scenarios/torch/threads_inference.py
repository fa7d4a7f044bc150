# SPDX-License-Identifier: MIT
"""A server: three threads of a pool each run the model and bring the answer back; together they fill the device."""
# truth: class=gpu|mixed cause=device_compute|idle_sync steps=unsure
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=1ms
from concurrent.futures import ThreadPoolExecutor

import torch
from stamps import Stamps
from workload import network


@torch.inference_mode()
def answer(model, request):
    return model(request.cuda(non_blocking=True)).softmax(1).argmax(1).cpu().tolist()


def main():
    model = network(outputs=4).eval()
    requests = [torch.randn(8, 32) for _ in range(120)]
    clock = Stamps()
    with ThreadPoolExecutor(max_workers=3) as pool:
        for found in pool.map(lambda request: answer(model, request), requests):
            assert len(found) == 8
            clock.step()
    clock.end()


main()
