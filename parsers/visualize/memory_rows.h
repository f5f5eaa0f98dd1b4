/* memory_rows.h - the tables of block 0x09 and their rows for each chip */
#ifndef PARSERS_VISUALIZE_MEMORY_ROWS_H
#define PARSERS_VISUALIZE_MEMORY_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/metrics/measure.h"

/* Requests on one path. terms is NULL when no counter of the core covers the path. For
 * vectors of a 950, transfer records replace the counters if `recorded` names them. */
struct request_row {
    const char *name;
    const char *terms;
    unsigned bytes;
    enum path path;
    enum path second; /* the limit is the mean of both; 0: only `path` */
    bool mix_only;
    const char *recorded;
    const char *of_cube[2]; /* counters of the block's cube, for vector 0 and 1 */
};

/* Counters of a pipe; NULL: no counter. */
struct pipe_row {
    const char *name;
    const char *instructions, *cycles, *wait;
    const char *active; /* requests of `bytes` each while the pipe was active */
    unsigned bytes;
    /* computes the bandwidth while the pipe was active; NULL: from `active` */
    struct value (*bandwidth)(const struct measure *measure, const struct pmu_row *row);
};

struct scalar_row {
    const char *name;
    const char *cycles;
};

enum unit_side { UNIT_CUBE = 1, UNIT_VECTOR = 2, UNIT_BOTH = 3 };

/* A table of one core type. In a mix operator each vector has its own table, whose name
 * is `mix_vector` with " Core0" or " Core1" appended. */
struct request_table {
    const char *name;
    const char *mix_cube;   /* name in a mix operator; NULL: the same */
    const char *mix_vector; /* NULL: the same */
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
    bool has_l2_sides; /* separate rows for write and read */
};

extern const struct memory_rows memory_rows_a2, memory_rows_310p, memory_rows_a5;

#endif
