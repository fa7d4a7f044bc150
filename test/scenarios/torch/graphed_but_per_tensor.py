"""Forward and backward are one captured graph, but the optimiser walks over 150 tiny tensors one by one."""
# truth: class=cpu cause=idle_launch rule=optimizer-per-tensor says=launch-bound steps=40
# truth: never=input-bound|gpu-bound|sync-scalar-read|gradients-zeroed
# cudasim: CUDASIM_KERNELS=*=2us
import torch
from torch import nn

from stamps import Stamps


class Scales(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.scales = nn.ParameterList(nn.Parameter(torch.full((8,), 0.99)) for _ in range(count))

    def forward(self, x):
        return sum(x * s for s in self.scales)


model = Scales(150).cuda()
optimizer = torch.optim.Adam(model.parameters(), foreach=False)
x = torch.randn(16, 8, device="cuda")


def forward_backward():
    loss = model(x).pow(2).mean()
    loss.backward()
    return loss


stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    for _ in range(2):
        forward_backward()
        optimizer.zero_grad(set_to_none=False)
torch.cuda.current_stream().wait_stream(stream)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = forward_backward()
clock = Stamps()
for step in range(40):
    for p in model.parameters():
        p.grad.zero_()
    x.normal_()
    graph.replay()
    optimizer.step()  # truth: here
    clock.step()
clock.end()
