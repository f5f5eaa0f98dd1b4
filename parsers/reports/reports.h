/* reports.h - writes all reports of a job to its folder */
#ifndef PARSERS_REPORTS_REPORTS_H
#define PARSERS_REPORTS_REPORTS_H

#include <stdint.h>

#include "lib/base/err.h"

/* Writes report.html, report.json and junit.xml, all of them or none. */
int reports_write(const char *store_folder,
                  uint64_t job_id,
                  const char *out_folder,
                  struct err *err);

#endif
