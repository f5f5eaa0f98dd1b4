/* code_map.h - from an address in a kernel's ELF file to function, file and line
 *
 * The debug information is read once into sorted arrays; a question is a search in
 * them and costs no library call. Without debug information the symbol table answers
 * with the function alone. All texts are the map's. One thread at a time: the names
 * of functions are demangled when they are first asked for. */
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
    const char *name; /* as the symbol table has it */
};

/* `elf` is borrowed until the map is closed: a little-endian 64-bit file. */
int code_map_open(struct code_map **out, const void *elf, size_t size, struct err *err);
void code_map_close(struct code_map *map); /* NULL is welcome */

/* Innermost first: where the address stands, then who inlined that. Returns how many
 * frames there are, of which at most `max` were filled in; 0: nothing is known. */
size_t code_map_find(struct code_map *map,
                     uint64_t address,
                     struct code_frame *frames,
                     size_t max);

/* The same for people: the innermost frame that is not of a toolkit's own headers, or
 * the innermost at all. False: nothing is known. */
bool code_map_find_user(struct code_map *map, uint64_t address, struct code_frame *out);

/* The pieces of code from `from` up to `to` that the line table has, in their order:
 * each goes on to `end`. */
typedef void code_range_fn(void *arg, uint64_t address, uint64_t end);
void code_map_each_range(const struct code_map *map,
                         uint64_t from,
                         uint64_t to,
                         code_range_fn *take,
                         void *arg);

/* The functions by address, as the symbol table has them. */
const struct code_function *code_map_functions(const struct code_map *map,
                                               size_t *count);
/* False: the file has no section of that name. */
bool code_map_has_section(const struct code_map *map, const char *name);
bool code_map_has_lines(const struct code_map *map);

#endif
