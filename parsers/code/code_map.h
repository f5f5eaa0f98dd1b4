/* code_map.h - finds function, file and line of an address in a kernel's ELF file
 *
 * The debug information is read once into sorted arrays, so that a lookup is a binary
 * search without library calls. Without debug information the symbol table gives only
 * the function. The map owns all texts. Use it in one thread: a lookup demangles the
 * name of a function when it returns it for the first time. */
#ifndef PARSERS_CODE_CODE_MAP_H
#define PARSERS_CODE_CODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_map;
struct err;

struct code_frame {
    const char *function; /* NULL: not known */
    const char *file;     /* NULL: not known */
    uint32_t line;        /* 0: not known */
};

struct code_function {
    uint64_t address, size;
    const char *name; /* mangled, as in the symbol table */
};

/* Reads a 64-bit little-endian ELF file. Borrows `elf` until the map is closed. */
int code_map_open(struct code_map **out, const void *elf, size_t size, struct err *err);
void code_map_close(struct code_map *map); /* NULL is allowed */

/* Fills in at most `max` frames, innermost first; each frame after the first is the
 * caller that the one before was inlined into. Returns the number of all frames, or 0
 * for an unknown address. */
size_t code_map_find(struct code_map *map,
                     uint64_t address,
                     struct code_frame *frames,
                     size_t max);

/* Finds the innermost frame outside of the toolkit's headers, or the innermost frame
 * when all are inside. Returns false for an unknown address. */
bool code_map_find_user(struct code_map *map, uint64_t address, struct code_frame *out);

/* Calls on_range for each range of the line table between `from` and `to`, in order. */
typedef void code_range_fn(void *arg, uint64_t address, uint64_t end);
void code_map_each_range(const struct code_map *map,
                         uint64_t from,
                         uint64_t to,
                         code_range_fn *on_range,
                         void *arg);

/* Returns the functions of the symbol table, sorted by address. */
const struct code_function *code_map_functions(const struct code_map *map,
                                               size_t *count);
/* Returns true when the ELF file has this section. */
bool code_map_has_section(const struct code_map *map, const char *name);
bool code_map_has_lines(const struct code_map *map);

#endif
