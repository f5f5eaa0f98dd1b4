/* sim_draw.h - writes parts of trace events of a simulation */
#ifndef PARSERS_SIMULATOR_SIM_DRAW_H
#define PARSERS_SIMULATOR_SIM_DRAW_H

#include "parsers/simulator/simulation.h"
#include "parsers/timeline/trace_writer.h"

enum { SIM_DRAW_TRACK_BYTES = 24 };

/* A trace in progress. */
struct sim_draw {
    const struct simulation *simulation;
    const struct simulation_core *core; /* NULL: all cores */
    struct trace_writer trace;
    struct json_write *json;
};

/* Data for the "args" of an instruction. */
struct sim_draw_instruction {
    const struct sim_draw *draw;
    const struct sim_instruction *row;
};

void sim_draw_text(struct json_write *json, const char *key, const char *value);
/* Writes the source lines at an address, the innermost first. Writes nothing when no
 * line is known. */
void sim_draw_code(struct json_write *json,
                   const struct simulation *simulation,
                   uint64_t pc,
                   const char *key);
/* Writes the "args" of a struct sim_draw_instruction. */
void sim_draw_args(struct json_write *json, const void *record);
/* Returns the track of an instruction: its pipe, or its warp on a 950. */
const char *sim_draw_track(const struct sim_instruction *row,
                           char room[SIM_DRAW_TRACK_BYTES]);

#endif
