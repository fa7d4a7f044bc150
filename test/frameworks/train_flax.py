# SPDX-License-Identifier: MIT
"""Trains with JAX as programs do, on the processor, and evaluates in between: train_flax.py MODE FILE

linen, loads: Flax's TrainState and Optax in one jax.jit with donated buffers; with loads another process is slower.
nnx: nnx.jit, which calls the compiled function from its own code; results are read now and then, while a process loads.
outside: gradients in one jax.jit, Optax's updates operation by operation. scan: one call runs many updates.
sharded: jax.shard_map, pmap: four devices. ahead: compiled before the loop, and called from JAX's own code.

FILE gets what the program's own stop-watch says behind the first ten steps, as JSON."""
import functools
import json
import multiprocessing
import os
import sys
import time

if sys.argv[1] in ("sharded", "pmap"):
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen, nnx
from flax.training import train_state
from jax.sharding import Mesh, NamedSharding, PartitionSpec

EPOCHS, STEPS, WARM, BATCH, WIDE = 3, 40, 10, 64, 512
CHECKS, FEW_CHECKS = 80, 30  # a function of pmap has no name, which says that it evaluates
LOADING = 0.03
PERCENT = 100


def produce(queue, seconds):
    for _ in range(EPOCHS * STEPS):
        time.sleep(seconds)
        queue.put((np.ones((BATCH, WIDE), np.float32), np.ones((BATCH, 1), np.float32)))


def loaded():
    """What a process of its own makes, at most two ahead."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue(2)
    process = context.Process(target=produce, args=(queue, LOADING), daemon=True)
    process.start()
    while True:
        yield queue.get()


def given():
    generator = np.random.default_rng(0)
    while True:
        yield generator.random((BATCH, WIDE), np.float32), np.ones((BATCH, 1), np.float32)


def weights():
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    return [0.1 * jax.random.normal(key, (WIDE, size)) for key, size in zip(keys, (WIDE, WIDE, 1))]


def loss_of(parameters, x, y):
    for weight in parameters[:-1]:
        x = jax.nn.relu(x @ weight)
    return jnp.mean((x @ parameters[-1] - y) ** 2)


def with_linen():
    class Network(linen.Module):
        @linen.compact
        def __call__(self, x):
            for _ in range(2):
                x = linen.relu(linen.Dense(WIDE)(x))
            return linen.Dense(1)(x)

    network = Network()
    parameters = network.init(jax.random.PRNGKey(0), jnp.ones((1, WIDE)))["params"]
    state = train_state.TrainState.create(apply_fn=network.apply, params=parameters, tx=optax.adam(1e-4))

    def loss(values, x, y):
        return jnp.mean((state.apply_fn({"params": values}, x) - y) ** 2)

    @functools.partial(jax.jit, donate_argnums=0)
    def train_step(state, x, y):
        value, gradients = jax.value_and_grad(loss)(state.params, x, y)
        return state.apply_gradients(grads=gradients), value

    check = jax.jit(lambda state, x, y: loss(state.params, x, y))
    return state, train_step, check


def with_nnx():
    class Network(nnx.Module):
        def __init__(self, rngs):
            self.layers = nnx.List([nnx.Linear(WIDE, size, rngs=rngs) for size in (WIDE, WIDE, 1)])

        def __call__(self, x):
            return self.layers[2](nnx.relu(self.layers[1](nnx.relu(self.layers[0](x)))))

    network = Network(nnx.Rngs(0))
    optimizer = nnx.Optimizer(network, optax.adam(1e-4), wrt=nnx.Param)

    def loss(network, x, y):
        return jnp.mean((network(x) - y) ** 2)

    @nnx.jit
    def train_step(network, optimizer, x, y):
        value, gradients = nnx.value_and_grad(loss)(network, x, y)
        optimizer.update(network, gradients)
        return value

    return None, lambda state, x, y: (state, train_step(network, optimizer, x, y)), \
        lambda state, x, y, check=nnx.jit(loss): check(network, x, y)


def update_of(optimizer, reduced=lambda value: value):
    def update(state, x, y):
        loss, gradients = jax.value_and_grad(loss_of)(state[0], x, y)
        changes, rest = optimizer.update(reduced(gradients), state[1], state[0])
        return (optax.apply_updates(state[0], changes), rest), reduced(loss)
    return update


def with_arrays(mode):
    optimizer = optax.adam(1e-4)
    state = weights(), optimizer.init(weights())
    update = update_of(optimizer)

    @jax.jit
    def evaluate(state, x, y):
        return loss_of(state[0], x, y)

    if mode == "outside":
        gradient = jax.jit(jax.value_and_grad(loss_of))

        def update(state, x, y):
            loss, gradients = gradient(state[0], x, y)
            changes, rest = optimizer.update(gradients, state[1], state[0])
            return (optax.apply_updates(state[0], changes), rest), loss
        return state, update, evaluate
    if mode == "scan":
        @jax.jit
        def run_epoch(state, x, y):
            state, losses = jax.lax.scan(lambda state, pair: update(state, *pair), state,
                                         (x.reshape(8, -1, WIDE), y.reshape(8, -1, 1)))
            return state, losses.mean()
        return state, run_epoch, evaluate
    if mode == "ahead":
        batch = next(given())
        return state, jax.jit(update).lower(state, *batch).compile(), evaluate
    mesh = Mesh(np.array(jax.devices()), ("devices",))
    whole, parted = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("devices"))
    update = update_of(optimizer, functools.partial(jax.lax.pmean, axis_name="devices"))
    if mode == "pmap":
        count = len(jax.devices())
        split = lambda values: values.reshape(count, -1, values.shape[-1])  # noqa: E731
        state = jax.tree_util.tree_map(lambda values: jnp.stack([values] * count), state)
        step = jax.pmap(update, axis_name="devices")
        check = jax.pmap(lambda state, x, y: loss_of(state[0], x, y))

        return state, lambda state, x, y: step(state, split(x), split(y)), \
            lambda state, x, y: check(state, split(x), split(y))
    inside = jax.shard_map(update, mesh=mesh, in_specs=(PartitionSpec(), parted.spec, parted.spec),
                           out_specs=(PartitionSpec(), PartitionSpec()), check_vma=False)
    step = jax.jit(inside, donate_argnums=0)
    return jax.device_put(state, whole), lambda state, x, y: step(state, *jax.device_put((x, y), parted)), evaluate


def main(mode, path):
    state, step, check = with_linen() if mode in ("linen", "loads") else with_nnx() if mode == "nnx" else with_arrays(mode)
    source = loaded() if mode in ("loads", "nnx") else given()
    checks = next(given())
    times, waits = [], []
    for _ in range(EPOCHS):
        last = time.perf_counter()
        for number in range(STEPS):
            x, y = next(source)
            waits.append(time.perf_counter() - last)
            state, loss = step(state, x, y)
            if mode != "nnx" or number % 10 == 9:
                np.asarray(loss)
            now = time.perf_counter()
            times.append(now - last)
            last = now
        for _ in range(FEW_CHECKS if mode == "pmap" else CHECKS):
            np.asarray(check(state, *checks))
    steady = sum(times[WARM:])
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"steps": len(times), "step_ns": 1e9 * steady / (len(times) - WARM),
                   "reader_pct": PERCENT * sum(waits[WARM:]) / steady if mode in ("loads", "nnx") else 0}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
    print("trained")
