/* simlog_misses.c - reads the log of the instruction cache: its misses */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/simlog/simlog_internal.h"

enum { LINE_BYTES_MAX = 4096 }; /* longer lines are of other kinds */

/* Reads "... <cycle>: icache read address is 0x<hex>, size is 0x<hex>, ... status is
 * MISS". The cycle comes after '@', '[' or "[info] ". */
static bool read_miss(const char *line, size_t length, struct sim_miss *miss)
{
    struct sim_span all, address, size, status;
    char text[128]; /* the fields are in the first part of a line */
    const char *at = text;

    if (length >= sizeof(text) - 1)
        length = sizeof(text) - 1;
    memcpy(text, line, length);
    text[length] = '\0';
    all = (struct sim_span){text, (uint32_t)length};
    if (!sim_span_find(all, "icache read address is 0x", &address) ||
        !sim_span_find(all, "size is 0x", &size) ||
        !sim_span_find(all, "status is MISS", &status))
        return false;
    if (strncmp(at, "[info] ", 7) == 0)
        at += 7;
    at += *at == '@' || *at == '[';
    if (*at < '0' || *at > '9')
        return false;
    miss->cycle = strtoull(at, NULL, 10);
    miss->address = strtoull(address.at, NULL, 16);
    miss->bytes = (uint32_t)strtoul(size.at, NULL, 16);
    return true;
}

void simlog_read_misses(struct sim_core *core, const char *bytes, size_t size)
{
    const char *end = bytes + size, *line;
    size_t room = core->miss_count, length;

    while (simlog_next_line(&bytes, end, &line, &length)) {
        struct sim_miss miss;

        if (length >= LINE_BYTES_MAX || core->miss_count >= SIMLOG_LINES_MAX ||
            !read_miss(line, length, &miss))
            continue;
        if (core->miss_count == room) {
            room = room ? room * 2 : 256;
            core->misses = xreallocarray(core->misses, room, sizeof(core->misses[0]));
        }
        core->misses[core->miss_count++] = miss;
    }
}
