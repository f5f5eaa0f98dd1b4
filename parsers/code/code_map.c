#include "parsers/code/code_map.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "parsers/code/code_map_internal.h"
#include "parsers/code/code_paths.h"

enum { USER_FRAMES_MAX = 32 };

struct code_map {
    Elf *elf;
    Dwarf *dwarf; /* owns the names; NULL: no debug information */
    struct code_functions functions;
    struct code_lines lines;
    struct code_scopes scopes;
    struct code_paths paths;
    char **demangled; /* demangled names, owned here */
    size_t demangled_count;
};

/* in the C++ library; returns a malloc'ed text, or NULL for other names */
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

static int check_header(const void *elf, size_t size, struct err *err)
{
    const unsigned char *ident = elf;
    Elf64_Ehdr head;

    if (size < sizeof(Elf64_Ehdr) || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return err_set(err, ERR_INPUT, "not an ELF file: bad magic number or size");
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
        return err_set(err, ERR_INPUT, "not a 64-bit little-endian ELF file");
    memcpy(&head, elf, sizeof(head));
    if (head.e_shoff > size ||
        (uint64_t)head.e_shnum * head.e_shentsize > size - head.e_shoff)
        return err_set(err, ERR_INPUT, "ELF file is truncated");
    return 0;
}

int code_map_open(struct code_map **out, const void *elf, size_t size, struct err *err)
{
    struct code_map *map;

    if (check_header(elf, size, err) < 0)
        return -1;
    elf_version(EV_CURRENT);
    map = xcalloc(1, sizeof(*map));
    code_paths_init(&map->paths);
    map->elf = elf_memory((char *)(uintptr_t)elf, size);
    if (!map->elf) {
        err_set(err, ERR_INPUT, "%s", elf_errmsg(-1));
        goto fail;
    }
    map->dwarf = dwarf_begin_elf(map->elf, DWARF_C_READ, NULL);
    if (code_functions_read(&map->functions, map->elf, err) < 0)
        goto fail;
    if (map->dwarf &&
        (code_lines_read(&map->lines, map->dwarf, &map->paths, err) < 0 ||
         code_scopes_read(&map->scopes, map->dwarf, &map->paths, err) < 0))
        goto fail;
    map->demangled =
        xcalloc(map->scopes.scope_count + map->functions.count + 1, sizeof(char *));
    *out = map;
    return 0;

fail:
    code_map_close(map);
    return err_wrap(err, "reading the kernel's symbols");
}

void code_map_close(struct code_map *map)
{
    if (!map)
        return;
    for (size_t i = 0; i < map->demangled_count; i++)
        free(map->demangled[i]);
    free(map->demangled);
    free(map->functions.rows);
    free(map->lines.rows);
    code_scopes_clear(&map->scopes);
    code_paths_clear(&map->paths);
    if (map->dwarf)
        dwarf_end(map->dwarf);
    elf_end(map->elf);
    free(map);
}

/* Returns the number of rows up to the address; the row is the one before. Each row of
 * a table starts with its address. */
static size_t
find_row(const void *rows, size_t count, size_t row_bytes, uint64_t address)
{
    size_t from = 0, to = count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        uint64_t at;

        memcpy(&at, (const char *)rows + middle * row_bytes, sizeof(at));
        if (at <= address)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static_assert(offsetof(struct code_line, address) == 0, "find_row() needs it first");
static_assert(offsetof(struct code_span, address) == 0, "find_row() needs it first");
static_assert(offsetof(struct code_function, address) == 0,
              "find_row() needs it first");

static const char *demangle(struct code_map *map, const char *name)
{
    char *demangled_name;
    int status;

    if (!name || strncmp(name, "_Z", 2) != 0)
        return name;
    demangled_name = __cxa_demangle(name, NULL, NULL, &status);
    if (!demangled_name)
        return name;
    map->demangled[map->demangled_count++] = demangled_name;
    return demangled_name;
}

static const char *scope_name(struct code_map *map, struct code_scope *scope)
{
    if (!scope->is_demangled) {
        scope->name = demangle(map, scope->name);
        scope->is_demangled = true;
    }
    return scope->name;
}

static const struct code_line *line_at(const struct code_map *map, uint64_t address)
{
    size_t at = find_row(map->lines.rows, map->lines.count, sizeof(map->lines.rows[0]),
                         address);

    return at == 0 || map->lines.rows[at - 1].is_end ? NULL : &map->lines.rows[at - 1];
}

static uint32_t scope_at(const struct code_map *map, uint64_t address)
{
    size_t at = find_row(map->scopes.spans, map->scopes.span_count,
                         sizeof(map->scopes.spans[0]), address);

    return at == 0 ? CODE_NONE : map->scopes.spans[at - 1].scope;
}

/* Finds the function in the symbol table, for files without debug information. */
static size_t
find_symbol(struct code_map *map, uint64_t address, struct code_frame *frame)
{
    size_t at = find_row(map->functions.rows, map->functions.count,
                         sizeof(map->functions.rows[0]), address);
    struct code_function *row = at ? &map->functions.rows[at - 1] : NULL;

    if (!row || address - row->address >= row->size)
        return 0;
    frame->function = row->name;
    return 1;
}

size_t code_map_find(struct code_map *map,
                     uint64_t address,
                     struct code_frame *frames,
                     size_t max)
{
    const struct code_line *line = line_at(map, address);
    uint32_t scope = scope_at(map, address);
    struct code_frame frame = {0};
    size_t count = 0;

    if (line) {
        frame.file = line->file;
        frame.line = line->line;
    }
    if (scope == CODE_NONE) {
        count = find_symbol(map, address, &frame) || line;
        if (count > 0 && max > 0)
            frames[0] = frame;
        return count;
    }
    while (scope != CODE_NONE) {
        struct code_scope *row = &map->scopes.scopes[scope];

        frame.function = scope_name(map, row);
        if (count < max)
            frames[count] = frame;
        count++;
        frame = (struct code_frame){.file = row->call_file, .line = row->call_line};
        scope = row->parent;
    }
    return count;
}

/* Returns true for headers of a toolkit, which the author of an operator did not write.
 */
static bool is_toolkit_file(const char *file)
{
    return file && (strstr(file, "ascend-toolkit") || strstr(file, "/npu_sim/"));
}

bool code_map_find_user(struct code_map *map, uint64_t address, struct code_frame *out)
{
    struct code_frame frames[USER_FRAMES_MAX];
    size_t count = code_map_find(map, address, frames, USER_FRAMES_MAX);

    if (count > USER_FRAMES_MAX)
        count = USER_FRAMES_MAX;
    if (count == 0)
        return false;
    *out = frames[0];
    for (size_t i = 0; i < count; i++)
        if (!is_toolkit_file(frames[i].file)) {
            *out = frames[i];
            break;
        }
    return true;
}

void code_map_each_range(const struct code_map *map,
                         uint64_t from,
                         uint64_t to,
                         code_range_fn *on_range,
                         void *arg)
{
    size_t at =
        find_row(map->lines.rows, map->lines.count, sizeof(map->lines.rows[0]), from);

    for (at -= at > 0; at < map->lines.count && map->lines.rows[at].address < to;
         at++) {
        const struct code_line *row = &map->lines.rows[at];
        uint64_t end = at + 1 < map->lines.count ? row[1].address : to;
        uint64_t start = row->address > from ? row->address : from;

        if (end > to)
            end = to;
        if (!row->is_end && start < end)
            on_range(arg, start, end);
    }
}

const struct code_function *code_map_functions(const struct code_map *map,
                                               size_t *count)
{
    *count = map->functions.count;
    return map->functions.rows;
}

bool code_map_has_section(const struct code_map *map, const char *name)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(map->elf, &names) != 0)
        return false;
    while ((section = elf_nextscn(map->elf, section))) {
        GElf_Shdr header;
        const char *at;

        if (gelf_getshdr(section, &header) &&
            (at = elf_strptr(map->elf, names, header.sh_name)) && !strcmp(at, name))
            return true;
    }
    return false;
}

bool code_map_has_lines(const struct code_map *map)
{
    return map->lines.count > 0;
}
