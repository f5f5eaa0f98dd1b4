/* trace_objects.h - objects of a process, by number
 *
 * Memory is allocated for the numbers that occur, in pages, because a damaged record
 * can name any number. */
#ifndef PARSERS_XPTI_TRACE_OBJECTS_H
#define PARSERS_XPTI_TRACE_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

struct trace_object {
    uint64_t object;           /* number; 0: no record */
    uint32_t name, file, kind; /* texts */
    uint32_t kernel;           /* text of the metadata; 0: none */
    uint32_t line;
    uint32_t event_type;
    uint64_t queue;
    uint64_t bytes; /* of a transfer */
    uint64_t place;
    char *kernel_name, *copy_from, *copy_to, *device; /* NULL: none */
    struct xpti_enqueue *enqueue;                     /* NULL: not recorded */
};

struct trace_objects {
    struct trace_object **pages;
    size_t page_room;
};

/* Returns the object, with zeros when it is new, or NULL for an impossible number. */
struct trace_object *trace_objects_put(struct trace_objects *objects, uint64_t number);
/* Returns NULL for a number that was not put. */
struct trace_object *trace_objects_find(const struct trace_objects *objects,
                                        uint64_t number);
void trace_objects_clear(struct trace_objects *objects);

#endif
