/* core_profile.h - records that the channels of the cores of a 950 send in a launch
 *
 * Three channels for each of the first six AI Cores: the cube and its two vector cores.
 * An entry has 4 bytes: the cycles since the previous entry, and a mask of the busy
 * pipes or a mark. Cycles count from the start of the launch's first block. An
 * instrumented kernel has two equal marks around each instruction. The map of marks
 * names their pipes, addresses and opcodes.
 * In the other mode a channel sends samples: every 32 cycles each instruction that runs
 * adds 1 to a counter of its address, if the kernel runs as threads. The counter is
 * "active" in the first cycle of the instruction, and else the stall of its pipe. */
#ifndef SIM_INSTRUMENT_CORE_PROFILE_H
#define SIM_INSTRUMENT_CORE_PROFILE_H

#include <npu_sim/recorder.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/instrument/pipeline.h"

struct core_profile;

enum core_profile_mode { PROFILE_NONE, PROFILE_INSTRUCTIONS, PROFILE_SAMPLES };

/* Returns the mode of the first open channel of a core. */
enum core_profile_mode core_profile_mode(uint32_t card);
struct core_profile *core_profile_create(uint32_t card, bool marks_instructions);
void core_profile_destroy(struct core_profile *profile); /* NULL is allowed */

/* The core of the next instructions and marks; `threads`: they are those of threads. */
void core_profile_enter(struct core_profile *profile,
                        uint32_t core,
                        bool is_vector,
                        bool threads);
void core_profile_instruction(struct core_profile *profile,
                              enum npu_sim_pipe pipe,
                              const char *name,
                              uint64_t pc,
                              struct pipeline_time time);
/* A mark that the kernel itself sets: the begin or end of a numbered region. */
void core_profile_mark(struct core_profile *profile,
                       enum npu_sim_pipe pipe,
                       uint32_t number,
                       int is_end,
                       uint64_t cycle);

/* Writes everything to the open channels. */
void core_profile_send(struct core_profile *profile);
/* Writes the sizes of the map and of the log of the compiler, and both texts. Lines
 * that do not fit are left out. */
void core_profile_write_map(const struct core_profile *profile,
                            uint8_t *buffer,
                            size_t room);

#endif
