"""Processes that multiprocessing starts anew, each with operators of its own. usage: started.py spawn|forkserver|fork"""
import multiprocessing
import sys


def work():
    import torch

    for _ in range(20):
        torch.ones(50, 50).matmul(torch.ones(50, 50))


if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    processes = [multiprocessing.Process(target=work) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
