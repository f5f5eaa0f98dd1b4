/* sim_folder.h - all files of a simulation */
#ifndef PARSERS_SIMULATOR_SIM_FOLDER_H
#define PARSERS_SIMULATOR_SIM_FOLDER_H

#include "parsers/simulator/simulation.h"

typedef void sim_folder_written_fn(void *arg, const char *file);

/* Writes all files below `folder`. Calls on_written after each file, with its name
 * relative to `folder`. */
int sim_folder_write(const struct simulation *simulation,
                     const char *folder,
                     sim_folder_written_fn *on_written,
                     void *arg,
                     struct err *err);

#endif
