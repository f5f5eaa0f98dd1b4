/* host.h - page-locked host memory, which asynchronous copies can use without waiting
 */
#ifndef SIM_RUNTIME_HOST_H
#define SIM_RUNTIME_HOST_H

#include <stdbool.h>
#include <stddef.h>

void *host_alloc(size_t size);
bool host_free(void *address); /* false: not from host_alloc() */
bool host_has(const void *address, size_t size);

#endif
