/* viewer_results.h - the result files that the vendor's viewer may open
 *
 * A file OUT/JOB/p0/r0/HOST/device0/OP/0/visualize_data.bin is shown as
 * /JOB/p0/r0/HOST/device0/OP/0/visualize_data.bin. */
#ifndef CLI_VIEWER_RESULTS_H
#define CLI_VIEWER_RESULTS_H

#include "lib/base/err.h"

struct viewer;

/* Lists the files of this name below the folder `out` in the viewer. Follows no
 * symbolic link except `out` itself. */
int viewer_results_list(struct viewer *viewer, const char *out, struct err *err);

#endif
