/* rotated_figures.h - reads the times of a suspect whose ranks were rotated over their
 * cards */
#ifndef COORDINATOR_CONFIRMATION_ROTATED_FIGURES_H
#define COORDINATOR_CONFIRMATION_ROTATED_FIGURES_H

#include "lib/base/err.h"

struct job;
struct rotated_times;
struct store;
struct store_confirmation;
struct store_suspect;

/* Sets *out, which the caller destroys; NULL when the confirmation did not rotate the
 * ranks of this suspect. `job` is that of the confirmation. */
int rotated_figures_read(struct rotated_times **out,
                         struct store *store,
                         const struct store_confirmation *confirmation,
                         const struct job *job,
                         const struct store_suspect *suspect,
                         struct err *err);

#endif
