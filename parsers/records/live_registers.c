#include "parsers/records/live_registers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

enum {
    HEAD_BYTES = 12,
    TAG_ALL = 0,
    TAG_KINDS = 1,
    TAG_SIZES = 2,
    TAG_INSTRUCTIONS = 3,
    TAG_FUNCTIONS = 4,
    TAG_NAMES = 5,
    TAG_NAME = 6,
    TAG_FIRST_LINES = 7,
    TAG_LISTS = 8,
    TAG_LIST = 9,
    TAG_LINE = 10,
    TAG_ADDRESS = 11,
    TAG_USES = 12,
    USE_BYTES = 4,
};

/* the unread rest of a value */
struct slice {
    const uint8_t *bytes;
    size_t size;
};

/* Reads the next value, which must have this tag. */
static int
read_value(struct slice *from, uint32_t tag, struct slice *value, struct err *err)
{
    uint64_t length;
    uint32_t found;

    *value = (struct slice){0};
    if (from->size < HEAD_BYTES)
        return err_set(err, ERR_INPUT, "register list: tag %" PRIu32 " is missing",
                       tag);
    found = load_u32(from->bytes);
    length = load_u64(from->bytes + 4);
    if (found != tag)
        return err_set(err, ERR_INPUT,
                       "register list: tag %" PRIu32 " found, expected %" PRIu32, found,
                       tag);
    if (length > from->size - HEAD_BYTES)
        return err_set(err, ERR_INPUT,
                       "register list: tag %" PRIu32 " announces %" PRIu64
                       " bytes, %zu are left",
                       tag, length, from->size - HEAD_BYTES);
    *value = (struct slice){from->bytes + HEAD_BYTES, (size_t)length};
    from->bytes += HEAD_BYTES + value->size;
    from->size -= HEAD_BYTES + value->size;
    return 0;
}

/* Reads a list of numbers that have `width` bytes each. */
static int read_list(struct slice *from,
                     uint32_t tag,
                     size_t width,
                     struct slice *value,
                     struct err *err)
{
    if (read_value(from, tag, value, err) < 0)
        return -1;
    if (value->size % width)
        return err_set(err, ERR_INPUT,
                       "register list: tag %" PRIu32
                       " has %zu bytes, not a multiple of %zu",
                       tag, value->size, width);
    return 0;
}

static int
read_number(struct slice *from, uint32_t tag, uint64_t *number, struct err *err)
{
    struct slice value;

    *number = 0;
    if (read_value(from, tag, &value, err) < 0)
        return -1;
    if (value.size != 8)
        return err_set(err, ERR_INPUT,
                       "register list: tag %" PRIu32 " does not have 8 bytes", tag);
    *number = load_u64(value.bytes);
    return 0;
}

static int
read_kinds(struct live_registers *registers, struct slice *all, struct err *err)
{
    struct slice kinds, sizes;

    if (read_list(all, TAG_KINDS, 4, &kinds, err) < 0 ||
        read_list(all, TAG_SIZES, 8, &sizes, err) < 0)
        return -1;
    registers->kind_count = kinds.size / 4;
    if (registers->kind_count > REGISTER_KINDS ||
        sizes.size / 8 != registers->kind_count)
        return err_set(err, ERR_INPUT, "register list: %zu kinds with %zu sizes",
                       kinds.size / 4, sizes.size / 8);
    for (size_t i = 0; i < registers->kind_count; i++) {
        uint32_t kind = load_u32(kinds.bytes + 4 * i);

        if (kind >= REGISTER_KINDS)
            return err_set(err, ERR_INPUT, "register list: unknown kind %" PRIu32,
                           kind);
        registers->kinds[i] = (uint8_t)kind;
        registers->sizes[i] = load_u64(sizes.bytes + 8 * i);
    }
    return 0;
}

static int read_functions(struct live_registers *registers,
                          struct slice *all,
                          uint64_t count,
                          struct err *err)
{
    struct slice names, name, firsts;

