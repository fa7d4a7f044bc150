# SPDX-License-Identifier: MIT
"""Lightning's Trainer around a small module that logs its loss and an accuracy on every step, with validation."""
# truth: steps=40 needs=lightning
# cudasim: CUDASIM_KERNELS=*=20us
import logging
import warnings

import lightning
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from data import Pictures


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = nn.Sequential(nn.Flatten(), nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))

    def training_step(self, batch, index):
        images, target = batch
        output = self.network(images)
        loss = F.cross_entropy(output, target)
        self.log("train_loss", loss, prog_bar=True)
        self.log("train_acc", (output.argmax(1) == target).float().mean(), prog_bar=True)
        return loss

    def validation_step(self, batch, index):
        images, target = batch
        self.log("val_loss", F.cross_entropy(self.network(images), target), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main():
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    trainer = lightning.Trainer(max_epochs=2, accelerator="gpu", devices=1, logger=False, enable_checkpointing=False,
                                enable_model_summary=False, log_every_n_steps=1)
    trainer.fit(Classifier(), DataLoader(Pictures(160), batch_size=8, shuffle=True),
                DataLoader(Pictures(24), batch_size=8))
    print({name: round(float(value), 1) for name, value in trainer.callback_metrics.items()})


if __name__ == "__main__":
    main()
