/* load.h - builds the report of a job from the store */
#ifndef PARSERS_REPORTS_LOAD_H
#define PARSERS_REPORTS_LOAD_H

#include <stdint.h>

#include "lib/base/err.h"

struct report;
struct store;

/* Creates a finished report; the caller destroys it. ERR_NOT_FOUND: no such job. */
int report_load(struct report **out,
                struct store *store,
                uint64_t job_id,
                struct err *err);

#endif
