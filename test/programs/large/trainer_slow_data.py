# SPDX-License-Identifier: MIT
"""transformers' Trainer with samples that are slow to read and no worker: the waiting is below `trainer.train()`."""
# truth: steps=40 class=io rule=input-bound needs=transformers
import tempfile

from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

from data import Sentences


def main():
    model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=32, n_layer=1, n_head=2))
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(output_dir=folder, per_device_train_batch_size=8, max_steps=40, logging_steps=20,
                                 gradient_accumulation_steps=2, save_strategy="no", report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=Sentences(640, seconds=0.01))
        trainer.train()  # truth: here


if __name__ == "__main__":
    main()
