/* simulation.h - what an instruction simulator logged of one launch: all its cores
 *
 * Read from the folder of its logs, with the kernel's ELF file if there is one. */
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
    char name[32];         /* core0.veccore1: of the block that it ran */
    unsigned number, sort; /* of the core, and its place among all */
    char *ended, *popped;  /* the bytes that the log points into */
    struct sim_core log;
};

struct simulation {
    double clock_mhz;
    struct simulation_core *cores; /* by place */
    size_t core_count;
    struct sim_requests *requests; /* of each AI Core that has a log of them */
    size_t request_count;
    struct code_map *code; /* NULL: no ELF file */
    char *elf;
    struct source_notes notes;
};

/* There are logs of instructions in this folder. */
bool simulation_is_there(const char *folder);
/* AI Core clock of a chip, MHz. */
double simulation_clock(const char *soc);
/* `elf` may be NULL. */
int simulation_open(struct simulation *simulation,
                    const char *folder,
                    const char *soc,
                    const char *elf,
                    struct err *err);
void simulation_close(struct simulation *simulation);
/* Ticks as nanoseconds. */
uint64_t simulation_ns(const struct simulation *simulation, uint64_t ticks);

/* What one instruction, or one line, did on a core. */
struct simulation_sum {
    uint64_t pc;
    const struct sim_instruction *first;
    uint64_t count, cycles;
    uint64_t busy; /* union of its intervals, in ticks */
    uint32_t registers;
    bool moves;
    uint64_t moved;                     /* bytes */
    uint64_t cache_cycles, unit_cycles; /* from fetch to control unit, and to start */
};

/* By address; yours to free(). */
struct simulation_sum *simulation_sums(const struct simulation_core *core,
                                       size_t *count);
/* Ticks in which at least one of these ran; sorts them. */
struct sim_interval {
    uint64_t start, end;
};
uint64_t simulation_union(struct sim_interval *intervals, size_t count);

/* Files of one simulation. */
void simulation_code_table(const struct simulation *simulation,
                           const struct simulation_core *core,
                           struct text *out);
void simulation_instruction_table(const struct simulation *simulation,
                                  const struct simulation_core *core,
                                  struct text *out);
void simulation_trace(const struct simulation *simulation, struct text *out);
void simulation_core_trace(const struct simulation *simulation,
                           const struct simulation_core *core,
                           struct text *out);
void simulation_bin(const struct simulation *simulation, struct text *out);
/* All of them, below a folder; each file's name is handed on. */
int simulation_write(const struct simulation *simulation,
                     const char *folder,
                     void (*tell)(void *arg, const char *file),
                     void *arg,
                     struct err *err);

#endif
