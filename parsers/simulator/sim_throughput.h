/* sim_throughput.h - draws the bytes to and from GM per microsecond */
#ifndef PARSERS_SIMULATOR_SIM_THROUGHPUT_H
#define PARSERS_SIMULATOR_SIM_THROUGHPUT_H

#include "parsers/simulator/sim_draw.h"

void sim_throughput_draw(struct sim_draw *draw);

#endif
