/* load.h - a job's report from what the store holds */
#ifndef PARSERS_REPORTS_LOAD_H
#define PARSERS_REPORTS_LOAD_H

#include <stdint.h>

#include "lib/base/err.h"

struct report;
struct store;

/* A finished report, yours to destroy; ERR_NOT_FOUND when there is no such job. */
int report_load(struct report **out,
                struct store *store,
                uint64_t job_id,
                struct err *err);

#endif
