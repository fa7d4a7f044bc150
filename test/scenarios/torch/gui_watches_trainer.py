# SPDX-License-Identifier: MIT
"""A window polls its events in the main thread, and shows memory and progress; a thread of its own trains, and is sound."""
# truth: class=gpu cause=device_compute steps=60 ahead=any
# truth: never=launch-bound|input-bound|host-blocked|host-queue|sync-explicit|sync-scalar-read|sync-polling|host-gil|host-python
# cudasim: CUDASIM_KERNELS=*=1ms
import queue
import threading

import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


class Window:
    def __init__(self):
        self.events, self.frames, self.shown = queue.Queue(), 0, ""

    def mainloop(self):
        while True:
            try:
                event = self.events.get(timeout=0.016)
            except queue.Empty:
                self.redraw()
                continue
            if event == "closed":
                return
            self.shown = event

    def redraw(self):
        self.frames += 1
        if self.frames % 12 == 0:
            torch.cuda.synchronize()  # or the gauge would jump
        gauge = torch.cuda.memory_stats().get("allocated_bytes.all.current", 0) + torch.cuda.memory_allocated()
        compute(0.5)  # drawing
        self.shown = f"{self.frames}: {gauge}"


class Trainer(threading.Thread):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def run(self):
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        x, y = regression()
        clock = Stamps()
        for step in range(60):
            loss = train_step(model, optimizer, x, y)
            if step % 10 == 9:
                self.window.events.put(f"loss {loss.item():.4f}")
            clock.step()
        clock.end()
        self.window.events.put("closed")


def main():
    window = Window()
    trainer = Trainer(window)
    trainer.start()
    window.mainloop()
    trainer.join()


main()
