/* sim_flags.h - draws the flags that pipes and cores set for one another, as arrows */
#ifndef PARSERS_SIMULATOR_SIM_FLAGS_H
#define PARSERS_SIMULATOR_SIM_FLAGS_H

#include "parsers/simulator/sim_draw.h"

/* Draws the flags between the pipes of draw->core. A flag without a partner gets a bar
 * but no arrow. */
void sim_flags_draw(struct sim_draw *draw);
/* Draws the flags between the cube of each core and its vectors. */
void sim_flags_draw_between(struct sim_draw *draw);
/* Returns true for the name of an instruction that sets or awaits such a flag. */
bool sim_flags_is_between(struct sim_span name);

#endif
