# SPDX-License-Identifier: MIT
"""Compare operators on the device with the CPU's results: what the simulated device computes."""
import sys

import torch
import torch.nn.functional as F
from torch import nn

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def data(*shape, seed=0, dtype=torch.float32):
    """The same numbers on every call: made on the CPU, then moved by the case."""
    gen = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=gen).to(dtype)


def whole(*shape, high=10, seed=0, dtype=torch.int64):
    gen = torch.Generator().manual_seed(seed)
    return torch.randint(0, high, shape, generator=gen).to(dtype)


@case
def arithmetic(dev):
    a, b = data(5, 7).to(dev), data(5, 7, seed=1).to(dev)
    return [a + b, a - b, a * b, a / b, a + 2, 2 - a, a * 3, a / 4, 1 / a, -a, a.add(b, alpha=3), a.abs()]


@case
def powers(dev):
    a = data(33).to(dev)
    p = a.abs() + 0.1
    return [a**2, a**3, p**0.5, p**-1, p.sqrt(), p.rsqrt(), p.log(), a.exp(), a.sin(), a.cos(), a.square(),
            p**-2, p**1.7, p.pow(a), a.reciprocal(), p.log2(), p.log1p(), a.expm1()]


@case
def activations(dev):
    a = data(4, 9).to(dev)
    return [a.relu(), a.sigmoid(), a.tanh(), F.gelu(a), F.silu(a), F.leaky_relu(a, 0.1), F.elu(a, 0.5), F.selu(a), F.celu(a, 0.7),
            F.hardtanh(a, -0.3, 0.6), F.softplus(a, 2, 1), a.clamp(-0.5, 0.5), a.clamp(min=0), a.clamp(max=0.3),
            F.gelu(a, approximate="tanh")]


