/* extract_info.h - writes the op_basic_info.txt of a launch */
#ifndef CLI_CAPTURE_EXTRACT_INFO_H
#define CLI_CAPTURE_EXTRACT_INFO_H

#include "lib/base/err.h"

struct extract_launch;
struct record_run_clock;

/* The clock record is zero when the capture has none. */
int extract_info_write(const struct extract_launch *launch,
                       const struct record_run_clock *clock,
                       struct err *err);

#endif
