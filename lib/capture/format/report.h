/* report.h - what lies inside a report of the runtime, as report.envelope keeps it
 *
 * An envelope: 0 u16 magic, 2 u16 level, 4 u32 type, 8 u32 thread, 12 u32 bytes of
 * payload, 16 u64 time, 24 payload. */
#ifndef LIB_CAPTURE_FORMAT_REPORT_H
#define LIB_CAPTURE_FORMAT_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/capture/format/records.h"

/* The time stamps of a kernel that the report carries, as they stand in the vendor's
 * aic_timestamp.bin; 0: it carries none. */
size_t report_stamps(const struct record_report *report, const uint8_t **stamps);

#endif
