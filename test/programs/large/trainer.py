# SPDX-License-Identifier: MIT
"""transformers' Trainer: one line trains, logs every step, and evaluates; all that waits does so below that line."""
# truth: steps=40 needs=transformers
# cudasim: CUDASIM_KERNELS=*=20us
import tempfile

from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from data import Sentences


def main():
    config = BertConfig(vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=64, max_position_embeddings=32, num_labels=2)
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(output_dir=folder, per_device_train_batch_size=8, num_train_epochs=2, logging_steps=1,
                                 eval_strategy="epoch", save_strategy="no", report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=Sentences(160, labels=2),
                          eval_dataset=Sentences(24, labels=2))
        trainer.train()
        print(trainer.evaluate())


if __name__ == "__main__":
    main()
