# SPDX-License-Identifier: MIT
"""Two ranks train a small network with DistributedDataParallel over NCCL, then use each kind of collective.

usage: ddp.py FOLDER [profile]   rank 1 sleeps in each step. profile: FOLDER/profile-N.json, what torch.profiler says
                                 was moved; it may take CUPTI for itself, so the device's side is of a run without
"""
import contextlib
import os
import socket
import subprocess
import sys
import time

RANKS = 2
STEPS = 8
LATE_S = 0.02


def collectives(dist, torch, rank):
    mine = torch.full((300,), float(rank), device="cuda")
    parts = [torch.empty(300, device="cuda") for _ in range(RANKS)]
    dist.all_gather(parts, mine)
    dist.all_gather_into_tensor(torch.empty(600, device="cuda"), mine)
    dist.broadcast(mine, 0)
    dist.reduce(torch.ones(4096, device="cuda", dtype=torch.float64), 1)
    dist.reduce_scatter_tensor(torch.empty(200, device="cuda"), torch.ones(400, device="cuda"))
    dist.all_to_all_single(torch.empty(64, device="cuda"), torch.ones(64, device="cuda"))
    half = dist.new_group(list(range(RANKS)))
    dist.all_reduce(torch.ones(1 << 20, device="cuda", dtype=torch.bfloat16), group=half)
    if rank == 0:
        dist.send(torch.ones(50, device="cuda"), 1)
    else:
        dist.recv(torch.empty(50, device="cuda"), 0)
    torch.cuda.synchronize()


def worker(folder, profiled):
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel
    from torch.profiler import ProfilerActivity, profile

    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    torch.manual_seed(1)
    wanted = profile(activities=[ProfilerActivity.CPU], record_shapes=True) if profiled else contextlib.nullcontext()
    with wanted as profiler:
        network = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 8)).cuda()
        model = DistributedDataParallel(network, device_ids=[rank], bucket_cap_mb=0.02)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for _ in range(STEPS):
            optimizer.zero_grad()
            if rank == 1:
                time.sleep(LATE_S)
            model(torch.ones(16, 64, device="cuda")).square().mean().backward()
            optimizer.step()
            torch.cuda.synchronize()
        collectives(dist, torch, rank)
    if profiled:
        profiler.export_chrome_trace(os.path.join(folder, f"profile-{rank}.json"))
    dist.destroy_process_group()


def main():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
    ranks = []
    for rank in range(RANKS):
        env = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(RANKS), MASTER_ADDR="127.0.0.1",
                   MASTER_PORT=str(port), CUDASIM_DEVICES=str(RANKS),
                   CUDASIM_LOG=os.path.join(sys.argv[1], f"log-{rank}"))
        if "TRACED" in os.environ:
            env["LD_PRELOAD"] = os.environ["TRACED"]
        ranks.append(subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "worker"], env=env))
    sys.exit(max(process.wait() for process in ranks))


if __name__ == "__main__":
    if sys.argv[-1] == "worker":
        worker(sys.argv[1], "profile" in sys.argv)
    else:
        main()