    if (read_value(all, TAG_NAMES, &names, err) < 0 ||
        read_list(all, TAG_FIRST_LINES, 8, &firsts, err) < 0)
        return -1;
    if (firsts.size / 8 != count || count > names.size / HEAD_BYTES)
        return err_set(err, ERR_INPUT,
                       "register list: %" PRIu64 " functions, %zu first instructions",
                       count, firsts.size / 8);
    registers->functions = xcalloc(count ? count : 1, sizeof(*registers->functions));
    for (uint64_t i = 0; i < count; i++) {
        struct register_function *function = &registers->functions[i];

        if (read_value(&names, TAG_NAME, &name, err) < 0)
            return -1;
        function->name = xcalloc(name.size + 1, 1);
        if (name.size)
            memcpy(function->name, name.bytes, name.size);
        function->first_line = load_u64(firsts.bytes + 8 * i);
        registers->function_count++;
    }
    return 0;
}

static void
add_entry(struct live_registers *registers, uint8_t kind, uint16_t number, uint16_t use)
{
    if (registers->entry_count == registers->entry_room) {
        registers->entry_room = registers->entry_room ? registers->entry_room * 2 : 64;
        registers->entries = xreallocarray(registers->entries, registers->entry_room,
                                           sizeof(*registers->entries));
    }
    registers->entries[registers->entry_count++] =
        (struct register_entry){number, kind, (uint8_t)use, 0};
}

/* Reads one instruction of one kind. All kinds must have the same addresses. */
static int read_line(struct live_registers *registers,
                     size_t kind,
                     size_t line,
                     struct slice *list,
                     struct err *err)
{
    struct slice entry, uses;
    uint64_t address;

    if (read_value(list, TAG_LINE, &entry, err) < 0 ||
        read_number(&entry, TAG_ADDRESS, &address, err) < 0 ||
        read_list(&entry, TAG_USES, USE_BYTES, &uses, err) < 0)
        return -1;
    if (kind == 0)
        registers->lines[line].address = address;
    else if (registers->lines[line].address != address)
        return err_set(err, ERR_INPUT,
                       "register list: instruction %zu has address 0x%" PRIx64
                       " and 0x%" PRIx64,
                       line, registers->lines[line].address, address);
    for (size_t at = 0; at < uses.size; at += USE_BYTES) {
        uint16_t use = load_u16(uses.bytes + at + 2);

        if (use >= REGISTER_USES)
            return err_set(err, ERR_INPUT,
                           "register list: unknown use %u of a register", use);
        add_entry(registers, registers->kinds[kind], load_u16(uses.bytes + at), use);
    }
    registers->lines[line].count += uses.size / USE_BYTES;
    return 0;
}

/* Sorts the entries by line. The file has them by kind. */
static void sort_by_line(struct live_registers *registers, const size_t *counts)
{
    struct register_entry *sorted;
    size_t *next, from = 0, at = 0;

    if (!registers->entry_count)
        return;
    sorted = xcalloc(registers->entry_count, sizeof(*sorted));
    next = xcalloc(registers->line_count, sizeof(*next));
    for (size_t i = 0; i < registers->line_count; i++) {
        registers->lines[i].first = next[i] = from;
        from += registers->lines[i].count;
    }
    for (size_t kind = 0; kind < registers->kind_count; kind++)
        for (size_t i = 0; i < registers->line_count; i++)
            for (size_t k = 0; k < counts[kind * registers->line_count + i]; k++)
                sorted[next[i]++] = registers->entries[at++];
    free(next);
    free(registers->entries);
    registers->entries = sorted;
    registers->entry_room = registers->entry_count;
}

static int read_lists(struct live_registers *registers,
                      struct slice *all,
                      uint64_t instructions,
                      struct err *err)
{
    struct slice lists, list;
    size_t *counts;
    int result = 0;

