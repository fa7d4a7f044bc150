# SPDX-License-Identifier: MIT
"""One line for each way in which people wait for the GPU, and for others that look alike and do not wait."""
# truth: steps=any places=102
import copy
import warnings

import numpy
import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore", category=UserWarning, message="(?!called a synchronizing)")


class Objects:
    """What the idioms work on."""

    def __init__(self):
        torch.manual_seed(0)
        self.one = torch.ones(1).cuda()
        self.loss = torch.full((), 0.5).cuda()
        self.row = torch.arange(1.0, 9.0).cuda()
        self.table = torch.randn(8, 8).cuda()
        self.ids = torch.tensor([0, 1, 1, 2, 3, 3, 3, 4]).cuda()
        self.sizes = torch.tensor([3, 5]).cuda()
        self.mask = (torch.arange(8) % 2 == 0).cuda()
        self.flag = torch.tensor(True).cuda()
        self.host = torch.randn(8, 8)
        self.pinned = torch.randn(8, 8).pin_memory()
        self.pinned_row = torch.arange(8.0).pin_memory()
        self.images = torch.randn(2, 3, 8, 8).cuda()
        self.model = nn.Linear(8, 8).cuda()
        self.model(self.table).sum().backward()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.scaler = torch.amp.GradScaler("cuda")
        self.stream = torch.cuda.Stream()
        self.event = torch.cuda.Event()
        self.loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
        self.pinning = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4, pin_memory=True)


def assert_finite(x):
    assert torch.isfinite(x).all()


def branch(x):
    return 1 if x > 0 else 2


def scaled_step(o):
    o.scaler.scale(o.model(o.table).sum()).backward()
    o.scaler.step(o.optimizer)


def both(first, second):
    return first, second


