#include "parsers/xpti/trace_objects.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

/* Numbers above are damage: the producer counts from 1. */
enum { OBJECTS_MAX = 1 << 26, PAGE = 64 };

static void grow(struct trace_objects *objects, size_t page)
{
    size_t larger = objects->page_room ? objects->page_room : 16;

    while (larger <= page)
        larger *= 2;
    objects->pages = xrealloc(objects->pages, larger * sizeof(*objects->pages));
    memset(objects->pages + objects->page_room, 0,
           (larger - objects->page_room) * sizeof(*objects->pages));
    objects->page_room = larger;
}

struct trace_object *trace_objects_put(struct trace_objects *objects, uint64_t number)
{
    const size_t page = number / PAGE;

    if (number == 0 || number > OBJECTS_MAX)
        return NULL;
    if (page >= objects->page_room)
        grow(objects, page);
    if (!objects->pages[page])
        objects->pages[page] = xcalloc(PAGE, sizeof(struct trace_object));
    return &objects->pages[page][number % PAGE];
}

struct trace_object *trace_objects_find(const struct trace_objects *objects,
                                        uint64_t number)
{
    const uint64_t page = number / PAGE;

    return page < objects->page_room && objects->pages[page]
               ? &objects->pages[page][number % PAGE]
               : NULL;
}

void trace_objects_clear(struct trace_objects *objects)
{
    for (size_t page = 0; page < objects->page_room; page++) {
        struct trace_object *object = objects->pages[page];

        for (size_t i = 0; object && i < PAGE; i++) {
            free(object[i].kernel_name);
            free(object[i].copy_from);
            free(object[i].copy_to);
            free(object[i].device);
            free(object[i].enqueue);
        }
        free(object);
    }
    free(objects->pages);
    *objects = (struct trace_objects){0};
}