    if (read_value(all, TAG_LISTS, &lists, err) < 0)
        return -1;
    if (instructions > lists.size / HEAD_BYTES)
        return err_set(err, ERR_INPUT,
                       "register list: %" PRIu64 " instructions in %zu bytes",
                       instructions, lists.size);
    registers->line_count = (size_t)instructions;
    registers->lines =
        xcalloc(instructions ? instructions : 1, sizeof(*registers->lines));
    counts =
        xcalloc(registers->kind_count * registers->line_count + 1, sizeof(*counts));
    for (size_t kind = 0; result == 0 && kind < registers->kind_count; kind++) {
        result = read_value(&lists, TAG_LIST, &list, err);
        for (size_t line = 0; result == 0 && line < registers->line_count; line++) {
            size_t before = registers->entry_count;

            result = read_line(registers, kind, line, &list, err);
            counts[kind * registers->line_count + line] =
                registers->entry_count - before;
        }
        if (result == 0 && list.size)
            result = err_set(err, ERR_INPUT,
                             "register list: %zu bytes after the last instruction",
                             list.size);
    }
    if (result == 0)
        sort_by_line(registers, counts);
    free(counts);
    return result;
}

static int
read_all(struct live_registers *registers, struct slice file, struct err *err)
{
    struct slice all;
    uint64_t instructions, functions;

    if (read_value(&file, TAG_ALL, &all, err) < 0 ||
        read_kinds(registers, &all, err) < 0 ||
        read_number(&all, TAG_INSTRUCTIONS, &instructions, err) < 0 ||
        read_number(&all, TAG_FUNCTIONS, &functions, err) < 0 ||
        read_functions(registers, &all, functions, err) < 0 ||
        read_lists(registers, &all, instructions, err) < 0)
        return -1;
    if (file.size || all.size)
        return err_set(err, ERR_INPUT, "register list: %zu bytes after the end",
                       file.size + all.size);
    return 0;
}

/* per register: length of the current run of lines, and its last line + 1 */
struct run_lengths {
    uint32_t length[REGISTER_KINDS << 16], line[REGISTER_KINDS << 16];
};

static size_t slot_of(const struct register_entry *entry)
{
    return (size_t)entry->kind << 16 | entry->number;
}

/* Sets the life of each entry. The first loop counts the position in the run, the
 * second one copies the length of the whole run backwards. */
static void count_lives(struct live_registers *registers)
{
    struct run_lengths *run_lengths = xcalloc(1, sizeof(*run_lengths));

    for (size_t i = 0; i < registers->line_count; i++)
        for (size_t k = 0; k < registers->lines[i].count; k++) {
            struct register_entry *entry =
                &registers->entries[registers->lines[i].first + k];
            size_t slot = slot_of(entry);
            bool is_again = run_lengths->line[slot] == i + 1;
            bool goes_on = i > 0 && run_lengths->line[slot] == i;

            if (!is_again)
                run_lengths->length[slot] = goes_on ? run_lengths->length[slot] + 1 : 1;
            run_lengths->line[slot] = (uint32_t)i + 1;
            entry->life = run_lengths->length[slot];
        }
    memset(run_lengths, 0, sizeof(*run_lengths));
    for (size_t i = registers->line_count; i-- > 0;)
        for (size_t k = 0; k < registers->lines[i].count; k++) {
            struct register_entry *entry =
                &registers->entries[registers->lines[i].first + k];
            size_t slot = slot_of(entry);

            if (run_lengths->line[slot] == i + 2 &&
                run_lengths->length[slot] > entry->life)
                entry->life = run_lengths->length[slot];
            run_lengths->length[slot] = entry->life;
            run_lengths->line[slot] = (uint32_t)i + 1;
        }
    free(run_lengths);
}

char register_letter(enum register_kind kind)
{
    return kind < REGISTER_KINDS ? "RSPX"[kind] : '?';
}

int live_registers_read(struct live_registers *registers,
                        const uint8_t *bytes,
                        size_t size,
                        struct err *err)
{
    *registers = (struct live_registers){0};
    if (read_all(registers, (struct slice){bytes, size}, err) == 0) {
        count_lives(registers);
        return 0;
    }
    live_registers_clear(registers);
    return -1;
}

void live_registers_clear(struct live_registers *registers)
{
    for (size_t i = 0; i < registers->function_count; i++)
        free(registers->functions[i].name);
    free(registers->functions);
    free(registers->lines);
    free(registers->entries);
    *registers = (struct live_registers){0};
}
