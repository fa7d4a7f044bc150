"""Mistakes of which each is a change of one line of train.py: what must be reported, and nowhere else.

Each: name, the line before or instead of which it is put, its text, and the rows that must fail: (what, text of
the line they must name; None: a line that is no more).
"""
STEP = "        optimizer.step()"
SAMPLES = '        samples = samples.to("cuda", non_blocking=True)'
LABELS = '        labels = labels.to("cuda", non_blocking=True)'

BEFORE, INSTEAD = "before", "instead"

MISTAKES = [
    ("item", BEFORE, STEP, "        seen = loss.item()", {("syncs", "seen ="), ("copies_async", "seen =")}),
    ("item-seldom", BEFORE, STEP, "        seen = loss.item() if step % 10 == 0 else 0",
     {("syncs", "seen ="), ("copies_async", "seen =")}),
    ("mask", BEFORE, STEP, "        picked = samples[labels > 3]",
     {("syncs", "picked ="), ("launches", "picked ="), ("copies_async", "picked =")}),
    ("cpu", BEFORE, STEP, "        host = loss.detach().cpu()", {("syncs", "host =")}),
    ("pageable", INSTEAD, LABELS, '        labels = labels.clone().to("cuda", non_blocking=True)',
     {("copies_in", "labels ="), ("copies_async", None)}),
    ("zero-loop", BEFORE, STEP, "        [parameter.grad.mul_(1) for parameter in model.parameters()]",
     {("launches", "[parameter")}),
    ("foreach-off", INSTEAD, "    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)",
     "    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, foreach=False)",
     {("launches", "optimizer.step()")}),
    ("batch", INSTEAD, "STEPS, BATCH, FEATURES, CLASSES = 42, 32, 64, 10",
     "STEPS, BATCH, FEATURES, CLASSES = 42, 16, 64, 10",
     {("copies_async_bytes", "samples ="), ("copies_async_bytes", "labels =")}),
    ("print", BEFORE, STEP, "        print(loss)",
     {("syncs", "print("), ("launches", "print("), ("copies_async", "print(")}),
    ("pin-dropped", INSTEAD,
     "    return DataLoader(TensorDataset(samples, labels), batch_size=BATCH, pin_memory=True)",
     "    return DataLoader(TensorDataset(samples, labels), batch_size=BATCH)",
     {("copies_in", "samples ="), ("copies_in", "labels ="), ("copies_async", None)}),
    ("synchronize", BEFORE, STEP, "        torch.cuda.synchronize()", {("syncs", "torch.cuda.synchronize()")}),
    ("allocation", BEFORE, STEP,
     "        [torch.cuda.caching_allocator_delete(torch.cuda.caching_allocator_alloc(1 << 26)), torch.cuda.empty_cache()]",
     {("allocations", "[torch.cuda")}),
]
QUICK = ["item-seldom", "pageable", "foreach-off"]
