#include "worker/lease/lease_queue.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "worker/lease/waiting_lease.h"

struct lease_line {
    struct next_lease *places[LEASE_LINE_MAX]; /* those that wait stand in front */
    size_t count, made;
};

struct lease_line *lease_line_create(void)
{
    return xcalloc(1, sizeof(struct lease_line));
}

void lease_line_destroy(struct lease_line *line)
{
    if (!line)
        return;
    for (size_t i = 0; i < line->made; i++)
        next_lease_destroy(line->places[i]);
    free(line);
}

bool lease_line_put(struct lease_line *line, const struct msg_lease *lease)
{
    if (line->count == LEASE_LINE_MAX)
        return false;
    if (line->count == line->made)
        line->places[line->made++] = next_lease_create();
    next_lease_put(line->places[line->count++], lease);
    return true;
}

/* The place goes behind all others: what is borrowed from it stays for a while. */
static struct next_lease *take_out(struct lease_line *line, size_t at)
{
    struct next_lease *place = line->places[at];

    memmove(&line->places[at], &line->places[at + 1],
            (line->made - at - 1) * sizeof(struct next_lease *));
    line->places[line->made - 1] = place;
    line->count--;
    return place;
}

const struct msg_lease *lease_line_take(struct lease_line *line)
{
    return line->count > 0 ? next_lease_take(take_out(line, 0)) : NULL;
}

const struct msg_lease *lease_line_look(const struct lease_line *line, size_t at)
{
    return at < line->count ? next_lease_look(line->places[at]) : NULL;
}

size_t lease_line_count(const struct lease_line *line)
{
    return line->count;
}

static size_t find(const struct lease_line *line, uint64_t run_id)
{
    size_t at = 0;

    while (at < line->count && next_lease_run_id(line->places[at]) != run_id)
        at++;
    return at;
}

bool lease_line_has(const struct lease_line *line, uint64_t run_id)
{
    return find(line, run_id) < line->count;
}

bool lease_line_drop(struct lease_line *line, uint64_t run_id)
{
    size_t at = find(line, run_id);

    if (at == line->count)
        return false;
    next_lease_drop(take_out(line, at));
    return true;
}

void lease_line_drop_all(struct lease_line *line)
{
    while (line->count > 0)
        next_lease_drop(take_out(line, 0));
}
