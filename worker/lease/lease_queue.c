#include "worker/lease/lease_queue.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "worker/lease/waiting_lease.h"

struct lease_queue {
    struct waiting_lease *places[LEASE_QUEUE_MAX]; /* those that wait stand in front */
    size_t count, made;
};

struct lease_queue *lease_queue_create(void)
{
    return xcalloc(1, sizeof(struct lease_queue));
}

void lease_queue_destroy(struct lease_queue *line)
{
    if (!line)
        return;
    for (size_t i = 0; i < line->made; i++)
        waiting_lease_destroy(line->places[i]);
    free(line);
}

bool lease_queue_put(struct lease_queue *line, const struct msg_lease *lease)
{
    if (line->count == LEASE_QUEUE_MAX)
        return false;
    if (line->count == line->made)
        line->places[line->made++] = waiting_lease_create();
    waiting_lease_put(line->places[line->count++], lease);
    return true;
}

/* The place goes behind all others: what is borrowed from it stays for a while. */
static struct waiting_lease *take_out(struct lease_queue *line, size_t at)
{
    struct waiting_lease *place = line->places[at];

    memmove(&line->places[at], &line->places[at + 1],
            (line->made - at - 1) * sizeof(struct waiting_lease *));
    line->places[line->made - 1] = place;
    line->count--;
    return place;
}

const struct msg_lease *lease_queue_take(struct lease_queue *line)
{
    return line->count > 0 ? waiting_lease_take(take_out(line, 0)) : NULL;
}

const struct msg_lease *lease_queue_look(const struct lease_queue *line, size_t at)
{
    return at < line->count ? waiting_lease_look(line->places[at]) : NULL;
}

size_t lease_queue_count(const struct lease_queue *line)
{
    return line->count;
}

static size_t find(const struct lease_queue *line, uint64_t run_id)
{
    size_t at = 0;

    while (at < line->count && waiting_lease_run_id(line->places[at]) != run_id)
        at++;
    return at;
}

bool lease_queue_has(const struct lease_queue *line, uint64_t run_id)
{
    return find(line, run_id) < line->count;
}

bool lease_queue_drop(struct lease_queue *line, uint64_t run_id)
{
    size_t at = find(line, run_id);

    if (at == line->count)
        return false;
    waiting_lease_drop(take_out(line, at));
    return true;
}

void lease_queue_drop_all(struct lease_queue *line)
{
    while (line->count > 0)
        waiting_lease_drop(take_out(line, 0));
}
