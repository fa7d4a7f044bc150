# SPDX-License-Identifier: MIT
"""Ten ways to make the host wait for the device, each on its own line, among lines that do not."""
import torch
from torch import nn

STEPS = 20


def main():
    torch.manual_seed(0)
    model = nn.Linear(8, 4).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    host = torch.randn(16, 8).pin_memory()
    for step in range(STEPS):
        x = host.to("cuda", non_blocking=True)  # nosync
        y = model(x)  # nosync
        loss = y.pow(2).mean()  # nosync
        optimizer.zero_grad(set_to_none=True)  # nosync
        loss.backward()  # nosync
        optimizer.step()  # nosync
        t = loss.detach()  # nosync
        a = t.item()  # sync
        b = float(t)  # sync
        c = bool(t)  # sync
        if t > 0:  # sync
            size = y.shape[0]  # nosync
        print(t)  # sync
        d = y.cpu()  # sync
        z = (y.detach() * 2).relu()  # nosync
        e = z.cpu().numpy()  # sync
        f = t.tolist()  # sync
        scratch = torch.zeros(4, device="cuda")  # nosync
        scratch += 1  # nosync
        torch.cuda.synchronize()  # sync
        g = torch.nonzero(scratch)  # sync
        mean = z.mean()  # nosync
    print(f"{a:.4f} {b:.4f} {c} {size} {d.shape} {e.shape} {f:.4f} {g.shape} {mean.item():.4f}")


main()
