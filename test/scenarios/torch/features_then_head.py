# SPDX-License-Identifier: MIT
"""Transfer learning: a frozen network embeds the data set once, batch by batch; then a head is trained on what it made."""
# truth: class=gpu cause=device_compute steps=120 ahead=any
# truth: never=launch-bound|input-bound|sync-tensor-to-host
# cudasim: CUDASIM_KERNELS=*=200us
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from stamps import Stamps

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(48, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 32)).cuda().eval()
for p in backbone.parameters():
    p.requires_grad_(False)
raw = TensorDataset(torch.randn(960, 48), torch.randint(0, 5, (960,)))

def extract(dataset):
    features, labels = [], []
    with torch.inference_mode():
        for x, y in DataLoader(dataset, batch_size=32):
            features.append(backbone(x.cuda()).cpu())
            labels.append(y)
    return torch.cat(features), torch.cat(labels)

features, labels = extract(raw)
features, labels = features.clone().cuda(), labels.cuda()
head = nn.Sequential(nn.Dropout(0.2), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 5)).cuda()
optimizer = torch.optim.AdamW(head.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=120)
history = []
clock = Stamps()
for epoch in range(4):
    order = torch.randperm(len(labels)).cuda()
    losses = []
    for pick in order.split(32):
        loss = nn.functional.cross_entropy(head(features[pick]), labels[pick])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.detach())
        clock.step()
    history.append(torch.stack(losses).mean().item())
    print(f"epoch {epoch}: {history[-1]:.4f}")
clock.end()
