# SPDX-License-Identifier: MIT
"""Two processes train on two devices, as one process does on one: collectives, DDP, split groups.

usage: ddp.py              runs everything: under torch.distributed.run, in forked processes, a lost rank
       ddp.py worker       one rank, started by torch.distributed.run

Importing torch costs a process seconds, and an optimizer's first step as many again, so there are
few: this process, which also is the launcher, its two ranks, which leave training to the two that
are forked before this process uses CUDA itself.
"""
import os
import signal
import socket
import sys
import tempfile
import time

import simlog
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import run
from torch.nn.parallel import DistributedDataParallel

HERE = os.path.abspath(__file__)
RANKS = 2
STEPS = 6
KERNELS = ("AllReduce_Sum_f32", "AllReduce_Sum_u64", "AllReduce_Sum_bf16", "Broadcast", "AllGather",
           "ReduceScatter_Sum_f32", "Reduce_Sum_f64", "SendRecv")


def expect(name, found, wanted):
    wanted = torch.as_tensor(wanted, dtype=found.dtype)
    if not torch.equal(found.cpu(), wanted):
        raise AssertionError(f"{name}: {found.tolist()} instead of {wanted.tolist()}")


def check_reductions(rank):
    kinds = {"SUM": [3, 30], "PRODUCT": [2, 200], "MAX": [2, 20], "MIN": [1, 10], "AVG": [1.5, 15]}
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64):
        for kind, wanted in kinds.items():
            if kind == "AVG" and not dtype.is_floating_point:
                continue
            tensor = torch.tensor([1, 10], dtype=dtype, device="cuda") * (rank + 1)
            dist.all_reduce(tensor, getattr(dist.ReduceOp, kind))
            expect(f"{kind} of {dtype}", tensor, wanted)
    large = torch.tensor([2**40 + rank], device="cuda")
    dist.all_reduce(large, dist.ReduceOp.MAX)
    expect("large integers", large, [2**40 + 1])


def check_collectives(rank):
    mine = torch.full((3,), float(rank), device="cuda")
    parts = [torch.empty(3, device="cuda") for _ in range(RANKS)]
    dist.all_gather(parts, mine)
    expect("all_gather", torch.cat(parts), [0, 0, 0, 1, 1, 1])
    joined = torch.empty(6, device="cuda")
    dist.all_gather_into_tensor(joined, mine)
    expect("all_gather_into_tensor", joined, [0, 0, 0, 1, 1, 1])
    uneven = [torch.empty(2 + i, device="cuda") for i in range(RANKS)]
    dist.all_gather(uneven, torch.full((2 + rank,), 5.0 + rank, device="cuda"))
    expect("uneven all_gather", torch.cat(uneven), [5, 5, 6, 6, 6])
    sent = torch.tensor([7.0, 8.0], device="cuda") * (1 - rank)
    dist.broadcast(sent, 0)
    expect("broadcast", sent, [7, 8])
    total = torch.arange(4.0, device="cuda", dtype=torch.float64) + rank
    dist.reduce(total, 1)
    expect("reduce", total, [1, 3, 5, 7] if rank == 1 else [0, 1, 2, 3])
    share = torch.empty(2, device="cuda")
    dist.reduce_scatter_tensor(share, torch.arange(4.0, device="cuda") * (rank + 1))
    expect("reduce_scatter", share, [0, 3] if rank == 0 else [6, 9])
    whole = torch.empty(4, device="cuda")
    dist.all_to_all_single(whole, torch.arange(4.0, device="cuda") + 10 * rank)
    expect("all_to_all", whole, [0, 1, 10, 11] if rank == 0 else [2, 3, 12, 13])


def check_transfers(rank):
    got = torch.empty(4, device="cuda")
    if rank == 0:
        dist.send(torch.arange(4.0, device="cuda"), 1)
        dist.recv(got, 1)
    else:
        dist.recv(got, 0)
        dist.send(got * 2, 0)
    expect("send and receive", got, [0, 2, 4, 6] if rank == 0 else [0, 1, 2, 3])
    ops = [dist.P2POp(dist.isend, torch.full((2,), float(rank), device="cuda"), 1 - rank),
           dist.P2POp(dist.irecv, got[:2], 1 - rank)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    expect("both ways at once", got[:2], [1 - rank] * 2)


def check_order(rank):
    """Two groups, on streams of their own, are used in opposite order; nobody waits in a call."""
    groups = [dist.new_group(list(range(RANKS))) for _ in range(2)]
    tensors = [torch.full((2,), float(rank + 1), device="cuda") for _ in range(2)]
    for group in groups:  # the communicators are made at the first use
        dist.all_reduce(torch.zeros(1, device="cuda"), group=group)
    torch.cuda.synchronize()
    order = (0, 1) if rank == 0 else (1, 0)
    works = [dist.all_reduce(tensors[i], group=groups[i], async_op=True) for i in order]
    for work in works:
        work.wait()
    for tensor in tensors:
        expect("opposite order", tensor, [3, 3])


def check_capture(rank):
    tensor = torch.full((4,), 1.0 + rank, device="cuda")
    total = torch.zeros(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        copy = tensor * 2
        dist.all_reduce(copy)
        total.add_(copy)
    for _ in range(3):
        graph.replay()
    expect("captured", total, [18.0] * 4)
    del graph


def network():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 2))


def batch(step):
    gen = torch.Generator().manual_seed(100 + step)
    x = torch.randn(8, 6, generator=gen)
    return x, torch.stack((x.sum(1), x[:, 0] * x[:, 1]), 1)


