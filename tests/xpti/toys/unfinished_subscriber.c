/* unfinished_subscriber.c - a library that a dispatcher must refuse: it has no finish
 */
#include <stdlib.h>

#include "xpti/abi/abi.h"

xpti_init_fn xptiTraceInit;

void xptiTraceInit(unsigned major,
                   unsigned minor,
                   const char *version,
                   const char *stream)
{
    (void)major, (void)minor, (void)version, (void)stream;
    abort();
}
