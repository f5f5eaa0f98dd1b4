#include "coordinator/ledger/task_queue.h"

#include <stddef.h>
#include <stdlib.h>

#include "lib/base/mem.h"

struct line { /* of those who want the same card */
    int32_t card;
    struct waiting *first, *last;
};

struct task_queue {
    struct line *lines;
    size_t count;
};

struct task_queue *task_queue_create(void)
{
    return xcalloc(1, sizeof(struct task_queue));
}

void task_queue_destroy(struct task_queue *queue)
{
    if (!queue)
        return;
    free(queue->lines);
    free(queue);
}

static struct line *find_line(const struct task_queue *queue, int32_t card)
{
    for (size_t i = 0; i < queue->count; i++)
        if (queue->lines[i].card == card)
            return &queue->lines[i];
    return NULL;
}

static struct line *add_line(struct task_queue *queue, int32_t card)
{
    queue->lines = xreallocarray(queue->lines, queue->count + 1, sizeof(*queue->lines));
    queue->lines[queue->count] = (struct line){.card = card};
    return &queue->lines[queue->count++];
}

void task_queue_push(struct task_queue *queue, struct waiting *waiting)
{
    struct line *line = find_line(queue, waiting->card);

    if (!line)
        line = add_line(queue, waiting->card);
    struct waiting **link = &line->first;
    if (line->last && line->last->place < waiting->place)
        link = &line->last->next;
    while (*link && (*link)->place < waiting->place)
        link = &(*link)->next;
    waiting->next = *link;
    *link = waiting;
    if (!waiting->next)
        line->last = waiting;
}

struct waiting *task_queue_first(const struct task_queue *queue, int32_t card)
{
    const struct line *any = find_line(queue, -1), *own = find_line(queue, card);
    struct waiting *a = any ? any->first : NULL, *b = own ? own->first : NULL;

    if (!a || !b)
        return a ? a : b;
    return a->place < b->place ? a : b;
}

void task_queue_remove(struct task_queue *queue, struct waiting *waiting)
{
    struct line *line = find_line(queue, waiting->card);
    struct waiting *before = NULL;

    if (!line)
        return;
    for (struct waiting **link = &line->first; *link; link = &(*link)->next) {
        if (*link == waiting) {
            *link = waiting->next;
            if (line->last == waiting)
                line->last = before;
            waiting->next = NULL;
            return;
        }
        before = *link;
    }
}
