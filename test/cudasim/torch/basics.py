# SPDX-License-Identifier: MIT
"""The everyday calls: tensors, reads, copies, pinned memory, streams, events, memory statistics."""
import sys
import threading

import torch

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


@check
def device_is_there():
    assert torch.cuda.is_available() and torch.cuda.device_count() >= 1
    assert torch.cuda.get_device_capability() >= (7, 0)
    assert torch.cuda.get_device_properties(0).total_memory > 1 << 30


@check
def reading_values():
    t = torch.full((1,), 2.5, device="cuda")
    assert t.item() == 2.5 and float(t) == 2.5 and bool(t) and int(t) == 2
    assert (t * 2).cpu().tolist() == [5.0] and t.tolist() == [2.5]
    assert t.cpu().numpy()[0] == 2.5
    assert "2.5" in str(t)


@check
def copies():
    host = torch.arange(1000.0)
    assert torch.equal(host.to("cuda").cpu(), host)
    assert torch.equal(host.cuda().clone().to("cpu"), host)
    pinned = host.pin_memory()
    assert pinned.is_pinned() and not host.is_pinned()
    there = pinned.to("cuda", non_blocking=True)
    back = torch.empty(1000, pin_memory=True)
    back.copy_(there, non_blocking=True)
    torch.cuda.synchronize()
    assert torch.equal(back, host)
    assert torch.equal(host.to("cuda", torch.float64).cpu(), host.double())


@check
def masks_and_counts():
    t = torch.arange(10, device="cuda")
    assert t[t > 6].tolist() == [7, 8, 9]
    assert torch.nonzero(t % 2).flatten().tolist() == [1, 3, 5, 7, 9]
    assert (t > 3).sum().item() == 6 and (t >= 0).all() and not (t > 20).any()
    assert torch.where(t > 8)[0].item() == 9
    assert torch.unique(t % 3).tolist() == [0, 1, 2]


@check
def events_and_streams():
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    side = torch.cuda.Stream()
    begin.record()
    with torch.cuda.stream(side):
        t = torch.ones(1000, device="cuda") * 3
    torch.cuda.current_stream().wait_stream(side)
    end.record()
    end.synchronize()
    assert begin.elapsed_time(end) >= 0 and end.query()
    side.synchronize()
    assert side.query() and t.sum().item() == 3000


@check
def waits_are_real():
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    host = torch.empty(1 << 22, pin_memory=True)
    begin.record()
    there = host.to("cuda", non_blocking=True)
    end.record()
    end.synchronize()
    assert begin.elapsed_time(end) > 0.1, "16 MiB cannot arrive in no time"
    assert there.numel() == 1 << 22


@check
def memory():
    before = torch.cuda.memory_allocated()
    t = torch.zeros(1 << 20, device="cuda")
    assert torch.cuda.memory_allocated() - before >= 4 << 20
    del t
    torch.cuda.empty_cache()
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total


@check
def out_of_memory_is_an_error():
    try:
        torch.empty(1 << 50, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        return
    raise AssertionError("no error for 1 PiB")


@check
def other_threads():
    result = []
    worker = threading.Thread(target=lambda: result.append(torch.ones(5, device="cuda").sum().item()))
    worker.start()
    worker.join()
    assert result == [5.0]


@check
def synchronising_is_announced():
    torch.cuda.set_sync_debug_mode("error")
    try:
        torch.ones(1, device="cuda").item()
        raise AssertionError("no error")
    except RuntimeError as error:
        assert "synchronizing" in str(error)
    finally:
        torch.cuda.set_sync_debug_mode("default")


def main():
    failed = 0
    for function in CHECKS:
        try:
            function()
        except Exception as error:
            failed += 1
            print(f"not ok {function.__name__}: {type(error).__name__}: {error}")
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
