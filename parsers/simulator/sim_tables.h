/* sim_tables.h - CSV tables of one core of a simulation */
#ifndef PARSERS_SIMULATOR_SIM_TABLES_H
#define PARSERS_SIMULATOR_SIM_TABLES_H

#include "parsers/simulator/simulation.h"

/* code_exe: time of each source line, the longest first; empty without ELF file. */
void sim_tables_code(const struct simulation *simulation,
                     const struct simulation_core *core,
                     struct text *out);
/* instr_exe: time of each instruction, the longest first. */
void sim_tables_instructions(const struct simulation *simulation,
                             const struct simulation_core *core,
                             struct text *out);

#endif
