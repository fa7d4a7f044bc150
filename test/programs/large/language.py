# SPDX-License-Identifier: MIT
"""A language model after PyTorch's example, with the transformer and the corpus that Lightning's demonstrations have of it:
a plain loop that logs every few batches and evaluates after each epoch. The mask that is made anew in each step waits."""
# truth: steps=40 needs=lightning
# cudasim: CUDASIM_KERNELS=*=20us
import math
import pathlib
import tempfile
import time

import torch
from lightning.pytorch.demos.transformer import Transformer, WikiText2
from torch import nn
from torch.utils.data import DataLoader

BATCH, BPTT, LOG_INTERVAL, CLIP = 4, 8, 10, 0.25
device = torch.device("cuda")
criterion = nn.NLLLoss()


def make_corpus(folder, sentences):
    folder.mkdir()
    text = "\n".join(" ".join(f"word{(7 * i + 3 * k) % 50}" for k in range(9)) for i in range(sentences))
    (folder / "wikitext-2.txt").write_text(text + "\n")
    return WikiText2(folder, BPTT, download=False)


def evaluate(model, loader):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for data, targets in loader:
            output = model(data.to(device), targets.to(device))
            total += len(data) * criterion(output, targets.view(-1).to(device)).item()
    return total / len(loader.dataset)


def train(model, loader, optimizer, epoch):
    model.train()
    total, begin = torch.zeros((), device=device), time.time()
    for batch, (data, targets) in enumerate(loader, 1):
        data, targets = data.to(device, non_blocking=True), targets.to(device, non_blocking=True)
        model.zero_grad()
        output = model(data, targets)
        loss = criterion(output, targets.view(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        total += loss.detach()
        if batch % LOG_INTERVAL == 0:
            average, elapsed = total.item() / LOG_INTERVAL, time.time() - begin
            print(f"epoch {epoch} batch {batch} {elapsed * 1000 / LOG_INTERVAL:.0f} ms loss {average:.2f} "
                  f"ppl {math.exp(average):.1f}")
            total.zero_()
            begin = time.time()


def main():
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        corpus = make_corpus(pathlib.Path(folder) / "train", 65)
        held = make_corpus(pathlib.Path(folder) / "valid", 17)
    loader = DataLoader(corpus, batch_size=BATCH, shuffle=True, pin_memory=True, drop_last=True)
    model = Transformer(corpus.vocab_size, ninp=32, nhead=2, nhid=32, nlayers=1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in (1, 2):
        train(model, loader, optimizer, epoch)
        print(f"valid loss {evaluate(model, DataLoader(held, batch_size=BATCH)):.2f}")


if __name__ == "__main__":
    main()
