/* simulation.h - the logs that an instruction simulator wrote about one launch
 *
 * Read from the folder of the logs, with the kernel's ELF file if there is one. */
#ifndef PARSERS_SIMULATOR_SIMULATION_H
#define PARSERS_SIMULATOR_SIMULATION_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "parsers/simlog/simlog.h"
#include "parsers/simlog/simlog_mte.h"
#include "parsers/source/source.h"

struct code_map;

struct simulation_core {
    char name[32];        /* "core0.veccore1", after the block that the core ran */
    unsigned number;      /* of the block, or of the core when the block is unknown */
    unsigned sort;        /* position among all cores */
    char *ended, *popped; /* text of the two logs; `log` points into it */
    struct sim_core log;
};

struct simulation {
    double clock_mhz;
    struct simulation_core *cores; /* by sort */
    size_t core_count;
    struct sim_requests *requests; /* of each AI Core with a log of memory requests */
    size_t request_count;
    struct code_map *code; /* NULL: no ELF file */
    char *elf;
    struct source_notes notes;
};

/* Returns true when the folder has instruction logs. */
bool simulation_has_logs(const char *folder);
struct simulation_options {
    const char *soc;
    const char *elf;       /* path of the kernel's file; NULL: none */
    const char *cores;     /* see core_list.h; NULL: all cores */
    bool without_flags;    /* skip instructions that set and await flags */
    bool without_requests; /* skip the logs of memory requests */
    bool without_overhead; /* skip the times before instructions */
};

/* Reads the logs. Fails when a selected core has none. */
int simulation_open(struct simulation *simulation,
                    const char *folder,
                    const struct simulation_options *options,
                    struct err *err);
void simulation_close(struct simulation *simulation);
/* Converts ticks to nanoseconds. */
uint64_t simulation_ns(const struct simulation *simulation, uint64_t ticks);
/* Returns picoseconds, at most INT64_MAX. */
uint64_t simulation_ps(const struct simulation *simulation, uint64_t ticks);

#endif
