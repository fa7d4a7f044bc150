# SPDX-License-Identifier: MIT
"""What recording costs a loader: cost.py PAIRS PLAIN TRACED, commands that run cost.py --files or --rate, in turns.

--files: a worker opens and reads small files of FOLDER; processor time of its thread for each. --rate: four workers
that compute give batches as fast as they can: time from one to the next, and processor time of all threads of the
workers and of the loop for each, which tells more on a busy machine."""
import json
import os
import shlex
import statistics
import subprocess
import sys
import time

FILES, RATE = 200, 600


class Files:
    def __len__(self):
        return FILES

    def __getitem__(self, index):
        import torch
        names = [os.path.join(os.environ["FOLDER"], str(number)) for number in range(8)]
        begin = time.thread_time()
        for number in range(100):
            with open(names[number % 8], "rb") as file:
                file.read(4096)
        return torch.tensor((time.thread_time() - begin) / 100)


class Computed:
    def __len__(self):
        return RATE

    def __getitem__(self, index):
        import torch
        for _ in range(2000):
            sum(range(200))
        return torch.tensor([os.getpid(), time.process_time()], dtype=torch.float64)


def files():
    from torch.utils.data import DataLoader
    times = [float(batch) for batch in DataLoader(Files(), batch_size=None, num_workers=1)]
    return {"ns": 1e9 * statistics.median(times[FILES // 10:])}


def rate():
    import torch
    from torch.utils.data import DataLoader
    layer, seen, begin = torch.nn.Linear(2, 1), {}, None
    for index, (batch,) in enumerate(DataLoader(Computed(), batch_size=1, num_workers=4)):
        layer(batch.float())
        if index >= RATE // 10:
            begin = begin or (time.perf_counter(), time.process_time())
            seen.setdefault(int(batch[0]), []).append(float(batch[1]))
    span, own = time.perf_counter() - begin[0], time.process_time() - begin[1]
    worked = sum(times[-1] - times[0] for times in seen.values())
    made = sum(len(times) - 1 for times in seen.values())
    return {"ns": 1e9 * span / (RATE - RATE // 10), "cpu_ns": 1e9 * (worked / made + own / (RATE - RATE // 10))}


def ask(command):
    return json.loads(subprocess.run(shlex.split(command), check=True, capture_output=True, text=True).stdout)


def main(pairs, plain, traced):
    answers = [(ask(plain), ask(traced)) for _ in range(int(pairs))]
    for key in answers[0][0]:
        without = statistics.median(a[key] for a, _ in answers)
        ratio = statistics.median(b[key] / a[key] for a, b in answers)
        more = statistics.median(b[key] - a[key] for a, b in answers)
        print(f"{key} {without:.0f} {100 * (ratio - 1):+.2f} % {more:+.0f} ns")


if sys.argv[1:] in (["--files"], ["--rate"]):
    if __name__ == "__main__":
        print(json.dumps((files if sys.argv[1] == "--files" else rate)()))
else:
    main(*sys.argv[1:])
