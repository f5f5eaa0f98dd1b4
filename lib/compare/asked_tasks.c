#include "lib/compare/asked_tasks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"

struct asked {
    size_t tasks, done; /* of the new job */
};

struct asked_tasks {
    struct map *points; /* struct asked by the text of the point with its card */
    struct map
        *unfinished[2]; /* repeats of both jobs that are not done, by task_key() */
};

struct asked_tasks *asked_tasks_create(void)
{
    struct asked_tasks *tasks = xcalloc(1, sizeof(*tasks));

    tasks->points = map_create();
    for (int side = 0; side < 2; side++)
        tasks->unfinished[side] = map_create();
    return tasks;
}

void asked_tasks_destroy(struct asked_tasks *tasks)
{
    size_t cursor = 0;
    const char *key;
    void *value;

    if (!tasks)
        return;
    while (map_next(tasks->points, &cursor, &key, &value))
        free(value);
    map_destroy(tasks->points);
    for (int side = 0; side < 2; side++)
        map_destroy(tasks->unfinished[side]);
    free(tasks);
}

/* The caller frees the key. */
static char *task_key(const char *point, uint64_t repeat)
{
    return xasprintf("%s\n%" PRIu64, point, repeat);
}

void asked_tasks_add(struct asked_tasks *tasks,
                     bool is_new,
                     const char *point,
                     uint64_t repeat,
                     bool done)
{
    struct asked *asked = map_get(tasks->points, point);

    if (!asked) {
        asked = xcalloc(1, sizeof(*asked));
        map_put(tasks->points, point, asked);
    }
    if (is_new) {
        asked->tasks++;
        asked->done += done;
    }
    if (!done) {
        char *key = task_key(point, repeat);

        map_put(tasks->unfinished[is_new], key, asked);
        free(key);
    }
}

bool asked_tasks_is_unfinished(const struct asked_tasks *tasks,
                               bool is_new,
                               const char *point,
                               uint64_t repeat)
{
    char *key;
    bool found;

    if (map_count(tasks->unfinished[is_new]) == 0)
        return false;
    key = task_key(point, repeat);
    found = map_get(tasks->unfinished[is_new], key) != NULL;
    free(key);
    return found;
}

size_t asked_tasks_new(const struct asked_tasks *tasks, const char *point)
{
    const struct asked *asked = map_get(tasks->points, point);

    return asked ? asked->tasks : 0;
}

size_t asked_tasks_missing(const struct asked_tasks *tasks, const char *point)
{
    const struct asked *asked = map_get(tasks->points, point);

    return asked ? asked->tasks - asked->done : 0;
}

const char *asked_tasks_next(const struct asked_tasks *tasks, size_t *cursor)
{
    const char *key;
    void *value;

    return map_next(tasks->points, cursor, &key, &value) ? key : NULL;
}
