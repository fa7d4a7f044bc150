# SPDX-License-Identifier: MIT
"""Infers with ONNX Runtime on the device, or on the processor: train_onnxruntime.py [host_]loads|[host_]computes FILE

FILE gets what the program's own stop-watch says behind the first ten runs, as JSON."""
import json
import multiprocessing
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

STEPS, WARM, BATCH, WIDE, LAYERS = 60, 10, 8, 64, 6
PERCENT = 100


def model(wide):
    """Products with rectifiers between them."""
    generator = np.random.default_rng(0)
    weights = [numpy_helper.from_array(generator.normal(scale=0.1, size=(wide, 1 if i == LAYERS else wide)).astype(np.float32),
                                       f"weight{i}") for i in range(LAYERS + 1)]
    nodes, last = [], "x"
    for i in range(LAYERS):
        nodes.append(helper.make_node("MatMul", [last, f"weight{i}"], [f"product{i}"]))
        nodes.append(helper.make_node("Relu", [f"product{i}"], [f"hidden{i}"]))
        last = f"hidden{i}"
    nodes.append(helper.make_node("MatMul", [last, f"weight{LAYERS}"], ["y"]))
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [BATCH, size]) for name, size in (("x", wide), ("y", 1))]
    graph = helper.make_graph(nodes, "small", values[:1], values[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def produce(queue, seconds, wide):
    for _ in range(STEPS):
        time.sleep(seconds)
        queue.put(np.ones((BATCH, wide), np.float32))


def loaded(seconds, wide):
    """What a process of its own makes, at most two ahead."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue(2)
    process = context.Process(target=produce, args=(queue, seconds, wide))
    process.start()
    for _ in range(STEPS):
        yield queue.get()
    process.join()


def main(mode, path):
    wide = 1536 if mode == "host_computes" else WIDE
    source = loaded(0.02, wide) if mode.endswith("loads") else (np.ones((BATCH, wide), np.float32) for _ in range(STEPS))
    provider = "CPUExecutionProvider" if mode.startswith("host_") else "CUDAExecutionProvider"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # so that a busy machine makes calls longer, and not what is between them
    session = onnxruntime.InferenceSession(model(wide), options, providers=[provider])
    if session.get_providers()[0] != provider:
        sys.exit("the device is not used")
    steps, waited, begin, last = 0, 0, None, time.perf_counter()
    for batch in source:
        waited += time.perf_counter() - last if begin else 0
        session.run(None, {"x": batch})
        steps += 1
        last = time.perf_counter()
        if steps == WARM:
            begin = last
    whole = last - begin
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"steps": steps, "step_ns": 1e9 * whole / (steps - WARM), "reader_pct": PERCENT * waited / whole}, file)
    print("inferred")


main(*sys.argv[1:])
