# SPDX-License-Identifier: MIT
"""Trains with TensorFlow on the processor: train_tensorflow.py loads|computes|eager|fit|validates FILE

FILE gets what the program's own stop-watch says behind the first ten steps, as JSON."""
import json
import sys
import time

import numpy as np
import tensorflow as tf

STEPS, WARM, BATCH = 60, 10, 8
WIDE = 1024
PERCENT = 100


def samples(seconds):
    for _ in range(STEPS * BATCH):
        if seconds:
            time.sleep(seconds)
        yield np.ones(64, np.float32), np.ones(1, np.float32)


def dataset(seconds):
    like = (tf.TensorSpec((64,), tf.float32), tf.TensorSpec((1,), tf.float32))
    return tf.data.Dataset.from_generator(lambda: samples(seconds), output_signature=like).batch(BATCH).prefetch(2)


class Watch:
    """The share of time that the program waited for batches, and the mean step."""

    def __init__(self):
        self.steps, self.waited, self.begin, self.last = 0, 0, None, time.perf_counter()

    def got_batch(self):
        if self.begin is not None:
            self.waited += time.perf_counter() - self.last

    def ended_step(self):
        self.steps += 1
        self.last = time.perf_counter()
        if self.steps == WARM:
            self.begin = self.last

    def write(self, path, known=True):
        whole = self.last - self.begin
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"steps": self.steps, "step_ns": 1e9 * whole / (self.steps - WARM) if known else None,
                       "reader_pct": PERCENT * self.waited / whole if self.waited else None}, file)


def train(mode, path):
    wide = 64 if mode in ("loads", "eager") else WIDE
    first = tf.Variable(tf.random.normal((64, wide), stddev=0.1))
    second = tf.Variable(tf.random.normal((wide, wide), stddev=0.1))
    last = tf.Variable(tf.random.normal((wide, 1), stddev=0.1))

    def step(x, y):
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(tf.nn.relu(tf.matmul(x, first)), second))
            loss = tf.reduce_mean((tf.matmul(hidden, last) - y) ** 2)
        for variable, gradient in zip((first, second, last), tape.gradient(loss, (first, second, last))):
            variable.assign_sub(1e-4 * gradient)
        return loss

    if mode != "eager":
        step = tf.function(step)
    watch = Watch()
    for x, y in dataset(0.002 if mode in ("loads", "eager") else 0):
        watch.got_batch()
        if mode == "computes":
            x, y = tf.tile(x, (64, 1)), tf.tile(y, (64, 1))
        step(x, y).numpy()
        watch.ended_step()
    watch.write(path)


def fit(mode, path):
    """Keras draws batches inside its compiled step, where the program has no stop-watch; nor has it for validation."""
    watch = Watch()
    validates = mode == "validates"
    wide, rows = (WIDE, 512) if validates else (64, BATCH)

    class Steps(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            watch.ended_step()

    model = tf.keras.Sequential([tf.keras.layers.Dense(wide, activation="relu"),
                                 tf.keras.layers.Dense(wide, activation="relu"), tf.keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    if validates:
        x, y = np.ones((STEPS // 3 * rows, 64), np.float32), np.ones((STEPS // 3 * rows, 1), np.float32)
        model.fit(x, y, batch_size=rows, epochs=3, verbose=0, validation_data=(x[:5 * rows], y[:5 * rows]),
                  validation_batch_size=rows, callbacks=[Steps()])
    else:
        model.fit(dataset(0.002), epochs=1, verbose=0, callbacks=[Steps()])
    watch.write(path, not validates)


if __name__ == "__main__":
    tf.config.threading.set_intra_op_parallelism_threads(1)
    if sys.argv[1] in ("fit", "validates"):
        fit(*sys.argv[1:])
    else:
        train(*sys.argv[1:])
    print("trained")
