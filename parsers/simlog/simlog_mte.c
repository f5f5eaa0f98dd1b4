#include "parsers/simlog/simlog_mte.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/simlog/simlog_internal.h"

enum { LINE_MAX_BYTES = 1024 };

const char *sim_path_name(enum sim_path path)
{
    static const char *const names[SIM_PATHS] = {"GM_TO_UB", "GM_TO_L1", "GM_TO_TOTAL",
                                                 "UB_TO_GM", "L1_TO_GM", "TOTAL_TO_GM"};

    return names[path];
}

/* one line: a request to GM, or the other side of its instruction */
struct entry {
    uint64_t instruction, number, cycle, bytes;
    size_t order;
    enum sim_path path;
    bool is_far_side;
};

struct entries {
    struct entry *rows;
    size_t count, room;
};

static bool read_value(const char *line, const char *key, uint64_t *value)
{
    const char *at = strstr(line, key);

    if (!at || (at > line && at[-1] != ' ' && at[-1] != ','))
        return false;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at < '0' || *at > '9')
        return false;
    *value = strtoull(at, NULL, 0);
    return true;
}

static enum sim_path find_path(const char *unit, size_t length, bool writes)
{
    if (length == 2 && memcmp(unit, "L1", 2) == 0)
        return writes ? SIM_GM_TO_L1 : SIM_L1_TO_GM;
    if (length >= 2 && memcmp(unit, "UB", 2) == 0)
        return writes ? SIM_GM_TO_UB : SIM_UB_TO_GM;
    return writes ? SIM_GM_TO_TOTAL : SIM_TOTAL_TO_GM;
}

/* Reads "[info] <cycle>: <path.UNITWIF> instr_id: 1, req_id: 2, size: 512.", where WIF
 * or RIF (write or read interface) follows the name of the unit. */
static bool read_line(const char *line, struct entry *entry)
{
    const char *at = line, *open, *end, *unit;
    bool writes;

    if (strncmp(at, "[info] ", 7) == 0)
        at += 7;
    if (*at < '0' || *at > '9')
        return false;
    entry->cycle = strtoull(at, NULL, 10);
    open = strchr(at, '<');
    if (!open || !(end = strpbrk(open, ">")))
        return false;
    unit = NULL;
    for (const char *c = open; c + 3 <= end; c++)
        if ((c[0] == 'R' || c[0] == 'W') && c[1] == 'I' && c[2] == 'F') {
            unit = c;
            break;
        }
    if (!unit || !read_value(line, "instr_id:", &entry->instruction))
        return false;
    writes = *unit == 'W';
    end = unit;
    while (unit > open + 1 && unit[-1] != '.')
        unit--;
    entry->number = entry->bytes = 0;
    if (!read_value(line, "req_id:", &entry->number))
        read_value(line, "gid:", &entry->number);
    read_value(line, "size:", &entry->bytes);
    entry->is_far_side = !(end - unit == 1 && *unit == 'B');
    entry->path = find_path(unit, (size_t)(end - unit), writes);
    return true;
}

/* Orders by instruction: first the lines of its other side, then its requests by
 * number. */
static int by_request(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->instruction != b->instruction)
        return a->instruction < b->instruction ? -1 : 1;
    if (a->is_far_side != b->is_far_side)
        return b->is_far_side - a->is_far_side;
    if (!a->is_far_side && a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void join_entries(struct sim_requests *requests, const struct entries *entries)
{
    enum sim_path path = SIM_PATHS;

    requests->rows = xcalloc(entries->count + 1, sizeof(requests->rows[0]));
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->rows[i];
        bool is_new = i == 0 || entry[-1].instruction != entry->instruction;
        struct sim_request *last =
            requests->count ? &requests->rows[requests->count - 1] : NULL;

        if (is_new)
            path = entry->is_far_side ? entry->path : SIM_PATHS;
        if (entry->is_far_side)
            continue;
        if (path == SIM_PATHS) {
            requests->without_far_side++;
            continue;
        }
        if (!last || last->instruction != entry->instruction ||
            last->number != entry->number) {
            last = &requests->rows[requests->count++];
            *last = (struct sim_request){entry->instruction, entry->number, 0, 0, path};
        }
        if (entry->cycle > last->cycle)
            last->cycle = entry->cycle;
        if (last->bytes == 0)
            last->bytes = entry->bytes;
    }
}

static void add_entry(struct entries *entries, struct entry entry)
{
    if (entries->count == entries->room) {
        entries->room = entries->room ? entries->room * 2 : 256;
        entries->rows =
            xreallocarray(entries->rows, entries->room, sizeof(entries->rows[0]));
    }
    entry.order = entries->count;
    entries->rows[entries->count++] = entry;
}

/* Reads a line of `length` bytes, which is not NUL-terminated. */
static bool parse_entry(const char *line, size_t length, struct entry *entry)
{
    char text[LINE_MAX_BYTES];

    if (length >= sizeof(text))
        return false;
    memcpy(text, line, length);
    text[length] = '\0';
    return read_line(text, entry);
}

void simlog_read_requests(struct sim_requests *requests, const char *bytes, size_t size)
{
    const char *end = bytes + size, *line;
    struct entries entries = {0};
    size_t length;

    memset(requests, 0, sizeof(*requests));
    while (simlog_next_line(&bytes, end, &line, &length)) {
        struct entry entry;

        if (length == 0)
            continue;
        if (entries.count < SIMLOG_LINES_MAX && parse_entry(line, length, &entry))
            add_entry(&entries, entry);
        else
            requests->unknown_lines++;
    }
    if (entries.count > 0)
        qsort(entries.rows, entries.count, sizeof(entries.rows[0]), by_request);
    join_entries(requests, &entries);
    free(entries.rows);
}

void simlog_clear_requests(struct sim_requests *requests)
{
    free(requests->rows);
    memset(requests, 0, sizeof(*requests));
}
