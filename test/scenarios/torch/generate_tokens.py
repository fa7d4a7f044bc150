# SPDX-License-Identifier: MIT
"""Text is generated token by token; whether the sentence has ended is asked of the device after each."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read|sync-repeated-line steps=any
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=200us
import torch
from stamps import Stamps
from torch import nn
from workload import compute


@torch.inference_mode()
def generate(model, prompt, most):
    tokens = prompt
    for _ in range(most):
        logits = model(tokens[:, -8:].flatten(1).float())
        following = logits.softmax(1).multinomial(1)
        tokens = torch.cat([tokens, following], dim=1)
        if following.item() == 0:  # truth: here
            continue  # kept going, so that each sentence is as long
        compute(1.5)  # detokenise and stream
    return tokens


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 50)).cuda().eval()
    clock = Stamps()
    for _ in range(30):
        prompt = torch.randint(1, 50, (1, 8), device="cuda")
        generate(model, prompt, 16)
        clock.step()
    clock.end()


main()