def train(model, device, rows):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    losses = []
    for step in range(STEPS):
        x, y = (t[rows].to(device) for t in batch(step))
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    gradients = torch.cat([p.grad.flatten() for p in model.parameters()])
    weights = torch.cat([p.detach().flatten() for p in model.parameters()])
    return losses, gradients.cpu(), weights.cpu()


def check_training(rank):
    """Half of each batch on each rank: gradients are equal, and those of the whole batch."""
    model = DistributedDataParallel(network().cuda(), device_ids=[rank], bucket_cap_mb=0.001)
    _, gradients, weights = train(model, "cuda", slice(rank * 4, rank * 4 + 4))
    both = [torch.empty_like(gradients).cuda() for _ in range(RANKS)]
    dist.all_gather(both, gradients.cuda())
    if not torch.equal(both[0], both[1]):
        raise AssertionError("gradients differ between ranks")
    _, here, there = train(network(), "cpu", slice(0, 8))
    worst = max((gradients - here).abs().max().item(), (weights - there).abs().max().item())
    if worst > 1e-5:
        raise AssertionError(f"off the single process by {worst}")
    print(f"rank {rank}: gradient {gradients.norm().item():.5f}, weights {weights.norm().item():.5f}",
          flush=True)


def check_times(rank):
    """Both ranks know each collective under the same name, and it ends at the same time."""
    mine = [(op["kernel"], op["end_ns"]) for op in collectives()]
    both = [None] * RANKS
    dist.all_gather_object(both, mine)
    if both[0] != both[1] or any(op["end_ns"] <= op["begin_ns"] for op in collectives()):
        differing = [pair for pair in zip(*both) if pair[0] != pair[1]]
        raise AssertionError(f"{len(both[0])} and {len(both[1])} collectives, differing: {differing[:3]}")


def collectives():
    found = [op for op in simlog.operations() if "nccl" in op.get("kernel", "")]
    return sorted(found, key=lambda op: (op["end_ns"], op["kernel"]))


def check_log():
    names = {op["kernel"] for op in collectives()}
    missing = [kernel for kernel in KERNELS if not any(kernel in name for name in names)]
    if missing:
        raise AssertionError(f"no kernel for {missing} among {sorted(names)}")
    if simlog.uncomputed():
        raise AssertionError(f"without effect: {simlog.uncomputed()}")


def worker():
    """All checks on one rank."""
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    for check in (check_reductions, check_collectives, check_transfers, check_order, check_capture,
                  check_times):
        check(rank)
    dist.barrier()
    torch.cuda.synchronize()
    check_log()
    dist.destroy_process_group()


def under_run():
    """The launcher, in this process; it starts the ranks as processes of their own."""
    run.main(["--standalone", "--nproc_per_node", str(RANKS), HERE, "worker"])


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def forked_worker(rank, port, folder):
    """Trains; then rank 1 dies without a word, and rank 0 gets an error from its next collective, and soon."""
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", f"tcp://127.0.0.1:{port}", rank=rank, world_size=RANKS)
    check_training(rank)
    check_times(rank)
    tensor = torch.ones(2, device="cuda")
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.5)
    begin = time.monotonic()
    try:
        dist.all_reduce(tensor, async_op=True).wait()
        torch.cuda.synchronize()
        dist.all_reduce(tensor)
        outcome = "no error"
    except Exception as error:
        outcome = f"{type(error).__name__} in {time.monotonic() - begin < 20}"
    with open(os.path.join(folder, "outcome"), "w", encoding="utf-8") as file:
        file.write(outcome)
    os._exit(0)


def forked_and_a_rank_is_lost():
    context = torch.multiprocessing.get_context("fork")  # nothing of CUDA was used here
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        ranks = [context.Process(target=forked_worker, args=(i, port, folder)) for i in range(RANKS)]
        try:
            for process in ranks:
                process.start()
            for process in reversed(ranks):
                process.join(60)
        finally:
            for process in ranks:
                process.kill()
                process.join()
        with open(os.path.join(folder, "outcome"), encoding="utf-8") as file:
            outcome = file.read()
    if not outcome.endswith("Error in True"):
        raise AssertionError(outcome)


def one_process_has_both():
    """A communicator of one thread, copies from device to device."""
    assert torch.cuda.device_count() == RANKS and torch.cuda.can_device_access_peer(0, 1)
    tensors = [torch.arange(3.0, device=f"cuda:{i}") + i for i in range(RANKS)]
    expect("peer copy", tensors[1].to("cuda:0") + tensors[0], [1, 3, 5])
    for _ in range(2):
        torch.cuda.nccl.all_reduce(tensors)
    for tensor in tensors:
        expect("all_reduce of both", tensor, [2, 6, 10])
    torch.cuda.nccl.broadcast([tensors[1].zero_(), tensors[0]])
    expect("broadcast of both", tensors[0], [0, 0, 0])


def main():
    os.environ["CUDASIM_DEVICES"] = str(RANKS)
    failed = 0
    checks = (forked_and_a_rank_is_lost, under_run, one_process_has_both)
    for check in checks:
        begin = time.monotonic()
        try:
            check()
        except Exception as error:
            failed += 1
            print(f"not ok {check.__name__}: {type(error).__name__}: {str(error)[-600:]}")
        print(f"# {check.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["worker"]:
        worker()
    else:
        sys.exit(main())
