/* SPDX-License-Identifier: MIT */
/* The assertions are all in criterion.h here. */
