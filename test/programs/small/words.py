# SPDX-License-Identifier: MIT
"""A language model with a recurrent network whose weights are changed by hand: there is no optimiser to count."""
# truth: steps=60|any
# cudasim: CUDASIM_KERNELS=*=40us
import math
import time

import torch
from torch import nn

WORDS, BATCH, BPTT, CLIP, LOG_INTERVAL = 64, 8, 6, 0.25, 20


def batchify(data, size, device):
    count = data.size(0) // size
    return data.narrow(0, 0, count * size).view(size, -1).t().contiguous().to(device)


def repackage_hidden(hidden):
    return hidden.detach() if isinstance(hidden, torch.Tensor) else tuple(repackage_hidden(part) for part in hidden)


def get_batch(source, i):
    length = min(BPTT, len(source) - 1 - i)
    return source[i:i + length], source[i + 1:i + 1 + length].view(-1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Embedding(WORDS, 32)
        self.rnn = nn.LSTM(32, 32, 1)
        self.decoder = nn.Linear(32, WORDS)

    def forward(self, data, hidden):
        output, hidden = self.rnn(self.encoder(data), hidden)
        return nn.functional.log_softmax(self.decoder(output).view(-1, WORDS), dim=1), hidden

    def init_hidden(self):
        weight = next(self.parameters())
        return weight.new_zeros(1, BATCH, 32), weight.new_zeros(1, BATCH, 32)


device = torch.device("cuda")
corpus = torch.arange(BATCH * (BPTT * 30 + 1)) * 5 % WORDS
train_data, val_data = batchify(corpus, BATCH, device), batchify(corpus[:400], BATCH, device)
model, criterion = Model().to(device), nn.NLLLoss()


def evaluate(source):
    model.eval()
    total, hidden = 0.0, model.init_hidden()
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, BPTT):
            data, targets = get_batch(source, i)
            output, hidden = model(data, hidden)
            hidden = repackage_hidden(hidden)
            total += len(data) * criterion(output, targets).item()
    return total / (len(source) - 1)


def train(epoch, lr):
    model.train()
    total, begin, hidden = 0.0, time.time(), model.init_hidden()
    for batch, i in enumerate(range(0, train_data.size(0) - 1, BPTT)):
        data, targets = get_batch(train_data, i)
        model.zero_grad()
        hidden = repackage_hidden(hidden)
        output, hidden = model(data, hidden)
        loss = criterion(output, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)
        total += loss.item()
        if batch % LOG_INTERVAL == 0 and batch > 0:
            average, elapsed = total / LOG_INTERVAL, time.time() - begin
            print(f"epoch {epoch} batch {batch} {elapsed * 1000 / LOG_INTERVAL:.0f} ms loss {average:.2f} "
                  f"ppl {math.exp(average):.1f}")
            total, begin = 0.0, time.time()


for number in (1, 2):
    train(number, 1.0)
    print(f"valid loss {evaluate(val_data):.2f}")
