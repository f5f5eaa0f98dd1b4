#include "inject/launch/launch_numbers.h"

#include <stdatomic.h>

static _Atomic uint64_t launches;

uint64_t launch_numbers_next(void)
{
    return atomic_fetch_add(&launches, 1) + 1;
}

void launch_numbers_restart(void)
{
    atomic_store(&launches, 0);
}
