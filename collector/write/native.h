/* SPDX-License-Identifier: MIT */
/*
 * Native places: a return address becomes module, offset, function and build id. Each
 * place is resolved once, by the drain thread, through collector/write/symbols.h; the
 * result is kept, because every frame says it again. Drain thread only.
 */
#ifndef COLLECTOR_WRITE_NATIVE_H
#define COLLECTOR_WRITE_NATIVE_H

#include <stdint.h>

#include "collector/format/live.h"

/*
 * Replace what is known of the native place id: file becomes the module, function its name, line
 * what
 * the symbols say (else 0), address the offset in the module, *ret_build_id the id of a text.
 * Left as it is
 * when the address belongs to no module.
 */
void native_resolve(uint32_t id, struct live_place *place, uint64_t *ret_build_id);

#endif
