/* SPDX-License-Identifier: MIT */
/* Loads a stand-in for libpaddle as Python would, and trains with it: train LIBRARY STEPS WAIT_US WORK_US */
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void *library = argc == 5 ? dlopen(argv[1], RTLD_NOW) : nullptr;
	if (library == nullptr)
		return 2;
	auto train = reinterpret_cast<int (*)(int, unsigned, unsigned)>(dlsym(library, "train"));
	if (train == nullptr)
		return 3;
	auto one_event = reinterpret_cast<void (*)()>(dlsym(library, "one_event"));
	if (one_event != nullptr)
		one_event();
	std::printf("%d events ended\n",
		train(std::atoi(argv[2]), (unsigned)std::atoi(argv[3]), (unsigned)std::atoi(argv[4])));
}
