/* sim_trace.h - trace.json of all cores of a simulation */
#ifndef PARSERS_SIMULATOR_SIM_TRACE_H
#define PARSERS_SIMULATOR_SIM_TRACE_H

#include "parsers/simulator/simulation.h"

void sim_trace_write(const struct simulation *simulation, struct text *out);

#endif
