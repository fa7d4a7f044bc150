# SPDX-License-Identifier: MIT
"""A model, an optimiser, a schedule and a mean of the weights from timm, in the manner of its training script."""
# truth: steps=40 needs=timm
# cudasim: CUDASIM_KERNELS=*=20us CUDASIM_COMPUTE=0
import timm
import torch
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import AverageMeter, ModelEmaV2, accuracy
from torch import nn
from torch.utils.data import DataLoader

from data import Pictures


def train_one_epoch(epoch, model, loader, optimizer, loss_fn, scheduler, ema, device):
    losses = AverageMeter()
    model.train()
    updates = epoch * len(loader)
    for index, (images, target) in enumerate(loader):
        images, target = images.to(device), target.to(device)
        output = model(images)
        loss = loss_fn(output, target)
        losses.update(loss.item(), images.size(0))
        optimizer.zero_grad()
        loss.backward()
        timm.utils.dispatch_clip_grad(model.parameters(), value=1.0, mode="norm")
        optimizer.step()
        ema.update(model)
        updates += 1
        scheduler.step_update(num_updates=updates, metric=losses.avg)
        if index % 5 == 0:
            print(f"train {epoch} [{index}/{len(loader)}] loss {losses.val:.3f} ({losses.avg:.3f})")


@torch.no_grad()
def validate(model, loader, device):
    top1, top5 = AverageMeter(), AverageMeter()
    model.eval()
    for images, target in loader:
        images, target = images.to(device), target.to(device)
        acc1, acc5 = accuracy(model(images), target, topk=(1, 5))
        top1.update(acc1.item(), images.size(0))
        top5.update(acc5.item(), images.size(0))
    return top1.avg


def main():
    device = torch.device("cuda")
    model = timm.create_model("test_resnet", pretrained=False, num_classes=10).to(device)
    optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
    scheduler = CosineLRScheduler(optimizer, t_initial=2, warmup_t=0)
    ema = ModelEmaV2(model, decay=0.999)
    loader = DataLoader(Pictures(160, (3, 32, 32)), batch_size=8, shuffle=True, num_workers=2, pin_memory=True)
    val_loader = DataLoader(Pictures(24, (3, 32, 32)), batch_size=8)
    for epoch in range(2):
        train_one_epoch(epoch, model, loader, optimizer, nn.CrossEntropyLoss(), scheduler, ema, device)
        print(f"epoch {epoch} acc@1 {validate(ema.module, val_loader, device):.1f}")
        scheduler.step(epoch + 1)


if __name__ == "__main__":
    main()
