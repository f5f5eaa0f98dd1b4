/* report.h - reads the reports of the runtime that report.envelope records store
 *
 * Layout of an envelope: 0 u16 magic, 2 u16 level, 4 u32 type, 8 u32 thread, 12 u32
 * bytes of payload, 16 u64 time, 24 payload. */
#ifndef LIB_CAPTURE_FORMAT_REPORT_H
#define LIB_CAPTURE_FORMAT_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/capture/format/records.h"

/* Returns the bytes of the time stamps of a kernel, in the layout of the vendor's
 * aic_timestamp.bin; 0 when the report has none. */
size_t report_stamps(const struct record_report *report, const uint8_t **stamps);

#endif
