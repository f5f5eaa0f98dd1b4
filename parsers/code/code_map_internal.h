/* code_map_internal.h - the sorted arrays that a code map is made of; inside this folder only
 */
#ifndef PARSERS_CODE_CODE_MAP_INTERNAL_H
#define PARSERS_CODE_CODE_MAP_INTERNAL_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/code/code_map.h"

struct code_paths;
struct err;

enum { CODE_TABLE_MAX = 1 << 24 }; /* rows of any table: more is no kernel */
enum { CODE_NONE = UINT32_MAX };

/* what a program counter is in: a function, or a call that was inlined */
struct code_scope {
    const char *name;
    const char *call_file; /* of an inlined call */
    uint32_t call_line;
    uint32_t parent; /* CODE_NONE: a function of its own */
    bool is_plain;   /* the name is as people read it */
};

/* from here to the next span, this scope is the innermost */
struct code_span {
    uint64_t address;
    uint32_t scope; /* CODE_NONE: no function */
};

/* from here to the next row */
struct code_line {
    uint64_t address;
    const char *file;
    uint32_t line;
    uint32_t order; /* as read */
    bool is_end;    /* nothing is known from here on */
};

struct code_scopes {
    struct code_scope *scopes;
    size_t scope_count, scope_room;
    struct code_span *spans;
    size_t span_count;
};

struct code_lines {
    struct code_line *rows;
    size_t count, room;
};

struct code_functions {
    struct code_function *rows;
    size_t count;
};

int code_functions_read(struct code_functions *functions, Elf *elf, struct err *err);
int code_lines_read(struct code_lines *lines,
                    Dwarf *dwarf,
                    struct code_paths *paths,
                    struct err *err);
int code_scopes_read(struct code_scopes *scopes,
                     Dwarf *dwarf,
                     struct code_paths *paths,
                     struct err *err);
/* Where the unit was compiled; NULL: it does not say. */
const char *code_unit_folder(Dwarf_Die *unit);
void code_scopes_clear(struct code_scopes *scopes);

#endif
