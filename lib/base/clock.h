/* clock.h - monotonic time for intervals, wall time for people */
#ifndef LIB_BASE_CLOCK_H
#define LIB_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

uint64_t clock_mono_ns(void);
uint64_t clock_mono_ms(void);
uint64_t clock_wall_ns(void);
/* Writes ISO 8601 in UTC with milliseconds: 2026-11-21T05:07:00.123Z. */
const char *clock_format(char out[32], uint64_t wall_ns);

#endif
