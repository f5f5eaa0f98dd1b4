#include "coordinator/ledger/task_queue.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "lib/base/mem.h"

struct line { /* the tasks that need the same card */
    int32_t card;
    struct waiting *first, *last;
};

struct lines {
    struct line *items;
    size_t count;
};

struct task_queue {
    struct lines lines;
};

struct task_queue_cursor {
    struct lines lines; /* a copy, whose `first` moves forward */
};

struct task_queue *task_queue_create(void)
{
    return xcalloc(1, sizeof(struct task_queue));
}

void task_queue_destroy(struct task_queue *queue)
{
    if (!queue)
        return;
    free(queue->lines.items);
    free(queue);
}

static struct line *find_line(const struct lines *lines, int32_t card)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->items[i].card == card)
            return &lines->items[i];
    return NULL;
}

static struct line *add_line(struct lines *lines, int32_t card)
{
    lines->items = xreallocarray(lines->items, lines->count + 1, sizeof(*lines->items));
    lines->items[lines->count] = (struct line){.card = card};
    return &lines->items[lines->count++];
}

void task_queue_push(struct task_queue *queue, struct waiting *waiting)
{
    struct line *line = find_line(&queue->lines, waiting->card);

    if (!line)
        line = add_line(&queue->lines, waiting->card);
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

void task_queue_remove(struct task_queue *queue, struct waiting *waiting)
{
    struct line *line = find_line(&queue->lines, waiting->card);
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

struct task_queue_cursor *task_queue_cursor_create(const struct task_queue *queue)
{
    struct task_queue_cursor *cursor = xcalloc(1, sizeof(*cursor));
    const struct lines *lines = &queue->lines;

    if (lines->count > 0)
        cursor->lines.items =
            xmemdup(lines->items, lines->count * sizeof(*lines->items));
    cursor->lines.count = lines->count;
    return cursor;
}

void task_queue_cursor_destroy(struct task_queue_cursor *cursor)
{
    if (!cursor)
        return;
    free(cursor->lines.items);
    free(cursor);
}

struct waiting *task_queue_cursor_first(const struct task_queue_cursor *cursor,
                                        int32_t card)
{
    const struct line *any = find_line(&cursor->lines, -1);
    const struct line *own = find_line(&cursor->lines, card);
    struct waiting *a = any ? any->first : NULL, *b = own ? own->first : NULL;

    if (!a || !b)
        return a ? a : b;
    return a->place < b->place ? a : b;
}

void task_queue_cursor_skip(struct task_queue_cursor *cursor,
                            const struct waiting *waiting)
{
    struct line *line = find_line(&cursor->lines, waiting->card);

    assert(line && line->first == waiting);
    line->first = waiting->next;
}
