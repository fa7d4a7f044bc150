/* SPDX-License-Identifier: MIT */
/*
 * CUDASIM_NCCL: how fast ranks talk and how long they wait for each other; the clock and the pause
 * of who waits. Any thread; the settings are read once and live as long as the process.
 */
#ifndef CUDASIM_LIBS_NCCL_SETTINGS_H
#define CUDASIM_LIBS_NCCL_SETTINGS_H

#include <stdint.h>

struct nccl_settings {
	double bytes_per_ns;
	uint64_t latency_ns, timeout_ns;
};
const struct nccl_settings *nccl_settings(void);
uint64_t nccl_now(void);
void nccl_pause(void);

#endif
