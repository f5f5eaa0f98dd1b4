/* sim_core_trace.h - trace.json of one core of a simulation */
#ifndef PARSERS_SIMULATOR_SIM_CORE_TRACE_H
#define PARSERS_SIMULATOR_SIM_CORE_TRACE_H

#include "parsers/simulator/simulation.h"

void sim_core_trace_write(const struct simulation *simulation,
                          const struct simulation_core *core,
                          struct text *out);

#endif
