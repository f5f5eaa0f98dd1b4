/* memory_rows.h - the tables of block 0x09 and their rows, by chip */
#ifndef PARSERS_VISUALIZE_MEMORY_ROWS_H
#define PARSERS_VISUALIZE_MEMORY_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/metrics/bandwidth_limits.h"

/* Requests over one path; terms NULL: nothing counts it. Of a 950's vectors transfer
 * records count instead, where there are any and `recorded` names them. */
struct request_row {
    const char *name;
    const char *terms;
    unsigned bytes;
    enum path path;
    bool mix_only;
    const char *recorded;
};

/* What stands beside cycles in a pipe's row; NULL: nothing counts it. */
struct pipe_row {
    const char *name;
    const char *instructions, *cycles, *wait;
    const char *active; /* requests while it ran, of `bytes` each */
    unsigned bytes;
};

struct scalar_row {
    const char *name;
    const char *cycles;
};

enum unit_side { UNIT_CUBE = 1, UNIT_VECTOR = 2, UNIT_BOTH = 3 };

/* A table of one kind of core. Of a mix operator the two vectors have one each, with
 * ` Core0` and ` Core1` behind the name; its prefix for them is `mix_vector`. */
struct request_table {
    const char *name;
    const char *mix_cube;   /* the name in a mix operator; NULL: the same */
    const char *mix_vector; /* to which " Core0" is added; NULL: the same */
    enum unit_side side;
    bool has_peak;
    const struct request_row *rows;
    size_t count;
};

struct memory_rows {
    const struct request_table *tables;
    size_t table_count;
    const struct pipe_row *cube_pipes;
    size_t cube_pipe_count;
    const struct pipe_row *vector_pipes; /* of a vector in a mix operator */
    size_t vector_pipe_count;
    const struct pipe_row *only_vector_pipes; /* of a vector operator */
    size_t only_vector_pipe_count;
    const struct scalar_row *cube_scalars;
    size_t cube_scalar_count;
    const struct scalar_row *vector_scalars;
    size_t vector_scalar_count;
    const char *icache_all, *icache_miss;
    bool has_l2_sides; /* write and read apart */
};

extern const struct memory_rows memory_rows_a2, memory_rows_310p, memory_rows_a5;

#endif
