# SPDX-License-Identifier: MIT
"""Training on a large set of pictures with made-up data: meters for every figure, accuracies at 1 and 5, a schedule,
and a validation after each epoch. One process, a residual network, four workers that are not fast enough."""
# truth: steps=40 class=io rule=input-bound
import time

import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader

from data import Pictures


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(out)) + x)


def residual_network():
    return nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True), Block(4),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 10))


class AverageMeter:
    def __init__(self, name):
        self.name, self.value, self.sum, self.count = name, 0, 0, 0

    def update(self, value, n=1):
        self.value, self.sum, self.count = value, self.sum + value * n, self.count + n

    def __str__(self):
        return f"{self.name} {self.value:.3f} ({self.sum / max(1, self.count):.3f})"


def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        _, pred = output.topk(max(topk), 1, True, True)
        correct = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
        return [correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / target.size(0)) for k in topk]


def train(loader, model, criterion, optimizer, epoch, device):
    batch_time, data_time = AverageMeter("time"), AverageMeter("data")
    losses, top1, top5 = AverageMeter("loss"), AverageMeter("acc@1"), AverageMeter("acc@5")
    model.train()
    end = time.time()
    for i, (images, target) in enumerate(loader):  # truth: here
        data_time.update(time.time() - end)
        images = images.to(device, non_blocking=True)
        target = target.to(device, non_blocking=True)
        output = model(images)
        loss = criterion(output, target)
        acc1, acc5 = accuracy(output, target, topk=(1, 5))
        losses.update(loss.item(), images.size(0))
        top1.update(acc1[0], images.size(0))
        top5.update(acc5[0], images.size(0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        batch_time.update(time.time() - end)
        end = time.time()
        if i % 5 == 0:
            print(f"epoch {epoch} [{i}] {batch_time} {data_time} {losses} {top1} {top5}")


def validate(loader, model, criterion, device):
    losses, top1 = AverageMeter("loss"), AverageMeter("acc@1")
    model.eval()
    with torch.no_grad():
        for images, target in loader:
            images, target = images.to(device, non_blocking=True), target.to(device, non_blocking=True)
            output = model(images)
            losses.update(criterion(output, target).item(), images.size(0))
            top1.update(accuracy(output, target)[0][0], images.size(0))
    return top1.sum / top1.count


def main():
    device = torch.device("cuda")
    model, criterion = residual_network().to(device), nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    scheduler = StepLR(optimizer, step_size=30, gamma=0.1)
    pictures = Pictures(160, (3, 32, 32), seconds=0.02)
    loader = DataLoader(pictures, batch_size=8, shuffle=True, num_workers=4, pin_memory=True)
    val_loader = DataLoader(Pictures(32, (3, 32, 32)), batch_size=8, num_workers=2, pin_memory=True)
    best = torch.zeros(())
    for epoch in range(2):
        train(loader, model, criterion, optimizer, epoch, device)
        acc1 = validate(val_loader, model, criterion, device)
        scheduler.step()
        is_best = acc1 > best
        best = max(acc1, best)
        print(f"epoch {epoch} acc@1 {acc1:.1f}{' best' if is_best else ''}")


if __name__ == "__main__":
    main()
