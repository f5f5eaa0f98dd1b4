/* region_map.h - which instruction a mark of an instruction timeline stands for
 *
 * Two texts of the compiler, of the first launch of a kernel and good for all others:
 * dfx_region_map.txt has a line a mark, with its pipe, the instruction's name and where
 * it is in the kernel; dfx_tune.log tells of pipes that had more instructions than
 * there are marks. */
#ifndef PARSERS_RECORDS_REGION_MAP_H
#define PARSERS_RECORDS_REGION_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "parsers/records/pipe_timeline.h"

enum { REGION_IDS = 4096, REGION_NAME_BYTES = 64 };

struct region {
    char opcode[REGION_NAME_BYTES];
    uint64_t pc;   /* from the kernel's start */
    unsigned kind; /* equal for equal opcodes: a colour */
};

struct region_map {
    struct region *rows;
    size_t count, room;
    uint16_t (*places)[REGION_IDS]; /* by pipe: row + 1; NULL: there are none */
    size_t unknown_lines;           /* lines that name no instruction */
    unsigned full_pipes;            /* a bit for each pipe that had too many */
};

void region_map_read(struct region_map *map, const char *text, size_t size);
/* Of the log only the pipes that are full are taken. */
void region_map_read_log(struct region_map *map, const char *text, size_t size);
void region_map_clear(struct region_map *map);
/* NULL: nobody told. */
const struct region *
region_map_find(const struct region_map *map, enum pipe pipe, unsigned id);

#endif
