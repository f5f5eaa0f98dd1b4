/* code_map_internal.h - the sorted arrays of a code map; for the files of code_map */
#ifndef PARSERS_CODE_CODE_MAP_INTERNAL_H
#define PARSERS_CODE_CODE_MAP_INTERNAL_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/code/code_map.h"

struct code_paths;
struct err;

enum { CODE_TABLE_MAX = 1 << 24 }; /* rows of any table; a kernel has fewer */
enum { CODE_NONE = UINT32_MAX };

/* a function, or an inlined call */
struct code_scope {
    const char *name;
    const char *call_file; /* for an inlined call */
    uint32_t call_line;
    uint32_t parent;   /* CODE_NONE: a function, not inlined */
    bool is_demangled; /* the name needs no demangling */
};

/* the innermost scope from this address to the next span */
struct code_span {
    uint64_t address;
    uint32_t scope; /* CODE_NONE: outside of functions */
};

/* the source line from this address to the next row */
struct code_line {
    uint64_t address;
    const char *file;
    uint32_t line;
    uint32_t order; /* position in the debug information */
    bool is_end;    /* no line from here to the next row */
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
/* Returns the folder in which the unit was compiled, or NULL. */
const char *code_unit_folder(Dwarf_Die *unit);
void code_scopes_clear(struct code_scopes *scopes);

#endif
