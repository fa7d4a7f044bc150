# SPDX-License-Identifier: MIT
"""Training steps in which every way to the device takes part: kernels of the framework, of cuBLAS and cuDNN,
copies of both directions, sets, a replayed graph, a hidden wait.

usage: workload.py STEPS [--profile FILE] [--time FILE]
	--profile FILE   under torch.profiler; count and total ns per device operation go there as JSON
	--time FILE      append the median duration of a step in ns, warm-up excluded
Prints the last loss, which must not depend on who watches."""
import argparse
import collections
import contextlib
import json
import statistics
import time

import torch

WARM_UP = 5


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("steps", type=int)
    parser.add_argument("--profile")
    parser.add_argument("--time")
    return parser.parse_args()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.LayerNorm(8 * 8 * 8)
        self.hidden = torch.nn.Linear(8 * 8 * 8, 64)
        self.out = torch.nn.Linear(64, 10)

    def forward(self, image):
        x = torch.relu(self.conv(image))
        return self.out(torch.relu(self.hidden(self.norm(x.flatten(1)))))


def make_step():
    torch.manual_seed(0)
    model = Model().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    pinned = torch.randn(16, 3, 8, 8).pin_memory()
    labels = torch.arange(16).remainder(10).cuda()
    counter = torch.zeros(1024, device="cuda")
    side, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        counter.add_(1)
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(graph):
        counter.mul_(0.5)
        counter.add_(1)

    def step():
        image = pinned.to("cuda", non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(image), labels)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        graph.replay()
        return loss.item()

    return step


def device_sums(events):
    """name -> [count, total ns] of what ran on the device; ranges that the profiler draws there are left out."""
    found = collections.defaultdict(lambda: [0, 0])
    for event in events:
        if event.device_type() != torch.autograd.DeviceType.CUDA or event.is_user_annotation():
            continue
        found[event.name()][0] += 1
        found[event.name()][1] += event.duration_ns()
    return found


def main():
    arguments = parse()
    step, durations, loss = make_step(), [], None
    for _ in range(WARM_UP):
        step()
    torch.cuda.synchronize()
    watch = contextlib.nullcontext()
    if arguments.profile:
        watch = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU,
                                                   torch.profiler.ProfilerActivity.CUDA])
    torch.cuda.nvtx.range_push("measured")
    with watch:
        for _ in range(arguments.steps):
            begin = time.perf_counter_ns()
            loss = step()
            durations.append(time.perf_counter_ns() - begin)
        torch.cuda.synchronize()
    torch.cuda.nvtx.range_pop()
    if arguments.profile:
        events = watch.profiler.kineto_results.events()
        with open(arguments.profile, "w", encoding="utf-8") as out:
            json.dump(device_sums(events), out, indent=1, sort_keys=True)
    if arguments.time:
        with open(arguments.time, "a", encoding="utf-8") as out:
            print(int(statistics.median(durations)), file=out)
    print(f"loss {loss:.6f}")


if __name__ == "__main__":
    main()
