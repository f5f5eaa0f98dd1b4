/* gate_since.h - since when a regression is seen
 *
 * The nights directly before a job are read, newest first, while a suspect was as slow
 * in them: its median was beyond the tolerance of the cell. */
#ifndef CLI_GATE_GATE_SINCE_H
#define CLI_GATE_GATE_SINCE_H

#include "cli/compare/compared_jobs.h"
#include "lib/gate/gate.h"

/* Sets the oldest night of each suspect (gate_set_since()). The nights are those of the
 * baseline, also the ones that did not pass; else the jobs of the new job's name after
 * the base. */
int gate_since_read(struct gate *gate,
                    struct row_source *source,
                    const struct compared_base *base,
                    const struct compared_job *fresh,
                    struct err *err);

#endif
