/* microseconds.h - reads times in microseconds as whole nanoseconds
 *
 * A double has steps of 0.25 us at today's date, so the digits are read directly. */
#ifndef PARSERS_FRAMEWORK_MICROSECONDS_H
#define PARSERS_FRAMEWORK_MICROSECONDS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads "1736408883704643.212" with blanks or TABs around it. The fourth decimal rounds
 * half up. Also reads numbers such as 1.5e-05, which JSON files contain. Returns false
 * for other texts and for more than 292 years. */
bool microseconds_read(const char *text, int64_t *ns);

#endif
