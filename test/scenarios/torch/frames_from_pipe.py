# SPDX-License-Identifier: MIT
"""Embeddings of a video whose frames another program decodes into a pipe, more slowly than the network runs."""
# truth: class=io cause=idle_input rule=input-bound steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=400us
import subprocess
import sys

import numpy
import torch
from stamps import Stamps
from torch import nn

WIDTH, HEIGHT, FRAMES = 96, 64, 8
DECODER = f"""
import os, time
frame = bytes({WIDTH * HEIGHT * 3})
for _ in range({FRAMES * 60}):
    time.sleep(0.0025)
    os.write(1, frame)
"""


def read_clip(source):
    data = source.read(FRAMES * HEIGHT * WIDTH * 3)  # truth: here
    return numpy.frombuffer(data, numpy.uint8).reshape(FRAMES, -1)


@torch.inference_mode()
def main():
    model = nn.Sequential(nn.Linear(HEIGHT * WIDTH * 3, 32), nn.ReLU(), nn.Linear(32, 16)).cuda()
    decoder = subprocess.Popen([sys.executable, "-S", "-c", DECODER], stdout=subprocess.PIPE)
    embeddings = []
    clock = Stamps()
    for _ in range(60):
        clip = read_clip(decoder.stdout)
        clock.spent("idle_input")
        x = torch.from_numpy(clip.copy()).cuda().float().div_(255)
        embeddings.append(nn.functional.normalize(model(x)).cpu().numpy())
        clock.step()
    clock.end()
    decoder.wait()
    print(numpy.concatenate(embeddings).shape)


if __name__ == "__main__":
    main()
