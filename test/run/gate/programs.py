"""Programs as others write them through `trace-run --simulate`: the same again passes, each mistake fails at its line.

usage: programs.py WORK [PROGRAM...]      LIBRARIES is the folder of what the large ones import; else they are left out
"""
import concurrent.futures
import os
import pathlib
import sys

import holding

PROGRAMS = holding.ROOT / "test/programs"
# of each: the program, and its mistakes as in mistakes.py
ALL = [
    ("small/digits.py", [
        ("item", "before", "        optimizer.step()", "        seen = loss.item()",
         {("syncs", "seen ="), ("copies_async", "seen =")}),
        ("pin-dropped", "instead", '    options = {"batch_size": 8, "num_workers": 1, "pin_memory": True}',
         '    options = {"batch_size": 8, "num_workers": 1}', {("copies_in_pageable", "data, target ="), ("copies_async", None)}),
        ("each-batch", "instead", "        if batch % args.log_interval == 0:", "        if batch % 3 == 0:",
         {("syncs", "print(f\"train epoch"), ("copies_async", "print(f\"train epoch")}),
    ]),
    ("small/words.py", [
        ("accuracy", "before", "        loss.backward()",
         "        right = (output.argmax(1) == targets).sum().item()",
         {("syncs", "right ="), ("copies_async", "right ="), ("launches", "right =")}),
        ("hidden", "before", "        loss = criterion(output, targets)",
         "        hidden = tuple(part.cpu().to(device) for part in hidden)",
         {("syncs", "hidden ="), ("copies_in", "hidden =")}),
    ]),
    ("large/language.py", [
        ("average", "instead", "        total += loss.detach()", "        total += loss.detach(); seen = total.item()",
         {("syncs", "total +="), ("copies_async", "total +=")}),
        ("synchronize", "before", "        optimizer.step()", "        torch.cuda.synchronize()",
         {("syncs", "torch.cuda.synchronize()")}),
    ]),
    ("large/trainer.py", [
        ("callback", "before", "        trainer.train()",
         "        from transformers import TrainerCallback\n"
         "        class Watch(TrainerCallback):\n"
         "            def on_step_end(self, *given, model=None, **others):\n"
         "                norm = model.classifier.weight.detach().norm().item()\n"
         "        trainer.add_callback(Watch())",
         {("syncs", "norm ="), ("copies_async", "norm ="), ("launches", "norm =")}),
    ]),
]


def record(folder, name, text):
    """Record a program of that text in a folder of its own, from within it; the folder."""
    folder.mkdir(parents=True)
    (folder / name).write_text(text)
    # a ring that holds all, however busy the machine is: lost events are not what is asked about here
    words = ["trace-run", "--simulate", "--quiet", "--ring-kb", "65536", "-o", "run", "python3", name]
    holding.record(folder, words, cwd=folder)
    return folder


def hold(program, mistakes, work, pool):
    path = PROGRAMS / program
    text, name = path.read_text(), path.name
    texts = [text, text, *(holding.put(text, line, where, new) for _, where, line, new, _ in mistakes)]
    names = ["base", "again", *(mistake[0] for mistake in mistakes)]
    folders = list(pool.map(lambda each: record(work / path.stem / each[0], name, each[1]), zip(names, texts)))
    baseline = folders[0] / "baseline"
    code, out, err = holding.check(folders[0], "--write-baseline", baseline)
    holding.tell(code == 0, f"{name}: a baseline is written", out + err)
    holding.hold_same(folders[1], baseline, f"{name} again")
    for folder, mistake in zip(folders[2:], mistakes):
        holding.hold_mistake(folder, name, baseline, f"{name}: {mistake[0]}", mistake[4])


def main():
    work = pathlib.Path(sys.argv[1])
    os.environ.update(CUDASIM_KERNELS="*=20us", OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", HF_HUB_OFFLINE="1",
                      PYTHONPATH=f"{PROGRAMS}:{os.environ.get('LIBRARIES', '')}")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for program, mistakes in ALL:
            if len(sys.argv) > 2 and program not in sys.argv[2:]:
                continue
            if program.startswith("large/") and not os.environ.get("LIBRARIES"):
                print(f"skip {program}: what it imports is not there")
                continue
            hold(program, mistakes, work, pool)
    print(f"{holding.passed} passed, {holding.failed} failed")
    return holding.failed != 0


sys.exit(main())
