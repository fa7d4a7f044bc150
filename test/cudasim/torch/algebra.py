# SPDX-License-Identifier: MIT
"""Linear algebra through cuSOLVER and cuBLAS, and sparse tensors through cuSPARSE: values are those of the CPU."""
import os
import subprocess
import sys

import simlog
import torch
from torch import nn

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def data(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def positive(*shape, **more):
    a = data(*shape, **more)
    return a @ a.mT + shape[-1] * torch.eye(shape[-1], dtype=a.dtype)


def dense(tensor):
    return tensor.detach().cpu().to_dense() if tensor.layout != torch.strided else tensor.detach().cpu()


def same(of, *tensors, limit=2e-4):
    """What of() makes of the tensors on the device is what it makes of them on the CPU."""
    here, there = of(*tensors), of(*(t.cuda() for t in tensors))
    for a, b in zip(here if isinstance(here, (list, tuple)) else [here],
                    there if isinstance(there, (list, tuple)) else [there], strict=True):
        a, b = dense(a), dense(b)
        assert a.shape == b.shape, (a.shape, b.shape)
        worst = (a - b).abs().max().item() if a.numel() else 0
        assert worst < limit, f"off by {worst}"


@check
def linear_systems():
    for a, b in ((data(6, 6), data(6, 3, seed=1)), (data(4, 5, 5), data(4, 5, 2, seed=1)),
                 (data(6, 6, dtype=torch.float64), data(6, 6, seed=1, dtype=torch.float64)), (data(1, 1) + 2, data(1, 1))):
        same(torch.linalg.solve, a, b)
        same(torch.linalg.inv, a)
        same(lambda a: torch.linalg.lu_factor(a)[0], a)
        same(lambda a, b: torch.linalg.solve(a, b.mT, left=False), a, b)
    same(torch.linalg.lu, data(5, 3))
    same(torch.linalg.lu, data(2, 4, 4))


@check
def a_singular_matrix_is_told():
    for device in ("cpu", "cuda"):
        try:
            torch.linalg.inv(torch.ones(3, 3, device=device))
            raise AssertionError(f"{device}: no error")
        except torch.linalg.LinAlgError:
            pass
    bad = torch.diag(torch.tensor([1.0, 2, -3, 4]))
    assert torch.linalg.cholesky_ex(bad.cuda()).info.item() == torch.linalg.cholesky_ex(bad).info.item() == 3


@check
def cholesky():
    for a in (positive(6, 6), positive(4, 5, 5), positive(7, 7, dtype=torch.float64)):
        b = data(*a.shape[:-1], 2, seed=1, dtype=a.dtype)
        same(torch.linalg.cholesky, a)
        for upper in (False, True):
            same(lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(a, upper=upper), upper=upper), a, b)
        same(lambda a: torch.cholesky_inverse(torch.linalg.cholesky(a)), a)


@check
def triangular_systems():
    for a in (data(5, 5) + 4 * torch.eye(5), data(3, 5, 5) + 4 * torch.eye(5)):
        b = data(*a.shape[:-1], 2, seed=1)
        for upper in (False, True):
            for unit in (False, True):
                same(lambda a, b: torch.linalg.solve_triangular(a, b, upper=upper, unitriangular=unit), a, b, limit=1e-2)
                same(lambda a, b: torch.linalg.solve_triangular(a.mT, b, upper=not upper, unitriangular=unit), a, b, limit=1e-2)
                same(lambda a, b: torch.linalg.solve_triangular(a, b.mT, upper=upper, left=False, unitriangular=unit), a, b, limit=1e-2)


@check
def eigenvalues():
    for a in (positive(6, 6), positive(3, 4, 4), positive(20, 20), data(6, 6), torch.eye(4), torch.zeros(3, 3),
              positive(5, 5, dtype=torch.float64)):
        same(torch.linalg.eigvalsh, a)
        same(lambda a: torch.linalg.eigvalsh(a, UPLO="U"), a)

        def rebuilt(a):
            values, vectors = torch.linalg.eigh(a)
            return [values, vectors @ torch.diag_embed(values) @ vectors.mT, vectors.mT @ vectors]
        same(rebuilt, a)


@check
def singular_values():
    for a in (data(6, 3), data(3, 6), data(5, 5), data(2, 4, 3), data(6, 1) @ data(1, 4, seed=1), torch.zeros(4, 2),
              data(12, 9, dtype=torch.float64)):
        same(torch.linalg.svdvals, a)
        for full in (False, True):
            def rebuilt(a):
                u, s, v = torch.linalg.svd(a, full_matrices=full)
                k = s.shape[-1]
                return [s, u[..., :k] @ torch.diag_embed(s) @ v[..., :k, :], u.mT @ u, v @ v.mT]
            same(rebuilt, a)
        for driver in ("gesvd", "gesvdj"):
            assert torch.allclose(torch.linalg.svd(a.cuda(), driver=driver).S.cpu(), torch.linalg.svdvals(a), atol=1e-4)
    same(torch.linalg.pinv, data(6, 3))
    same(lambda a: [torch.linalg.matrix_norm(a, 2), torch.linalg.matrix_rank(a)], data(5, 4))


@check
def orthogonal_triangular():
    for a in (data(6, 3), data(3, 6), data(2, 5, 4), data(5, 5, dtype=torch.float64)):
        for mode in ("reduced", "complete"):
            same(lambda a: torch.linalg.qr(a, mode=mode), a)
    same(lambda a, b: torch.linalg.lstsq(a, b).solution, data(8, 4), data(8, 2, seed=1), limit=1e-3)
    same(lambda a, tau, c: torch.ormqr(a, tau, c), *torch.geqrf(data(6, 4)), data(6, 2, seed=1))
    same(lambda a, tau, c: torch.ormqr(a, tau, c, left=False, transpose=True), *torch.geqrf(data(6, 4)), data(3, 6, seed=1))


