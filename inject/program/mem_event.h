/* mem_event.h - what the program allocates and frees, as records
 *
 * Told in the program's hot loops: a record that finds no room is counted, not waited
 * for. */
#ifndef INJECT_PROGRAM_MEM_EVENT_H
#define INJECT_PROGRAM_MEM_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/capture/format/records.h"

/* `visible` is the device, -1: not known. */
void mem_event_write(enum mem_event_what what,
                     int visible,
                     const void *address,
                     uint64_t size);

/* Heaps and regions: parts of what was allocated that the program hands out itself, and
 * tells of through its marks (hooks_mstx.c). As their header has them. */
struct heap_description;
struct regions_description;
struct regions_references;

void *heap_register(void *domain, const struct heap_description *heap);
void heap_unregister(void *domain, void *heap);
void regions_register(void *domain, const struct regions_description *regions);
void regions_unregister(void *domain, const struct regions_references *regions);

#endif
