"""Asks the simulated GPU for what it has not: a kernel that is not computed, a product too large for the host, a
library that refuses."""
import torch

# uncomputed: group normalisation
norm = torch.nn.GroupNorm(2, 4).cuda()
print(norm(torch.randn(2, 4, 8, device="cuda")).sum().item() is not None)
# too large for the host: its values are 0, whatever they would be
print((torch.ones(400, 1000, device="cuda") @ torch.ones(1000, 400, device="cuda")).sum().item())
try:
    torch.sparse.mm(torch.eye(4, device="cuda").to_sparse(), torch.eye(4, device="cuda").to_sparse())
except RuntimeError:
    print("refused")
