# SPDX-License-Identifier: MIT
"""Reinforcement learning: the environment is a process of its own, and the policy waits for its answer."""
# truth: class=io|cpu cause=idle_input|idle_host|idle_blocked|idle_sync rule=input-bound|host-blocked steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import multiprocessing
import time

import torch
from stamps import Stamps
from workload import network


def environment(connection):
    while (action := connection.recv()) is not None:
        time.sleep(0.008)  # simulating
        connection.send([float(action)] * 32)


def main():
    ours, theirs = multiprocessing.Pipe()
    worker = multiprocessing.get_context("fork").Process(target=environment, args=(theirs,), daemon=True)
    worker.start()
    policy = network(outputs=4)
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
    observation = [0.0] * 32
    clock = Stamps()
    for _ in range(60):
        logits = policy(torch.tensor([observation], device="cuda"))
        action = int(logits.argmax())
        ours.send(action)
        clock.mark()
        observation = ours.recv()  # truth: here
        clock.spent("idle_input")
        loss = -logits.log_softmax(1)[0, action]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.step()
    clock.end()
    ours.send(None)
    worker.join()


main()