@case
def rounding(dev):
    a = data(17).to(dev) * 10
    return [a.floor(), a.ceil(), a.round(), a.trunc(), a.sign(), a % 3, a // 3, a.fmod(3), a.frac()]


@case
def strided(dev):
    a, b = data(6, 8).to(dev), data(8, 6, seed=1).to(dev)
    return [a.t() + b, a[:, ::2] * 2, a[1:, 1:].contiguous(), b.t().contiguous(), a + b[0, 0],
            a + a[:, :1], a.t().relu(), a.flip(0), a.roll(1, 0)]


@case
def broadcast(dev):
    a, b = data(6, 1, 4).to(dev), data(5, 4, seed=1).to(dev)
    return [a + b, a * b, a - b, a / b, torch.maximum(a, b), torch.minimum(a, b)]


@case
def comparisons(dev):
    a, b = whole(40).to(dev), whole(40, seed=1).to(dev)
    x, y = data(40).to(dev), data(40, seed=1).to(dev)
    return [a == b, a != b, a < b, a <= b, a > b, a >= b, a == 3, a > 3, x < y, x > 0, x <= 0.5, x == x, x != y,
            (x > 0) & (y > 0), (x > 0) | (y > 0), ~(x > 0), (x > 0) ^ (y > 0), torch.logical_not(x),
            torch.logical_and(a, b), x.half() > 0, x.bfloat16() < y.bfloat16(), x.double() > 0]


@case
def integers(dev):
    a, b = whole(30).to(dev), whole(30, seed=1, dtype=torch.int32).to(dev) + 1
    return [a + b, a - 1, a * 2, a // b, a % b, a / b, -a, a.abs(), a & 3, a | 4, a ^ 5, a << 1, a >> 1,
            b * b, a.clamp(2, 5), a.sign(), a.square(), a.pow(2)]


@case
def casts(dev):
    x = data(37).to(dev) * 5
    kinds = [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
             torch.int8, torch.bool]
    there = [x.to(kind) for kind in kinds]
    return there + [t.to(torch.float32) for t in there] + [whole(9).to(dev).float(), x.abs().to(torch.uint8)]


@case
def mixed_types(dev):
    x, n, h = data(20).to(dev), whole(20).to(dev), data(20, seed=2).half().to(dev)
    return [x + n, x * h, h + 1, h * h, n + 0.5, x.double() * x, n.float() / 3, (x > 0) * x, (x > 0) + n]


@case
def halves(dev):
    out = []
    for kind in (torch.float16, torch.bfloat16):
        a, b = data(31).to(kind).to(dev), data(31, seed=1).to(kind).to(dev)
        out += [a + b, a * b, a - b, a / b, a.relu(), a * 0.5, -a, a.sum(), a.mean(), a.exp(), a.max()]
    return out


@case
def reductions(dev):
    a = data(6, 7, 8).to(dev)
    return [a.sum(), a.sum(0), a.sum(1), a.sum(2), a.sum((0, 2)), a.mean(), a.mean(-1), a.max(), a.min(),
            a.amax(1), a.amin(0), a.norm(), a.norm(1), a.norm(dim=1), a.var(), a.std(0),
            a.var(1, unbiased=False), (a > 0).any(), (a > 0).all(), (a > 0).sum(), (a > 9).any(),
            (a > 0).any(0), (a > 0).all(1), a.logsumexp(1), a.abs().max()]


@case
def any_and_all_of_numbers(dev):
    """The kernels' own state is of the number's type in some versions."""
    a = data(5, 8).to(dev).round()
    return [found for type in (torch.float32, torch.float64, torch.int32, torch.int64, torch.uint8, torch.float16)
            for found in (a.to(type).any(), a.to(type).all(), a.to(type).any(1), a.to(type).all(0), (a.to(type) * 0).any())]


@case
def big_reduction(dev):
    a = data(300, 1000).to(dev)
    return [a.sum() / 1000, a.mean(), a.sum(0), a.sum(1), a.max(), a.abs().mean(1)]


@case
def integer_reductions(dev):
    a = whole(6, 9).to(dev)
    return [a.sum(), a.sum(0), a.max(), a.min(1).values, a.bool().sum(1), a.float().mean(), a.count_nonzero()]


@case
def arg_reductions(dev):
    a = torch.randperm(60, generator=torch.Generator().manual_seed(3)).float().view(6, 10).to(dev)
    return [a.argmax(), a.argmin(), a.argmax(1), a.argmin(0), *a.max(1), *a.min(0)]


@case
def selections(dev):
    x, n = data(50).to(dev), whole(50, high=4).to(dev)
    m = x > 0
    return [m.nonzero(), x[m], x.masked_select(m), n.nonzero(), torch.nonzero(x > 9), x.view(5, 10)[m.view(5, 10)],
            torch.where(m)[0], (x.view(5, 10) > 0.5).nonzero(), n.unique(), n.unique(return_counts=True)[1]]


@case
def choices(dev):
    x, y = data(4, 6).to(dev), data(4, 6, seed=1).to(dev)
    m = x > y
    z = x.clone()
    z[m] = 7
    return [torch.where(m, x, y), torch.where(m, x, 0.0), x.masked_fill(m, -1), z, torch.where(m, 1, 0),
            torch.where(m, y.double(), x.double())]


@case
def finite(dev):
    x = torch.tensor([1.0, float("inf"), -float("inf"), float("nan"), 0.0]).to(dev)
    return [x.isfinite(), x.isnan(), x.isinf(), x.isfinite().all(), torch.nan_to_num(x)]


@case
def indexing(dev):
    a, i = data(8, 5).to(dev), torch.tensor([3, 0, 7, 3]).to(dev)
    j = torch.tensor([1, 4, 2, 0]).to(dev)
    b = a.clone()
    b[i[:3]] = 9.0
    return [a[i], a[:, i[:2]], a[i, j], a.index_select(0, i), a.gather(1, whole(8, 3, high=5).to(dev)), b,
            torch.zeros(8, 5, device=a.device).scatter(1, whole(8, 1, high=5).to(dev), 1.0),
            torch.zeros(8, device=a.device).scatter_add(0, i, torch.ones(4, device=a.device)),
            torch.zeros(8, 5, device=a.device).index_add(0, i, a[:4]),
            F.one_hot(whole(6, high=4).to(dev), 4)]


@case
def joining(dev):
    a, b = data(3, 4).to(dev), data(2, 4, seed=1).to(dev)
    return [torch.cat([a, b]), torch.stack([a, a]), torch.cat([a, a], 1), a.repeat(2, 2), torch.tril(a), torch.triu(a),
            *a.chunk(2, 1), torch.cat([whole(3).to(dev), whole(4).to(dev)])]


@case
def making(dev):
    return [torch.arange(10, device=dev), torch.arange(0, 1, 0.1, device=dev), torch.linspace(0, 1, 7, device=dev),
            torch.zeros(5, device=dev), torch.ones(5, device=dev), torch.full((3,), 2.5, device=dev),
            torch.eye(4, device=dev), torch.full((3,), 4, device=dev), torch.ones(3, dtype=torch.bool, device=dev),
            torch.ones(3, dtype=torch.half, device=dev)]


@case
def scans(dev):
    a = data(5, 6).to(dev)
    return [a.cumsum(1), a.cumsum(0), whole(20).to(dev).cumsum(0), a.view(-1).cumsum(0), (a > 0).cumsum(1)]


@case
def ordering(dev):
    a = torch.randperm(60, generator=torch.Generator().manual_seed(3)).float().view(6, 10).to(dev)
    return [*a.sort(1), *a.topk(3), a.argsort(1, descending=True), *a.view(-1).sort()]


@case
def products(dev):
    a, b, c = data(5, 7).to(dev), data(7, 3, seed=1).to(dev), data(4, 5, 7, seed=2).to(dev)
    d = data(4, 7, 2, seed=3).to(dev)
    return [a @ b, b.t() @ a.t(), c @ d, a @ b[:, 0], torch.addmm(data(3).to(dev), a, b), torch.bmm(c, d), c @ b,
            torch.einsum("ij,jk->ik", a, b), a[0].dot(a[1]), torch.outer(a[0], b[:, 0]),
            (a.half() @ b.half()).float(), (a.bfloat16() @ b.bfloat16()).float(), (a.double() @ b.double())]


@case
def products_larger_than_a_block(dev):
    a, b = data(130, 600).to(dev), data(600, 1100, seed=1).to(dev)
    return [a @ b, b.t() @ a.t(), a.t()[:, :70] @ a[:70]]


@case
def repetitions(dev):
    n = torch.tensor([1, 0, 2, 3, 1]).to(dev)
    x = data(5, 3).to(dev).requires_grad_()
    y = x.repeat_interleave(n, dim=0)
    (y * data(7, 3, seed=1).to(dev)).sum().backward()
    return [torch.repeat_interleave(n), y, x.grad, x.repeat_interleave(2, 1), n.int().repeat_interleave(n)]


@case
def strided_sums(dev):
    a = data(6, 5, 4, 7).to(dev)
    return [a.sum((0, 2, 3)), a.sum(1), a.mean((1, 3)), a.transpose(1, 3).sum((0, 2)), a[:, 1:4, ::2] + a[:1, 1:4, ::2],
            a + data(5, 1, 1, seed=1).to(dev), a.permute(3, 1, 0, 2) * 2.5, a[..., ::3].contiguous()]


@case
def softmaxes(dev):
    a = data(5, 11).to(dev).requires_grad_()
    w = data(5, 11, seed=4).to(dev)
    out = []
    for f in (F.softmax, F.log_softmax):
        for dim in (0, 1):
            a.grad = None
            r = f(a, dim)
            (r * w).sum().backward()
            out += [r, a.grad.clone()]
    wide = data(3, 3000).to(dev)
    return out + [wide.softmax(1) * 1000, wide.log_softmax(1)]


def with_gradients(function, dev, *tensors):
    """Result, then the gradient of a weighted sum of it for each input."""
    leaves = [t.clone().to(dev).requires_grad_() for t in tensors]
    result = function(*leaves)
    weight = data(*result.shape, seed=9).to(dev) if result.dim() else 1.0
    (result * weight).sum().backward()
    return [result, *[leaf.grad for leaf in leaves]]


@case
def losses(dev):
    x, y = data(6, 5), data(6, 5, seed=1)
    t = whole(6, high=5).to(dev)
    p = y.to(dev)
    out = []
    for f in (F.mse_loss, F.l1_loss, lambda a, b: F.smooth_l1_loss(a, b, beta=0.5), lambda a, b: F.huber_loss(a, b, delta=0.7)):
        out += with_gradients(lambda a, f=f: f(a, p), dev, x)
    out += with_gradients(lambda a: F.cross_entropy(a, t), dev, x)
    out += with_gradients(lambda a: F.cross_entropy(a, t, reduction="sum", label_smoothing=0.1), dev, x)
    out += with_gradients(lambda a: F.cross_entropy(a, t, ignore_index=2, reduction="none"), dev, x)
    out += with_gradients(lambda a: F.binary_cross_entropy_with_logits(a, (p > 0).float()), dev, x)
    out += with_gradients(lambda a: F.binary_cross_entropy(a.sigmoid(), (p > 0).float()), dev, x)
    out += with_gradients(lambda a: F.kl_div(a.log_softmax(1), p.softmax(1), reduction="batchmean"), dev, x)
    out += with_gradients(lambda a: F.cross_entropy(a.view(2, 5, 3), whole(2, 3, high=5).to(dev)), dev, x)
    return out


@case
def gradients(dev):
    x = data(4, 6)
    out = []
    for f in (torch.relu, torch.sigmoid, torch.tanh, F.gelu, F.silu, F.leaky_relu, F.selu, lambda a: F.celu(a, 0.7),
              lambda a: F.hardtanh(a, -0.3, 0.6), lambda a: F.softplus(a, 2, 1),
              torch.exp, torch.sin, lambda a: (a.abs() + 1).sqrt(), lambda a: (a.abs() + 1).log(),
              lambda a: a**2, lambda a: a / (a.abs() + 1), lambda a: a.clamp(-1, 1), lambda a: a.max(1).values,
              lambda a: a.mean(0), lambda a: a.std(1), lambda a: a.norm(dim=1), lambda a: a[1:3], lambda a: a.cumsum(1),
              lambda a: a[a > 0], lambda a: torch.where(a > 0, a, 2 * a)):
        out += with_gradients(f, dev, x)
    return out


@case
def layers(dev):
    torch.manual_seed(0)
    out = []
    for layer, shape in ((nn.Linear(6, 4), (5, 6)), (nn.LayerNorm(6), (5, 6)), (nn.BatchNorm1d(6), (5, 6)),
                         (nn.Bilinear(6, 6, 3), (5, 6)), (nn.RMSNorm(6), (5, 6))):
        layer = layer.to(dev)
        args = [data(*shape)] * (2 if isinstance(layer, nn.Bilinear) else 1)
        out += with_gradients(layer, dev, *args) + [p.grad for p in layer.parameters()]
    layer = nn.BatchNorm1d(6).to(dev)
    layer(data(5, 6).to(dev))
    out += [layer.running_mean, layer.running_var]
    layer.eval()
    return out + [layer(data(5, 6).to(dev))]


@case
def embeddings(dev):
    torch.manual_seed(0)
    layer = nn.Embedding(12, 5).to(dev)
    result = layer(whole(4, 3, high=12).to(dev))
    (result * data(4, 3, 5).to(dev)).sum().backward()
    return [result, layer.weight.grad]


@case
def convolutions(dev):
    torch.manual_seed(0)
    out = []
    for layer in (nn.Conv2d(3, 4, 3), nn.Conv2d(3, 4, 3, padding=1, stride=2), nn.Conv2d(4, 8, 3, groups=2, bias=False),
                  nn.Conv2d(3, 4, 3, dilation=2), nn.ConvTranspose2d(3, 4, 2, stride=2)):
        layer = layer.to(dev)
        out += with_gradients(layer, dev, data(2, layer.in_channels, 9, 8)) + [p.grad for p in layer.parameters()]
    layer = nn.Conv1d(3, 4, 3).to(dev)
    return out + with_gradients(layer, dev, data(2, 3, 10))


@case
def pools(dev):
    x = torch.randperm(2 * 3 * 8 * 8, generator=torch.Generator().manual_seed(1)).float().view(2, 3, 8, 8) / 100
    out = []
    for f in (lambda a: F.max_pool2d(a, 2), lambda a: F.adaptive_avg_pool2d(a, 1),
              lambda a: F.adaptive_avg_pool2d(a, 3), lambda a: F.max_pool2d(a, 3, stride=2, padding=1),
              lambda a: F.pad(a, (1, 1, 1, 1))):
        out += with_gradients(f, dev, x)
    return out + [F.avg_pool2d(x.to(dev), 2), F.avg_pool2d(x.to(dev), 3, 2, 1)]


@case
def batchnorm2d(dev):
    torch.manual_seed(0)
    layer = nn.BatchNorm2d(3).to(dev)
    out = with_gradients(layer, dev, data(4, 3, 5, 6)) + [p.grad for p in layer.parameters()]
    return out + [layer.running_mean, layer.running_var, layer.eval()(data(4, 3, 5, 6).to(dev))]


@case
def attention(dev):
    q, k, v = (data(2, 2, 5, 8, seed=i) for i in range(3))
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        return with_gradients(F.scaled_dot_product_attention, dev, q, k, v)


def spread(t):
    """What is alike for all draws of a distribution."""
    return [t.float().mean().round(decimals=0), t.min() > t.max(), torch.tensor(t.numel(), device=t.device)]


@case
def distributions(dev):
    torch.manual_seed(0)
    n = 4000
    p = torch.full((n,), 0.5, device=dev)
    out = []
    for t in (torch.rand(n, device=dev) + 0.9, torch.randn(n, device=dev) * 0.1, torch.randint(3, 6, (n,), device=dev),
              p.clone().uniform_(2, 4), p.clone().normal_(5, 0.1), torch.bernoulli(p) * 2, p.clone().bernoulli_(0.5) * 4,
              F.dropout(torch.ones(n, device=dev), 0.5), p.clone().exponential_(0.2), torch.rand(n // 4, 4, device=dev).t() * 8,
              p.view(50, -1).t().uniform_(0, 8)):
        out += spread(t)
    out += [torch.randperm(n, device=dev).sort()[0], *torch.aminmax(data(40).to(dev))]
    masked = F.dropout(torch.ones(n, device=dev), 0.25)
    return out + [((masked == 0) | ((masked - 4 / 3).abs() < 1e-5)).all()]


def agree(here, there):
    there = there.detach().cpu()
    here = here.detach()
    if here.shape != there.shape or here.dtype != there.dtype:
        return f"{tuple(there.shape)} {there.dtype} instead of {tuple(here.shape)} {here.dtype}"
    small = here.dtype in (torch.float16, torch.bfloat16)
    limit = 1e-2 if small else 1e-4
    if torch.allclose(here.double(), there.double(), rtol=limit, atol=limit, equal_nan=True):
        return None
    return f"{there.flatten()[:4].tolist()} instead of {here.flatten()[:4].tolist()}"


def main(names):
    torch.backends.cuda.matmul.allow_tf32 = False
    failed = 0
    for name in names or CASES:
        try:
            expected, got = CASES[name]("cpu"), CASES[name]("cuda")
            wrong = [(i, agree(h, t)) for i, (h, t) in enumerate(zip(expected, got))]
            wrong = [f"{i}: {text}" for i, text in wrong if text]
        except Exception as error:  # one broken operator must not hide the others
            wrong = [f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"]
        print(f"{'not ok' if wrong else 'ok'} {name}", *wrong[:8], sep="\n    ", flush=True)
        failed += bool(wrong)
    print(f"{len(names or CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
