# SPDX-License-Identifier: MIT
"""A metric in the manner of torchmetrics: state on the device, compute() once an epoch, but update() checks its arguments and so reads them back."""
# truth: class=cpu|mixed cause=idle_host|idle_sync rule=sync-shape-dependent steps=60
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=150us
import torch
import torch.nn.functional as F
from torch import nn
from stamps import Stamps

class Metric(nn.Module):
    def __init__(self, num_classes, validate_args=True):
        super().__init__()
        self.num_classes, self.validate_args = num_classes, validate_args
        self.register_buffer("confusion", torch.zeros(num_classes, num_classes, dtype=torch.long))

    def _validate(self, preds, target):
        if preds.shape[0] != target.shape[0]:
            raise ValueError("shapes differ")
        unique_values = torch.unique(target)  # truth: here
        if len(unique_values) > self.num_classes:
            raise RuntimeError("more classes than expected")

    def update(self, preds, target):
        if self.validate_args:
            self._validate(preds, target)
        index = target * self.num_classes + preds.argmax(1)
        self.confusion += torch.bincount(index, minlength=self.num_classes ** 2).reshape(self.num_classes, -1)

    def compute(self):
        return self.confusion.diag().sum() / self.confusion.sum()

    def reset(self):
        self.confusion.zero_()

WORDS = [f"word{i}" for i in range(500)]
VOCAB = {word: i for i, word in enumerate(WORDS)}
def encode(row):
    text = " ".join(WORDS[(row * 37 + k * k) % 500] for k in range(120))
    return [VOCAB[word] for word in text.split()]

model = nn.Sequential(nn.EmbeddingBag(500, 32), nn.ReLU(), nn.Linear(32, 6)).cuda()
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
metric = Metric(6).cuda()
clock = Stamps()
for epoch in range(4):
    metric.reset()
    for i in range(15):
        rows = [encode(i * 64 + k) for k in range(64)]
        x, y = torch.tensor(rows), torch.tensor([row[0] % 6 for row in rows])
        clock.spent("idle_host")
        x, y = x.pin_memory().cuda(non_blocking=True), y.pin_memory().cuda(non_blocking=True)
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        metric.update(logits.detach(), y)
        clock.step()
    print(f"epoch {epoch} accuracy {metric.compute().item():.3f}")
clock.end()
