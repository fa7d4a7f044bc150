/* SPDX-License-Identifier: MIT */
/*
 * Functions of libc that this code base does not use: unbounded copies, parsing
 * without errors, hidden state. Include it last, after the system's headers; a
 * use then fails to compile with the name of the function in the message.
 *
 * Instead: memcpy with a known size, snprintf in the analyzer, strtoull with its
 * end pointer, localtime_r.
 */
#ifndef COLLECTOR_BASE_BANNED_H
#define COLLECTOR_BASE_BANNED_H

#define BANNED(function) function##_is_banned_see_banned_h

#undef strcpy
#define strcpy(...) BANNED(strcpy)
#undef strcat
#define strcat(...) BANNED(strcat)
#undef strncpy
#define strncpy(...) BANNED(strncpy)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)
#undef strtok
#define strtok(...) BANNED(strtok)
#undef atoi
#define atoi(...) BANNED(atoi)
#undef atol
#define atol(...) BANNED(atol)
#undef gets
#define gets(...) BANNED(gets)
#undef localtime
#define localtime(...) BANNED(localtime)
#undef gmtime
#define gmtime(...) BANNED(gmtime)

#endif
