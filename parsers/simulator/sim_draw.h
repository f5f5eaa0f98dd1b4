/* sim_draw.h - the timeline of a simulation, for the files that draw parts of it */
#ifndef PARSERS_SIMULATOR_SIM_DRAW_H
#define PARSERS_SIMULATOR_SIM_DRAW_H

#include "parsers/simulator/simulation.h"
#include "parsers/timeline/trace_writer.h"

struct drawing {
    const struct simulation *simulation;
    const struct simulation_core *core;
    struct trace_writer trace;
    struct json_write *json;
};

struct shown {
    const struct drawing *drawing;
    const struct sim_instruction *row;
};

void draw_text(struct json_write *json, const char *key, const char *value);
/* "args" of an instruction; the record is a struct shown. */
void draw_args(struct json_write *json, const void *record);
/* The lane of an instruction: its pipe, or on a 950 the warp that it is of. */
const char *draw_lane(const struct sim_instruction *row, char room[24]);

/* Flags that the pipes of the drawing's core set for one another, as arrows; one that
 * nobody waits for, or that nobody set, has none. */
void draw_flags(struct drawing *drawing);
/* The same between the cube of a core and its vectors. */
bool draw_is_between(struct sim_span name);
void draw_flags_between(struct drawing *drawing);
/* What went to and from GM in each microsecond. */
void draw_throughput(struct drawing *drawing);

#endif
