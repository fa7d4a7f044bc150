# SPDX-License-Identifier: MIT
"""LoRA fine-tuning by a trainer with a list of callbacks: two small batches a step, a log every ten steps, an evaluation
every twenty. The host does much, but ahead of a device that is always busy: nothing to mend."""
# truth: class=gpu cause=device_compute steps=60 ahead=any phases=evaluation:3
# truth: never=launch-bound|input-bound|input-single-process|sync-scalar-read|host-python|step-outlier
# cudasim: CUDASIM_KERNELS=*=250us
import math

import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import compute


class LoraLinear(nn.Module):
    def __init__(self, base, rank=4, alpha=8):
        super().__init__()
        self.base, self.scaling = base.requires_grad_(False), alpha / rank
        self.lora_a = nn.Parameter(torch.randn(rank, base.in_features) / math.sqrt(base.in_features))
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + (x @ self.lora_a.t() @ self.lora_b.t()) * self.scaling


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.up, self.down = LoraLinear(nn.Linear(size, 2 * size)), LoraLinear(nn.Linear(2 * size, size))

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Causal(nn.Module):
    def __init__(self, words=60, size=32):
        super().__init__()
        self.embed = nn.Embedding(words, size)
        self.blocks = nn.Sequential(Block(size), Block(size))
        self.head = nn.Linear(size, words)

    def forward(self, tokens, labels):
        logits = self.head(self.blocks(self.embed(tokens)))
        return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


class Callback:
    def on_step_end(self, trainer):
        pass

    def on_log(self, trainer, logs):
        pass

    def on_evaluate(self, trainer, value):
        pass


class Progress(Callback):
    def on_step_end(self, trainer):
        compute(0.6)  # the bar is drawn

    def on_log(self, trainer, logs):
        print(logs)


class MemoryWatch(Callback):
    def __init__(self):
        self.peak = 0

    def on_step_end(self, trainer):
        self.peak = max(self.peak, torch.cuda.max_memory_allocated())


class Best(Callback):
    def __init__(self):
        self.best = math.inf

    def on_evaluate(self, trainer, value):
        self.best = min(self.best, value)


class Trainer:
    def __init__(self, model, training, held_out, callbacks, accumulate=2, log_every=10, evaluate_every=20):
        self.model, self.training, self.held_out, self.callbacks = model, training, held_out, callbacks
        self.accumulate, self.log_every, self.evaluate_every = accumulate, log_every, evaluate_every
        learned = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(learned, lr=2e-3)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: 1 / (1 + step / 100))
        self.step, self.total = 0, torch.zeros((), device="cuda")

    def tell(self, event, *what):
        for callback in self.callbacks:
            getattr(callback, event)(self, *what)

    def prepare(self, batch):
        return [part.to("cuda", non_blocking=True) for part in batch]

    def training_step(self, batch):
        self.model.train()
        loss = self.model(*self.prepare(batch)) / self.accumulate
        loss.backward()
        return loss.detach()

    def maybe_log(self):
        if self.step % self.log_every == 0:
            mean = self.total.item() / self.log_every
            self.total -= self.total
            self.tell("on_log", {"step": self.step, "loss": round(mean, 4), "lr": self.scheduler.get_last_lr()[0]})

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        losses = [self.model(*self.prepare(batch)) for batch in self.held_out]
        self.tell("on_evaluate", torch.stack(losses).mean().item())

    def train(self, clock):
        for at, batch in enumerate(self.training, 1):
            self.total += self.training_step(batch)
            if at % self.accumulate:
                continue
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.scheduler.step()
            self.optimizer.zero_grad()
            self.step += 1
            self.tell("on_step_end")
            self.maybe_log()
            clock.step()
            if self.step % self.evaluate_every == 0:
                with clock.gap():
                    self.evaluate()


def batches(count, rows=4, length=12):
    tokens = torch.randint(0, 60, (count * rows, length + 1))
    return DataLoader(TensorDataset(tokens[:, :-1], tokens[:, 1:]), batch_size=rows)


def main():
    torch.manual_seed(0)
    trainer = Trainer(Causal().cuda(), batches(120), batches(7), [Progress(), MemoryWatch(), Best()])
    clock = Stamps()
    trainer.train(clock)
    clock.end()


main()
