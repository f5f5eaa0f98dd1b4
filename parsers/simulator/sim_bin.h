/* sim_bin.h - visualize_data.bin of a simulation */
#ifndef PARSERS_SIMULATOR_SIM_BIN_H
#define PARSERS_SIMULATOR_SIM_BIN_H

#include "parsers/simulator/simulation.h"

void sim_bin_write(const struct simulation *simulation, struct text *out);

#endif
