# SPDX-License-Identifier: MIT
"""Attention and what is around it: every way that PyTorch has, values and gradients as on the CPU."""
import sys

import simlog
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def tensors(*shapes, dtype=torch.float32):
    gen = torch.Generator().manual_seed(len(shapes))
    return [torch.randn(shape, generator=gen).to(dtype) for shape in shapes]


def attend(device, given, dtype, **settings):
    """Output and gradients, all on the CPU in float."""
    leaves = [t.to(device, dtype).detach().requires_grad_() for t in given]
    q, k, v = leaves[:3]
    y = F.scaled_dot_product_attention(q, k, v, *leaves[3:], **settings)
    (y.float() * torch.arange(y.numel(), device=device).view_as(y).cos()).sum().backward()
    return [t.detach().float().cpu() for t in (y, *(leaf.grad for leaf in leaves))]


def compare(backend, given, dtype=torch.float32, limit=1e-5, **settings):
    here = attend("cpu", given, torch.float32, **settings)
    with sdpa_kernel(backend):
        there = attend("cuda", given, dtype, **settings)
    for a, b in zip(here, there, strict=True):
        worst = (a - b).abs().max().item()
        assert worst < limit, f"off by {worst}"


SHAPES = ((2, 3, 5, 16), (2, 3, 7, 16), (2, 3, 7, 8))
SQUARE = ((2, 2, 40, 16),) * 3


@check
def by_products_and_softmax():
    compare(SDPBackend.MATH, tensors(*SHAPES))
    compare(SDPBackend.MATH, tensors(*SQUARE), is_causal=True)


@check
def memory_efficient():
    compare(SDPBackend.EFFICIENT_ATTENTION, tensors(*SHAPES))
    compare(SDPBackend.EFFICIENT_ATTENTION, tensors(*SQUARE), is_causal=True, scale=0.3)
    compare(SDPBackend.EFFICIENT_ATTENTION, tensors(*SQUARE, (2, 2, 40, 40)))
    compare(SDPBackend.EFFICIENT_ATTENTION, tensors(*SQUARE), torch.float16, 2e-2)


@check
def flash():
    for dtype, limit in ((torch.float16, 2e-2), (torch.bfloat16, 1e-1)):
        compare(SDPBackend.FLASH_ATTENTION, tensors(*SQUARE), dtype, limit, is_causal=True)
        compare(SDPBackend.FLASH_ATTENTION, tensors(*SQUARE), dtype, limit)


@check
def the_default_choice():
    compare([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH], tensors(*SHAPES))


def dropped(backend, dtype):
    """The gradient drops what the output has dropped: it is the slope of the seeded function."""
    q, k, v = (t.to("cuda", dtype) for t in tensors((1, 1, 4, 8), (1, 1, 6, 8), (1, 1, 6, 8)))
    v.requires_grad_()

    def output(values):
        torch.manual_seed(5)
        return F.scaled_dot_product_attention(q, k, values, dropout_p=0.5).float().sum()

    with sdpa_kernel(backend):
        output(v).backward()
        plain = F.scaled_dot_product_attention(q, k, v).float().sum()
        first, moved = output(v), output(v.detach() + torch.ones_like(v))
    assert abs(first - plain) > 1e-3, "nothing was dropped"
    slope = v.grad.float().sum()
    assert abs((moved - first) - slope) < 0.02 * abs(slope), (moved - first, slope)


@check
def dropout_is_the_same_both_ways():
    dropped(SDPBackend.EFFICIENT_ATTENTION, torch.float32)
    dropped(SDPBackend.FLASH_ATTENTION, torch.float16)


def pass_both_ways(module, device, *given):
    module = module.to(device)
    module.zero_grad()
    leaves = [t.to(device).detach() for t in given]
    for leaf in leaves:
        leaf.requires_grad_(leaf.is_floating_point())
    y = module(*leaves)
    y = y[0] if isinstance(y, tuple) else y
    (y * torch.arange(y.numel(), device=device).view_as(y).sin()).sum().backward()
    found = [y, *(leaf.grad for leaf in leaves if leaf.requires_grad), *(p.grad for p in module.parameters())]
    return [t.detach().cpu() for t in found if t is not None]


def same(module, *given, limit=1e-4):
    for a, b in zip(pass_both_ways(module, "cpu", *given), pass_both_ways(module, "cuda", *given), strict=True):
        worst = (a - b).abs().max().item()
        assert worst < limit, f"{type(module).__name__} off by {worst}"


@check
def layer_norm():
    torch.manual_seed(1)
    for width in (16, 13, 256):
        same(nn.LayerNorm(width), torch.randn(6, 4, width))
    same(nn.LayerNorm(32, elementwise_affine=False), torch.randn(3, 32))


@check
def embedding_and_dropout():
    torch.manual_seed(1)
    same(nn.Embedding(11, 8), torch.tensor([[1, 2, 2], [10, 0, 1]]))
    same(nn.Embedding(11, 8, padding_idx=2), torch.tensor([[1, 2, 2], [10, 0, 1]]))
    y = F.dropout(torch.ones(4000, device="cuda"), 0.25)
    assert 0.2 < (y == 0).float().mean().item() < 0.3 and abs(y.max().item() - 4 / 3) < 1e-6


@check
def modules():
    torch.manual_seed(1)
    x = torch.randn(2, 6, 16)
    same(nn.MultiheadAttention(16, 2, batch_first=True), x, x, x)
    same(nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, activation="gelu"), x)
    same(nn.TransformerDecoderLayer(16, 2, 32, dropout=0.0, batch_first=True), x, torch.randn(2, 4, 16))


class Language(nn.Module):
    """A transformer of one layer that tells the next token."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(7, 16), nn.Embedding(8, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.norm, self.out = nn.LayerNorm(16), nn.Linear(16, 7)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], device=x.device)
        y = self.tokens(x) + self.places(torch.arange(x.shape[1], device=x.device))
        return self.out(self.norm(self.layer(y, mask, is_causal=True)))


def losses(device):
    torch.manual_seed(3)
    model = Language().to(device)
    text = (torch.arange(9) * 3 + torch.arange(16)[:, None]) % 7
    x, y = text[:, :8].to(device), text[:, 1:].to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    found = []
    for _ in range(20):
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        found.append(loss.item())
    return found


@check
def a_transformer_learns():
    here, there = losses("cpu"), losses("cuda")
    worst = max(abs(a - b) for a, b in zip(here, there))
    print(f"loss {there[0]:.4f} to {there[-1]:.4f}, off the CPU by at most {worst:.1e}")
    assert worst < 1e-3 and there[-1] < 0.5 * there[0], (here, there)


@check
def captured_attention_replays():
    q, k, v = (t.cuda() for t in tensors(*SHAPES))
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
        for _ in range(2):
            F.scaled_dot_product_attention(q, k, v)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = F.scaled_dot_product_attention(q, k, v)
        for _ in range(2):
            v.add_(1)
            graph.replay()
        assert torch.allclose(y, F.scaled_dot_product_attention(q, k, v), atol=1e-6)


@check
def every_kernel_has_an_effect():
    names = {op.get("kernel", "") for op in simlog.operations()}
    for part in ("fmha_cutlassF_f32", "fmha_cutlassB_f32", "flash_fwd_kernel", "flash_bwd_dq_dk_dv"):
        assert any(part in name for name in names), f"no {part}"
    assert not simlog.uncomputed(), simlog.uncomputed()


if __name__ == "__main__":
    sys.exit(simlog.run_checks(CHECKS))
