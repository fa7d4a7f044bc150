# SPDX-License-Identifier: MIT
"""Preference tuning (DPO) against a frozen reference model: the rewards of each batch are read for the log, one by one, and
only then are the next pairs tokenised and padded."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read|sync-repeated-line steps=60
# truth: never=launch-bound|input-bound|gpu-bound
# cudasim: CUDASIM_KERNELS=*=400us
import copy

import torch
from stamps import Stamps
from torch import nn
from workload import compute


class Policy(nn.Module):
    def __init__(self, words=50, size=32):
        super().__init__()
        self.embed = nn.Embedding(words, size)
        self.body = nn.Sequential(nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, words))

    def forward(self, tokens):
        return self.body(self.embed(tokens))


def log_probabilities(model, tokens):
    """Chosen and rejected answers go through the model together, chosen first."""
    each = model(tokens[:, :-1]).log_softmax(-1).gather(2, tokens[:, 1:].unsqueeze(2)).squeeze(2).sum(1)
    return each.chunk(2)


def tokenise(rng, pairs=8, length=12):
    compute(10)  # templates, tokens, padding
    return torch.randint(0, 50, (2 * pairs, length), generator=rng)


def metrics_of(chosen, rejected):
    return {
        "rewards/chosen": chosen.mean().item(),  # truth: or here
        "rewards/rejected": rejected.mean().item(),  # truth: or here
        "rewards/accuracy": (chosen > rejected).float().mean().item(),  # truth: or here
        "rewards/margin": (chosen - rejected).mean().item(),  # truth: or here
    }


def main():
    torch.manual_seed(0)
    rng = torch.Generator().manual_seed(1)
    policy = Policy().cuda()
    reference = copy.deepcopy(policy).eval().requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    beta, history = 0.1, []
    clock = Stamps()
    for _ in range(60):
        tokens = tokenise(rng).cuda()
        with torch.no_grad():
            reference_chosen, reference_rejected = log_probabilities(reference, tokens)
        chosen, rejected = log_probabilities(policy, tokens)
        chosen_reward = beta * (chosen - reference_chosen)
        rejected_reward = beta * (rejected - reference_rejected)
        loss = -nn.functional.logsigmoid(chosen_reward - rejected_reward).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(metrics_of(chosen_reward.detach(), rejected_reward.detach()))
        clock.step()
    clock.end()


main()
