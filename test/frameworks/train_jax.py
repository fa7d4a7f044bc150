# SPDX-License-Identifier: MIT
"""Trains with JAX on the processor: train_jax.py loads|computes|blocks|ahead|unnamed FILE

unnamed: epochs of a function whose name says nothing, and more calls of another one after each.

FILE gets what the program's own stop-watch says behind the first ten steps, as JSON."""
import json
import multiprocessing
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

STEPS, WARM, BATCH = 60, 10, 8


def produce(queue, seconds):
    for _ in range(STEPS):
        time.sleep(seconds)
        queue.put((np.ones((BATCH, 64), np.float32), np.ones((BATCH, 1), np.float32)))


def batches(seconds):
    """What a process of its own makes, at most two ahead."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue(2)
    process = context.Process(target=produce, args=(queue, seconds))
    process.start()
    for _ in range(STEPS):
        yield queue.get()
    process.join()


def loss_of(weights, x, y):
    hidden = jax.nn.relu(jax.nn.relu(x @ weights[0]) @ weights[1])
    return jnp.mean((hidden @ weights[2] - y) ** 2)


@jax.jit
def step(weights, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(weights, x, y)
    return [weight - 1e-4 * gradient for weight, gradient in zip(weights, gradients)], loss


def read(mode, number, loss):
    if mode == "blocks":
        loss.block_until_ready()
    elif mode != "ahead" or number % 16 == 0:
        float(loss)


def train(mode, path):
    wide = 64 if mode == "loads" else 1024
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    weights = [0.1 * jax.random.normal(key, shape) for key, shape in zip(keys, ((64, wide), (wide, wide), (wide, 1)))]
    source = batches(0.02) if mode == "loads" else ((np.ones((512, 64), np.float32), np.ones((512, 1), np.float32))
                                                   for _ in range(STEPS))
    counted, waited, begin, last = 0, 0, None, time.perf_counter()
    for x, y in source:
        waited += time.perf_counter() - last if begin else 0
        weights, loss = step(weights, x, y)
        read(mode, counted, loss)
        counted += 1
        last = time.perf_counter()
        if counted == WARM:
            begin = last
    whole = last - begin
    ahead = mode == "ahead"  # which of the steps has a wait is another one by each clock
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"steps": counted, "step_ns": None if ahead else 1e9 * whole / (counted - WARM),
                   "reader_pct": 100 * waited / whole, "never": ["step-outlier", "input-bound"] if ahead else []}, file)


@jax.jit
def f(weights, x, y):
    return step(weights, x, y)


@jax.jit
def g(weights, x, y):
    return loss_of(weights, x, y)


def take_turns(path):
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    weights = [0.1 * jax.random.normal(key, shape) for key, shape in zip(keys, ((64, 64), (64, 64), (64, 1)))]
    x, y = np.ones((BATCH, 64), np.float32), np.ones((BATCH, 1), np.float32)
    for _ in range(6):
        for _ in range(STEPS // 6):
            weights, loss = f(weights, x, y)
            float(loss)
        for _ in range(STEPS):
            float(g(weights, x, y))
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"unsure": ["jit(f)", "jit(g)"]}, file)


if __name__ == "__main__":
    take_turns(sys.argv[2]) if sys.argv[1] == "unnamed" else train(*sys.argv[1:])
    print("trained")
