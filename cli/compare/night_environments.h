/* night_environments.h - prints the environments in which the nights of a baseline were
 * measured: chip, driver, firmware, CANN, kernel of the host, measurement */
#ifndef CLI_COMPARE_NIGHT_ENVIRONMENTS_H
#define CLI_COMPARE_NIGHT_ENVIRONMENTS_H

#include "cli/query/row_source.h"
#include "cli/view/row_output.h"

/* Prints a row for each environment of each night that a comparison uses. */
int night_environments_print(struct row_source *source,
                             const char *baseline,
                             enum row_output_format format,
                             struct err *err);

#endif
