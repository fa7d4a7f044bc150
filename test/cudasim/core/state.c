/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <pthread.h>

#include "../cuda_abi.h"
#include "call.h"
#include "log.h"
#include "settings.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int initialized;
static int forked;
static int sticky;

void state_lock(void)
{
	pthread_mutex_lock(&lock);
}

void state_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

int state_init(void)
{
	if (forked)
		return cudaErrorInitializationError;
	if (settings_get()->devices == 0)
		return cudaErrorNoDevice;
	__atomic_store_n(&initialized, 1, __ATOMIC_RELEASE);
	return 0;
}

int state_check(void)
{
	if (__atomic_load_n(&initialized, __ATOMIC_ACQUIRE) && !forked)
		return 0;
	return cudaErrorInitializationError;
}

int state_sticky(void)
{
	return __atomic_load_n(&sticky, __ATOMIC_RELAXED);
}

void state_note_error(int error)
{
	switch (error) {
	case cudaErrorECCUncorrectable:
	case cudaErrorNvlinkUncorrectable:
	case cudaErrorIllegalAddress:
	case cudaErrorLaunchTimeout:
	case cudaErrorAssert:
	case cudaErrorHardwareStackError:
	case cudaErrorIllegalInstruction:
	case cudaErrorMisalignedAddress:
	case cudaErrorInvalidAddressSpace:
	case cudaErrorInvalidPc:
	case cudaErrorLaunchFailure:
		__atomic_store_n(&sticky, error, __ATOMIC_RELAXED);
		break;
	default:
		break;
	}
}

void state_reset(void)
{
	__atomic_store_n(&sticky, 0, __ATOMIC_RELAXED);
}

static void fork_prepare(void)
{
	pthread_mutex_lock(&lock);
	log_fork_prepare();
}

static void fork_parent(void)
{
	log_fork_parent();
	pthread_mutex_unlock(&lock);
}

/* A child cannot use what its parent has initialised: the real driver refuses it too. */
static void fork_child(void)
{
	log_fork_child();
	call_fork_child();
	pthread_mutex_init(&lock, NULL);
	forked = initialized;
}

__attribute__((constructor)) static void state_load(void)
{
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

__attribute__((destructor)) static void state_unload(void)
{
	log_close();
}
