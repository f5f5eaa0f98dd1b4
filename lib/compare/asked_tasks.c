#include "lib/compare/asked_tasks.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/compare/cell_identities.h"

struct asked {
    size_t tasks, done; /* of the new job */
};

struct asked_tasks {
    struct asked *points; /* by number */
    uint32_t count;
    /* Repeats of both jobs that are not done: the repeat is the rank of the identity.
     */
    struct cell_identities *unfinished[2];
};

struct asked_tasks *asked_tasks_create(void)
{
    struct asked_tasks *tasks = xcalloc(1, sizeof(*tasks));

    for (int side = 0; side < 2; side++)
        tasks->unfinished[side] = cell_identities_create();
    return tasks;
}

void asked_tasks_destroy(struct asked_tasks *tasks)
{
    if (!tasks)
        return;
    for (int side = 0; side < 2; side++)
        cell_identities_destroy(tasks->unfinished[side]);
    free(tasks->points);
    free(tasks);
}

static void grow(struct asked_tasks *tasks, uint32_t count)
{
    tasks->points = xreallocarray(tasks->points, count, sizeof(*tasks->points));
    while (tasks->count < count)
        tasks->points[tasks->count++] = (struct asked){0};
}

void asked_tasks_add(struct asked_tasks *tasks,
                     bool is_new,
                     uint32_t point,
                     uint64_t repeat,
                     bool done)
{
    if (point >= tasks->count)
        grow(tasks, 2 * point + 64);
    if (is_new) {
        tasks->points[point].tasks++;
        tasks->points[point].done += done;
    }
    if (!done)
        cell_identities_add(tasks->unfinished[is_new],
                            &(struct cell_identity){.point = point, .rank = repeat});
}

bool asked_tasks_is_unfinished(const struct asked_tasks *tasks,
                               bool is_new,
                               uint32_t point,
                               uint64_t repeat)
{
    const struct cell_identities *unfinished = tasks->unfinished[is_new];
    const struct cell_identity identity = {.point = point, .rank = repeat};

    return cell_identities_count(unfinished) > 0 &&
           cell_identities_find(unfinished, &identity) != CELL_IDENTITY_NONE;
}

size_t asked_tasks_new(const struct asked_tasks *tasks, uint32_t point)
{
    return point < tasks->count ? tasks->points[point].tasks : 0;
}

size_t asked_tasks_missing(const struct asked_tasks *tasks, uint32_t point)
{
    return point < tasks->count ? tasks->points[point].tasks - tasks->points[point].done
                                : 0;
}

uint32_t asked_tasks_end(const struct asked_tasks *tasks)
{
    return tasks->count;
}