IDIOMS = [
    lambda o: o.loss.item(),
    lambda o: o.one.item(),
    lambda o: float(o.loss),
    lambda o: int(o.loss),
    lambda o: bool(o.flag),
    lambda o: complex(o.loss),
    lambda o: f"{o.loss:.4f}",
    lambda o: str(o.loss),
    lambda o: repr(o.row),
    lambda o: f"{o.loss.item():.3f} {o.one.item():.3f}",
    lambda o: f"{o.table}",
    lambda o: assert_finite(o.table),
    lambda o: branch(o.loss),
    lambda o: 1 if o.flag else 0,
    lambda o: not o.flag,
    lambda o: o.loss and 1,
    lambda o: o.loss > 0 or 1,
    lambda o: any(o.mask),
    lambda o: all(o.mask),
    lambda o: max(o.row),
    lambda o: sorted(o.row),
    lambda o: 1.0 in o.row,
    lambda o: range(o.ids.max()),
    lambda o: [1, 2, 3][o.ids[1]],
    lambda o: round(o.loss.item(), 2),
    lambda o: min(0.1, o.loss),
    lambda o: o.row.tolist(),
    lambda o: o.loss.tolist(),
    lambda o: o.row.cpu(),
    lambda o: o.row.to("cpu"),
    lambda o: o.row.detach().cpu().numpy(),
    lambda o: numpy.asarray(o.row.cpu()),
    lambda o: o.row.cpu().mean().item(),
    lambda o: o.row.to("cpu", torch.float64),
    lambda o: torch.empty(8).copy_(o.row),
    lambda o: o.pinned_row.copy_(o.row),
    lambda o: o.host.cuda(),
    lambda o: o.host.to("cuda"),
    lambda o: o.pinned.cuda(),
    lambda o: torch.tensor([1.0, 2.0]).cuda(),
    lambda o: torch.tensor([1.0, 2.0], device="cuda"),
    lambda o: torch.tensor(3.0, device="cuda"),
    lambda o: torch.as_tensor([1, 2, 3], device="cuda"),
    lambda o: torch.from_numpy(numpy.ones(4)).cuda(),
    lambda o: torch.ones(4).to(o.row),
    lambda o: o.row.new_tensor([1.0, 2.0]),
    lambda o: torch.cuda.FloatTensor([1.0, 2.0]),
    lambda o: copy.deepcopy(o.model).cpu(),
    lambda o: {name: value.cpu() for name, value in o.model.state_dict().items()},
    lambda o: o.row.nonzero(),
    lambda o: torch.nonzero(o.mask, as_tuple=True),
    lambda o: torch.argwhere(o.mask),
    lambda o: torch.where(o.mask),
    lambda o: o.row[o.mask],
    lambda o: o.table[o.mask].sum(),
    lambda o: torch.masked_select(o.row, o.mask),
    lambda o: o.row[~o.mask].mean(),
    lambda o: o.row.index_put((o.mask,), o.one),
    lambda o: o.row.clone().__setitem__(o.mask, o.row[:4]),
    lambda o: torch.unique(o.ids),
    lambda o: o.ids.unique(return_counts=True),
    lambda o: torch.unique_consecutive(o.ids),
    lambda o: torch.bincount(o.ids),
    lambda o: torch.repeat_interleave(o.ids),
    lambda o: torch.allclose(o.row, o.row),
    lambda o: o.row.equal(o.row + 1),
    lambda o: torch.is_nonzero(o.loss),
    lambda o: nn.utils.clip_grad_norm_(o.model.parameters(), 1.0, error_if_nonfinite=True),
    lambda o: nn.utils.clip_grad_norm_(o.model.parameters(), 1.0).item(),
    lambda o: scaled_step(o),
    lambda o: functional.one_hot(o.ids),
    lambda o: torch.histc(o.row, 4).tolist(),
    lambda o: o.row.fill_(o.loss.item()),
    lambda o: torch.linspace(0, o.loss.item(), 4, device="cuda"),
    lambda o: torch.arange(int(o.ids.max()), device="cuda"),
    lambda o: torch.zeros(int(o.ids[-1]), device="cuda"),
    lambda o: o.row[: o.ids[3]],
    lambda o: o.row[int(o.ids[2])],
    lambda o: torch.split(o.row, o.sizes.tolist()),
    lambda o: (o.ids == 3).sum().item(),
    lambda o: (o.table.argmax(1) == o.ids).float().mean().item(),
    lambda o: torch.isnan(o.loss).any().item(),
    lambda o: torch.isinf(o.table).any() or o.flag,
    lambda o: [batch.to("cuda").sum().item() for batch, in o.loader],
    lambda o: [batch.cuda() for batch, in o.loader],
    lambda o: sum(loss.item() for loss in (o.loss, o.one)),
    lambda o: [value.item() for value in o.row],
    lambda o: {"loss": o.loss.item(), "max": o.row.max().item()},
    lambda o: o.row.detach().cpu().clone().tolist(),
    lambda o: hash(o.row.sum().item()),
    lambda o: o.row.pin_memory if o.flag else None,
    lambda o: torch.cuda.current_stream().synchronize() or o.loss.item(),
    # from here on nothing waits
    lambda o: torch.equal(o.row, o.row),
    lambda o: torch.combinations(o.row),
    lambda o: o.host.sum().item(),
    lambda o: float(o.host[0, 0]),
    lambda o: o.host.tolist(),
    lambda o: o.host.nonzero(),
    lambda o: torch.unique(o.host),
    lambda o: o.host.numpy(),
    lambda o: str(o.host),
    lambda o: o.pinned.cuda(non_blocking=True),
    lambda o: o.pinned.to("cuda", non_blocking=True),
    lambda o: o.pinned_row.copy_(o.row, non_blocking=True),
    lambda o: o.row.to("cpu", non_blocking=True),
    lambda o: o.host.cuda(non_blocking=True),
    lambda o: [batch.cuda(non_blocking=True) for batch, in o.pinning],
    lambda o: o.row.shape[0] + o.row.numel(),
    lambda o: len(o.row),
    lambda o: o.row.is_cuda and o.row.dim(),
    lambda o: o.row.detach(),
    lambda o: o.loss.mul_(0.9),
    lambda o: o.row.clone().add_(o.loss),
    lambda o: o.row.max(),
    lambda o: o.row.sum() / len(o.row),
    lambda o: torch.where(o.mask, o.row, -o.row),
    lambda o: o.row.masked_fill(o.mask, 0.0),
    lambda o: o.row * o.mask,
    lambda o: o.row[o.ids],
    lambda o: o.table.gather(1, o.ids[:, None]),
    lambda o: o.row.index_add(0, o.ids, o.row),
    lambda o: o.row.repeat_interleave(2),
    lambda o: functional.one_hot(o.ids, 8),
    lambda o: torch.isfinite(o.table).all(),
    lambda o: torch.full((4,), 2.0, device="cuda"),
    lambda o: torch.zeros(4, device="cuda"),
    lambda o: torch.arange(8, device="cuda"),
    lambda o: nn.utils.clip_grad_norm_(o.model.parameters(), 1.0),
    lambda o: o.optimizer.step(),
    lambda o: o.optimizer.zero_grad(),
    lambda o: functional.cross_entropy(o.table, o.ids),
    lambda o: functional.dropout(o.table, 0.5),
    lambda o: o.table.topk(2),
    lambda o: o.row.sort(),
    lambda o: both(o.table.mean(), o.table.std()),
    lambda o: o.stream.wait_stream(torch.cuda.current_stream()),
    lambda o: o.event.record(),
    lambda o: o.table.to(torch.float16),
    lambda o: copy.copy(o.loss),
    lambda o: torch.stack([o.loss, o.loss]).mean(),
]


def main():
    objects = Objects()
    for idiom in IDIOMS:
        idiom(objects)
    print(len(IDIOMS), "idioms")


main()
