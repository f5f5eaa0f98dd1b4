/* rough.h - programs that a trace must survive */
#ifndef SIM_XPTI_ROUGH_H
#define SIM_XPTI_ROUGH_H

#include <stdbool.h>

struct producer;

/* Runs the scenario with the name. Returns false when there is none. */
bool rough_run(struct producer *producer, const char *name);

#endif
