/* mix.h - hash of two numbers: the halves of their product */
#ifndef XPTI_SUBSCRIBER_MIX_H
#define XPTI_SUBSCRIBER_MIX_H

#include <stdint.h>

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product =
        (unsigned __int128)(a ^ 0x9e3779b97f4a7c15ULL) * (b ^ 0xe7037ed1a0b428dbULL);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
