# SPDX-License-Identifier: MIT
"""Recurrent networks through cuDNN: values, gradients and training are those of the CPU."""
import sys

import simlog
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def same(here, there, limit=2e-5):
    for a, b in zip(here, there, strict=True):
        worst = (a - b.cpu()).abs().max().item()
        assert worst < limit and a.shape == b.shape, f"off by {worst}"


def pass_both_ways(model, device, x, state=None, lengths=None):
    """Outputs, last state, and all gradients."""
    model = model.to(device)
    model.zero_grad()
    x = x.to(device).detach().requires_grad_()
    state = state and tuple(s.to(device).detach().requires_grad_() for s in state)
    given = pack_padded_sequence(x, lengths, enforce_sorted=False) if lengths else x
    y, last = model(given, state if state is None or len(state) > 1 else state[0])
    if lengths:
        y = pad_packed_sequence(y)[0]
    last = last if isinstance(last, tuple) else (last,)
    (y.pow(2).sum() + sum((i + 2) * part.sin().sum() for i, part in enumerate(last))).backward()
    found = [y, *last, x.grad, *(s.grad for s in state or ()), *(p.grad for p in model.parameters())]
    return [t.detach().cpu() for t in found]


def compare(kind, steps=5, batch=3, lengths=None, with_state=True, **settings):
    torch.manual_seed(1)
    model = kind(4, 6, **settings)
    x = torch.randn((batch, steps, 4) if settings.get("batch_first") else (steps, batch, 4))
    cells = settings.get("num_layers", 1) * (2 if settings.get("bidirectional") else 1)
    state = [torch.randn(cells, batch, 6) for _ in range(2 if kind is nn.LSTM else 1)]
    state = state if with_state else None
    same(pass_both_ways(model, "cpu", x, state, lengths), pass_both_ways(model, "cuda", x, state, lengths))


@check
def lstm_and_its_gradients():
    compare(nn.LSTM)
    compare(nn.LSTM, with_state=False, batch_first=True)
    compare(nn.LSTM, num_layers=2, bidirectional=True)
    compare(nn.LSTM, bias=False)


@check
def gru_and_its_gradients():
    compare(nn.GRU)
    compare(nn.GRU, num_layers=2, bidirectional=True)


@check
def plain_cells_and_their_gradients():
    compare(nn.RNN)
    compare(nn.RNN, nonlinearity="relu", num_layers=2)


@check
def samples_of_different_lengths():
    compare(nn.LSTM, lengths=[2, 5, 3], num_layers=2, bidirectional=True)
    compare(nn.GRU, lengths=[4, 1, 5], with_state=False)


@check
def inference_keeps_nothing():
    torch.manual_seed(1)
    model, x = nn.LSTM(4, 6, 2).eval(), torch.randn(5, 3, 4)
    with torch.no_grad():
        here = model(x)[0]
        same([here], [model.cuda()(x.cuda())[0]])


@check
def half_precision():
    torch.manual_seed(1)
    model, x = nn.LSTM(4, 6), torch.randn(5, 3, 4)
    here = model(x)[0]
    same([here], [model.cuda().half()(x.cuda().half())[0].float()], 5e-3)


@check
def dropout_between_layers():
    torch.manual_seed(1)
    model, x = nn.LSTM(4, 6, 2, dropout=0.5).cuda(), torch.randn(5, 3, 4).cuda()
    first, second = model(x)[0], model(x)[0]
    assert not torch.equal(first, second), "the same units were dropped twice"
    first.sum().backward()
    assert model.weight_ih_l0.grad.abs().sum() > 0
    model.eval()
    assert torch.equal(model(x)[0], model(x)[0])


def losses(device):
    """Tell whether a sequence has more positive than negative numbers."""
    torch.manual_seed(2)
    network = nn.ModuleDict({"lstm": nn.LSTM(1, 12, batch_first=True), "out": nn.Linear(12, 2)}).to(device)
    x = torch.randn(32, 7, 1)
    y = (x.sign().sum((1, 2)) > 0).long().to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    found = []
    for _ in range(25):
        hidden = network["lstm"](x.to(device))[1][0][0]
        loss = nn.functional.cross_entropy(network["out"](hidden), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@check
def an_lstm_learns():
    here, there = losses("cpu"), losses("cuda")
    worst = max(abs(a - b) for a, b in zip(here, there))
    print(f"loss {there[0]:.4f} to {there[-1]:.4f}, off the CPU by at most {worst:.1e}")
    assert worst < 1e-3 and there[-1] < 0.7 * there[0], (here, there)


@check
def a_captured_lstm_replays():
    torch.manual_seed(1)
    model, x = nn.LSTM(4, 6).cuda(), torch.randn(5, 3, 4).cuda()
    for _ in range(2):
        model(x)
    graph, seen = torch.cuda.CUDAGraph(), []
    with torch.no_grad(), torch.cuda.graph(graph):
        y = model(x)[0]
    for _ in range(2):
        x.add_(1)
        graph.replay()
        seen.append(y.clone())
    with torch.no_grad():
        same([seen[1].cpu()], [model(x)[0]])
    assert not torch.equal(*seen)


@check
def every_kernel_has_an_effect():
    names = {op.get("kernel") for op in simlog.operations()}
    assert {"sim_cudnn_rnn_forward", "sim_cudnn_rnn_backward_data", "sim_cudnn_rnn_backward_weights"} <= names
    assert not simlog.uncomputed(), simlog.uncomputed()


if __name__ == "__main__":
    sys.exit(simlog.run_checks(CHECKS))
