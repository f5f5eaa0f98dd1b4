/* viewer_results.h - the files that the vendor's viewer may open
 *
 * | file | shown as |
 * | --- | --- |
 * | OUT/JOB/p0/r0/HOST/device0/OP/0/visualize_data.bin | /JOB/p0/r0/HOST/device0/... |
 * | BROWSE/folder/a.bin, BROWSE/folder/trace.json | /browse/folder/a.bin ... |
 * | folder/b.bin of the command line | /files/b.bin |
 */
#ifndef CLI_VIEWER_RESULTS_H
#define CLI_VIEWER_RESULTS_H

#include "lib/base/err.h"

struct viewer;

/* The texts are borrowed. */
struct viewer_sources {
    const char *out;    /* folder of results; it may be missing */
    const char *browse; /* NULL: no further folder */
    char **given;       /* files of the command line, ended by NULL */
};

/* Fails when a given file or the folder of --browse cannot be read. */
int viewer_results_check(const struct viewer_sources *sources, struct err *err);
/* Lists the files in the viewer. Follows no symbolic link except the named folders and
 * files themselves. */
int viewer_results_list(struct viewer *viewer,
                        const struct viewer_sources *sources,
                        struct err *err);

#endif
