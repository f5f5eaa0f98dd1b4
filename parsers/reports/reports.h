/* reports.h - all reports of a job, as files in its folder */
#ifndef PARSERS_REPORTS_REPORTS_H
#define PARSERS_REPORTS_REPORTS_H

#include <stdint.h>

#include "lib/base/err.h"

/* report.html, report.json and junit.xml; each is whole or is not there. */
int reports_write(const char *store_folder,
                  uint64_t job_id,
                  const char *out_folder,
                  struct err *err);

#endif
