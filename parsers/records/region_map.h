/* region_map.h - maps the marks of an instruction timeline to instructions
 *
 * The compiler writes two texts with the first launch of a kernel; they apply to all
 * its launches. dfx_region_map.txt has one line per mark: pipe, opcode, address in the
 * kernel. dfx_tune.log names the pipes that have more instructions than marks. */
#ifndef PARSERS_RECORDS_REGION_MAP_H
#define PARSERS_RECORDS_REGION_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "parsers/records/pipe_timeline.h"

enum { REGION_IDS = 4096, REGION_NAME_BYTES = 64 };

struct region {
    char opcode[REGION_NAME_BYTES];
    uint64_t pc;   /* offset in the kernel */
    unsigned kind; /* equal for equal opcodes; selects a colour */
};

struct region_map {
    struct region *rows;
    size_t count, room;
    uint16_t (*places)[REGION_IDS]; /* by pipe and id: row + 1; NULL: no rows */
    size_t unknown_lines;           /* lines without an instruction */
    unsigned full_pipes; /* one bit per pipe with more instructions than marks */
};

void region_map_read(struct region_map *map, const char *text, size_t size);
/* Reads the full pipes from dfx_tune.log. */
void region_map_read_log(struct region_map *map, const char *text, size_t size);
void region_map_clear(struct region_map *map);
/* Returns the instruction, or NULL. */
const struct region *
region_map_find(const struct region_map *map, enum pipe pipe, unsigned id);

#endif
