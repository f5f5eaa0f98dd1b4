/* host.h - page-locked host memory: what asynchronous copies need not wait for */
#ifndef SIM_RUNTIME_HOST_H
#define SIM_RUNTIME_HOST_H

#include <stdbool.h>
#include <stddef.h>

void *host_alloc(size_t size);
bool host_free(void *address); /* false: was not allocated here */
bool host_has(const void *address, size_t size);

#endif