@check
def gradients():
    def slopes(of):
        def run(*tensors):
            leaves = [t.detach().clone().requires_grad_() for t in tensors]
            of(*leaves).pow(2).sum().backward()
            return [t.grad for t in leaves]
        return run
    same(slopes(torch.linalg.solve), data(5, 5) + 3 * torch.eye(5), data(5, 2, seed=1), limit=1e-3)
    same(slopes(torch.linalg.cholesky), positive(5, 5), limit=1e-3)
    same(slopes(torch.linalg.inv), data(5, 5) + 3 * torch.eye(5), limit=1e-3)
    same(slopes(torch.linalg.eigvalsh), positive(5, 5), limit=1e-2)
    same(slopes(lambda m: torch.distributions.MultivariateNormal(m, torch.eye(4, device=m.device)).log_prob(
        torch.ones(4, device=m.device))), data(4), limit=1e-3)


def points(count=12, rows=6, columns=5, seed=0):
    draw = torch.Generator().manual_seed(seed)
    at = torch.stack([torch.randint(0, size, (count,), generator=draw) for size in (rows, columns)])
    return torch.sparse_coo_tensor(at, torch.randn(count, generator=draw), (rows, columns))


@check
def sparse_products():
    a, b = points(), data(5, 3)
    for given in (a, a.coalesce()):
        same(torch.sparse.mm, given, b)
        same(lambda a, b: a @ b[:, 0], given, b)
        same(lambda a, b: torch.sparse.mm(a.t(), a.to_dense()), given, b)
    rows = a.coalesce().to_sparse_csr()
    same(lambda a, b: a @ b, rows, b)
    same(lambda a, b: a @ b[:, 0], rows, b)
    same(lambda a, b: a.t() @ a.to_dense(), rows, b)
    same(lambda a, b, c: torch.addmm(c, a, b, beta=0.5, alpha=2), rows, b, data(6, 3, seed=2))

    def slope(a, b):
        b = b.detach().clone().requires_grad_()
        torch.sparse.mm(a, b).pow(2).sum().backward()
        return b.grad
    same(slope, a, b)


@check
def sparse_forms():
    a = points()
    same(lambda a: a.to_dense(), a)
    same(lambda a: [a.coalesce().values(), a.coalesce().indices()], a)
    same(lambda a: a.coalesce().to_sparse_csr().to_dense(), a)
    same(lambda a: (a + a).to_dense(), a)
    same(lambda a, b: b + a, a, data(6, 5))
    same(lambda b: b.to_sparse(), data(6, 5).relu())
    same(lambda b: b.to_sparse_csr().to_dense(), data(6, 5).relu())
    same(lambda a: a.coalesce().to_dense(), points(0))
    many = points(20000, 300, 200)
    same(lambda a: [a.coalesce().values(), a.coalesce().indices()], many)


def embeddings(device, optimizer, **more):
    torch.manual_seed(0)
    table = nn.Embedding(50, 4, sparse=True)
    table = table.to(device)
    updates = optimizer(table.parameters(), lr=0.1, **more)
    for step in range(3):
        at = torch.randint(0, 50, (7, 9), generator=torch.Generator().manual_seed(step)).to(device)
        updates.zero_grad()
        table(at).sum(1).pow(2).sum().backward()
        updates.step()
    return table.weight


@check
def sparse_embeddings_learn():
    for optimizer in (torch.optim.SGD, torch.optim.SparseAdam, torch.optim.Adagrad):
        here, there = embeddings("cpu", optimizer), embeddings("cuda", optimizer)
        assert torch.allclose(here, there.cpu(), atol=1e-3), optimizer.__name__


@check
def a_captured_solution_replays():
    a, b = positive(5, 5).cuda(), data(5, 2, seed=1).cuda()
    graph, factor = torch.cuda.CUDAGraph(), torch.linalg.cholesky(a)
    torch.cholesky_solve(b, factor)
    with torch.cuda.graph(graph):
        x = torch.cholesky_solve(b, factor)
    b.mul_(2)
    graph.replay()
    assert torch.allclose(a @ x, b, atol=1e-4)


@check
def products_are_left_out_where_nothing_is_computed():
    program = """import torch
a, b = torch.ones(8, 8).cuda(), torch.full((8, 8), 3.0).cuda()
torch.mm(a, a, out=b)
print(b.cpu().min().item())
"""
    environment = {name: value for name, value in os.environ.items() if name != "CUDASIM_LOG"}
    environment["CUDASIM_COMPUTE"] = "0"
    said = subprocess.check_output([sys.executable, "-c", program], text=True, env=environment)
    assert said == "3.0\n", said


@check
def every_kernel_has_an_effect():
    names = {op.get("kernel") for op in simlog.operations()}
    expected = {"sim_getrf", "sim_getrs", "sim_potrf", "sim_potrs", "sim_trsm", "sim_geqrf", "sim_orgqr", "sim_ormqr",
                "sim_syevd", "sim_gesvd", "sim_csrmm", "sim_csrmv", "sim_coo2csr"}
    assert expected <= names, expected - names
    assert not simlog.uncomputed(), simlog.uncomputed()


if __name__ == "__main__":
    sys.exit(simlog.run_checks(CHECKS))
