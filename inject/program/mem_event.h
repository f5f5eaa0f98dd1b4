/* mem_event.h - records of the program's allocations and frees
 *
 * Programs allocate in their hot loops, so a record costs little. While the ring is
 * full, because other threads write counters, the program waits (record_output.h). */
#ifndef INJECT_PROGRAM_MEM_EVENT_H
#define INJECT_PROGRAM_MEM_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/capture/format/records.h"

/* `visible` is the number of the device, -1: unknown. */
void mem_event_write(enum mem_event_what what,
                     int visible,
                     const void *address,
                     uint64_t size);

/* Heaps and regions: allocated memory that the program divides itself and reports
 * through mstx (hooks_mstx.c). The parameters are those of the mstx header. */
struct heap_description;
struct regions_description;
struct regions_references;

void *heap_register(void *domain, const struct heap_description *heap);
void heap_unregister(void *domain, void *heap);
void regions_register(void *domain, const struct regions_description *regions);
void regions_unregister(void *domain, const struct regions_references *regions);

#endif
