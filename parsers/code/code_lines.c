/* code_lines.c - reads the line tables of all units into one array sorted by address */
#include <dwarf.h>
#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "parsers/code/code_map_internal.h"
#include "parsers/code/code_paths.h"

static int by_address(const void *left, const void *right)
{
    const struct code_line *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->is_end != b->is_end)
        return b->is_end - a->is_end; /* an end has the address of the next start */
    return (a->order > b->order) - (a->order < b->order);
}

static struct code_line *add_row(struct code_lines *lines)
{
    if (lines->count == lines->room) {
        lines->room = lines->room ? lines->room * 2 : 1024;
        lines->rows = xreallocarray(lines->rows, lines->room, sizeof(lines->rows[0]));
    }
    return &lines->rows[lines->count++];
}

const char *code_unit_folder(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;

    return dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute)
                                                        : NULL;
}

static int read_unit(struct code_lines *lines,
                     Dwarf_Die *unit,
                     struct code_paths *paths,
                     struct err *err)
{
    const char *folder = code_unit_folder(unit);
    Dwarf_Lines *table;
    size_t count;

    if (dwarf_getsrclines(unit, &table, &count) != 0)
        return 0; /* the unit has no lines, or broken ones */
    if (count > CODE_TABLE_MAX - lines->count)
        return err_set(err, ERR_LIMIT, "more than %d lines", CODE_TABLE_MAX);
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(table, i);
        Dwarf_Addr address;
        bool is_end = false;
        struct code_line *next;
        int number = 0;

        if (!line || dwarf_lineaddr(line, &address) != 0)
            continue;
        dwarf_lineno(line, &number);
        dwarf_lineendsequence(line, &is_end);
        next = add_row(lines);
        *next = (struct code_line){
            .address = address,
            .file = code_paths_absolute(paths, folder, dwarf_linesrc(line, NULL, NULL)),
            .line = number > 0 ? (uint32_t)number : 0,
            .order = (uint32_t)(lines->count - 1),
            .is_end = is_end,
        };
    }
    return 0;
}

/* Keeps the last of several rows with the same address. */
static void drop_duplicates(struct code_lines *lines)
{
    size_t kept = 0;

    for (size_t i = 0; i < lines->count; i++)
        if (i + 1 == lines->count ||
            lines->rows[i].address != lines->rows[i + 1].address)
            lines->rows[kept++] = lines->rows[i];
    lines->count = kept;
}

int code_lines_read(struct code_lines *lines,
                    Dwarf *dwarf,
                    struct code_paths *paths,
                    struct err *err)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;

    while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
        if (type == DW_UT_compile && read_unit(lines, &die, paths, err) < 0)
            return -1;
    if (lines->count > 0)
        qsort(lines->rows, lines->count, sizeof(lines->rows[0]), by_address);
    drop_duplicates(lines);
    return 0;
}
