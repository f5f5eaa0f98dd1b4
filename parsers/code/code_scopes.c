/* code_scopes.c - reads which function and inlined calls contain an address
 *
 * The debug information is a tree: an inlined call is a child of its caller. This file
 * collects all address ranges with their depth and cuts them into spans. Each span has
 * its innermost scope; the callers are the parents of that scope. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "parsers/code/code_map_internal.h"
#include "parsers/code/code_paths.h"

#define DEPTH_MAX 128 /* nested scopes; deeper ones are part of their parent */

struct range {
    uint64_t from, to;
    uint32_t scope, depth;
};

struct scope_reader {
    struct code_scopes *out;
    struct range *ranges;
    size_t count, room;
    struct code_paths *paths;
    Dwarf_Files *files; /* these belong to the current unit */
    size_t file_count;
    const char *folder;
    size_t entries_read; /* limit: in a damaged file an entry can name an earlier one as
                            the next */
};

static bool add_range(struct scope_reader *r, struct range range)
{
    if (r->count == CODE_TABLE_MAX)
        return false;
    if (r->count == r->room) {
        r->room = r->room ? r->room * 2 : 1024;
        r->ranges = xreallocarray(r->ranges, r->room, sizeof(r->ranges[0]));
    }
    r->ranges[r->count++] = range;
    return true;
}

/* Returns the linkage name, which differs for overloads, or else the plain name. */
static const char *read_name(Dwarf_Die *die, bool *is_demangled)
{
    static const unsigned attributes[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
    Dwarf_Attribute attribute;

    *is_demangled = false;
    for (size_t i = 0; i < COUNT(attributes); i++)
        if (dwarf_attr_integrate(die, attributes[i], &attribute)) {
            const char *name = dwarf_formstring(&attribute);

            if (name)
                return name;
        }
    *is_demangled = true;
    return dwarf_diename(die);
}

static uint64_t read_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;

    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0
               ? value
               : 0;
}

static uint32_t
add_scope(struct scope_reader *r, Dwarf_Die *die, uint32_t parent, int tag)
{
    struct code_scopes *out = r->out;
    struct code_scope *scope;

    if (out->scope_count == CODE_TABLE_MAX)
        return CODE_NONE;
    if (out->scope_count == out->scope_room) {
        out->scope_room = out->scope_room ? out->scope_room * 2 : 256;
        out->scopes =
            xreallocarray(out->scopes, out->scope_room, sizeof(out->scopes[0]));
    }
    scope = &out->scopes[out->scope_count];
    memset(scope, 0, sizeof(*scope));
    scope->name = read_name(die, &scope->is_demangled);
    scope->parent = CODE_NONE;
    if (tag == DW_TAG_inlined_subroutine) {
        uint64_t file = read_attribute(die, DW_AT_call_file);

        scope->parent = parent;
        scope->call_line = (uint32_t)read_attribute(die, DW_AT_call_line);
        if (file < r->file_count)
            scope->call_file = code_paths_absolute(
                r->paths, r->folder, dwarf_filesrc(r->files, file, NULL, NULL));
    }
    return (uint32_t)out->scope_count++;
}

static bool
add_ranges(struct scope_reader *r, Dwarf_Die *die, uint32_t scope, uint32_t depth)
{
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0)
        if (from < to && !add_range(r, (struct range){from, to, scope, depth}))
            return false;
    return true;
}

/* Reads the children of an entry. Returns false beyond the limits. */
static bool
read_children(struct scope_reader *r, Dwarf_Die *parent, uint32_t scope, uint32_t depth)
{
    Dwarf_Die die;

    if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return true;
    do {
        int tag = dwarf_tag(&die);
        uint32_t inner = scope;

        if (r->entries_read++ == CODE_TABLE_MAX)
            return false;

        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
            inner = add_scope(r, &die, scope, tag);
            if (inner == CODE_NONE || !add_ranges(r, &die, inner, depth))
                return false;
        }
        if ((tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
             tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
             tag == DW_TAG_class_type || tag == DW_TAG_structure_type) &&
            !read_children(r, &die, inner, depth + 1))
            return false;
    } while (dwarf_siblingof(&die, &die) == 0);
    return true;
}

static int by_start_and_depth(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (a->scope > b->scope) - (a->scope < b->scope);
}

static void begin_span(struct code_scopes *out, uint64_t address, uint32_t scope)
{
    struct code_span *last = out->span_count ? &out->spans[out->span_count - 1] : NULL;

    if (last && last->address == address)
        last->scope = scope;
    else if (!last || last->scope != scope)
        out->spans[out->span_count++] = (struct code_span){address, scope};
}

/* Pops the ranges that end up to `address`. Each end starts a span of the scope below.
 */
static size_t
unwind(struct scope_reader *r, const uint32_t *stack, size_t depth, uint64_t address)
{
    while (depth > 0 && r->ranges[stack[depth - 1]].to <= address) {
        uint64_t end = r->ranges[stack[depth - 1]].to;

        do
            depth--;
        while (depth > 0 && r->ranges[stack[depth - 1]].to <= end);
        begin_span(r->out, end, depth ? r->ranges[stack[depth - 1]].scope : CODE_NONE);
    }
    return depth;
}

static void build_spans(struct scope_reader *r)
{
    uint32_t *stack = xcalloc(r->count + 1, sizeof(stack[0]));
    size_t depth = 0;

    if (r->count > 0)
        qsort(r->ranges, r->count, sizeof(r->ranges[0]), by_start_and_depth);
    /* each range starts one span, and its end at most one more */
    r->out->spans = xcalloc(2 * r->count + 1, sizeof(r->out->spans[0]));
    for (size_t i = 0; i < r->count; i++) {
        depth = unwind(r, stack, depth, r->ranges[i].from);
        stack[depth++] = (uint32_t)i;
        begin_span(r->out, r->ranges[i].from, r->ranges[i].scope);
    }
    unwind(r, stack, depth, UINT64_MAX);
    free(stack);
}

int code_scopes_read(struct code_scopes *scopes,
                     Dwarf *dwarf,
                     struct code_paths *paths,
                     struct err *err)
{
    struct scope_reader r = {.out = scopes, .paths = paths};
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;
    bool fits = true;

    while (fits && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
        if (type != DW_UT_compile)
            continue;
        if (dwarf_getsrcfiles(&die, &r.files, &r.file_count) != 0)
            r.file_count = 0;
        r.folder = code_unit_folder(&die);
        fits = read_children(&r, &die, CODE_NONE, 0);
    }
    if (fits)
        build_spans(&r);
    free(r.ranges);
    return fits ? 0 : err_set(err, ERR_LIMIT, "more than %d functions", CODE_TABLE_MAX);
}

void code_scopes_clear(struct code_scopes *scopes)
{
    free(scopes->scopes);
    free(scopes->spans);
    memset(scopes, 0, sizeof(*scopes));
}
