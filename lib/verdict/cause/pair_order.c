#include "lib/verdict/cause/pair_order.h"

#include <assert.h>

size_t pair_order_count(size_t pairs, size_t sessions, size_t session)
{
    assert(sessions > 0);
    return session < sessions ? pairs / sessions + (session < pairs % sessions) : 0;
}

/* The Thue-Morse sequence: the number of one bits decides. */
bool pair_order_base_first(size_t session, size_t pair)
{
    return (__builtin_popcountll(pair) + __builtin_popcountll(session)) % 2 == 0;
}
