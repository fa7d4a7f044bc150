/* SPDX-License-Identifier: MIT */
/*
 * The page without its data, as the linker has it: assets.S embeds what assemble.sh makes of
 * assets/. The data stand between the two parts.
 *
 * Constant; begin and end as symbols, so that no length can be wrong.
 */
#ifndef ANALYZER_PAGE_ASSETS_H
#define ANALYZER_PAGE_ASSETS_H

extern const char page_before[], page_before_end[];
extern const char page_after[], page_after_end[];

#endif
