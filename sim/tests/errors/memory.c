/* memory.c - errors of memory and copies */
#include <runtime/rt.h>
#include <stdlib.h>

#include "sim/tests/errors/errors.h"

#define FIRST ACL_MEM_MALLOC_HUGE_FIRST

static int nothing_freed(void)
{
    return aclrtFree(NULL);
}

static int more_than_the_card_has(void)
{
    void *memory;

    MUST(aclrtSetDevice(0));
    return aclrtMalloc(&memory, (size_t)1 << 44, FIRST);
}

static int policy_that_is_none(void)
{
    void *memory;

    MUST(aclrtSetDevice(0));
    return aclrtMalloc(&memory, 64, (aclrtMemMallocPolicy)77);
}

static int type_that_is_none(void)
{
    void *memory;

    MUST(aclrtSetDevice(0));
    return rtMalloc(&memory, 64, 0x7, 0);
}

static int copy_within_the_host(void)
{
    char from[8] = "", to[8];

    MUST(aclrtSetDevice(0));
    return aclrtMemcpyAsync(to, 8, from, 8, ACL_MEMCPY_HOST_TO_HOST, NULL);
}

static int word_between_words(void)
{
    char *memory;

    MUST(aclrtSetDevice(0));
    MUST(aclrtMalloc((void **)&memory, 64, FIRST));
    return aclrtValueWrite(memory + 4, 1, 0, NULL);
}

static const struct error_case cases[] = {
    REACH(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree(NULL)", nothing_freed),
    REACH(ACL_ERROR_RT_MEMORY_ALLOCATION,
          "more memory than the card has",
          more_than_the_card_has),
    REACH(ACL_ERROR_RT_INVALID_MALLOC_TYPE, "an unknown policy", policy_that_is_none),
    REACH(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "an unknown type", type_that_is_none),
    REACH(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
          "an asynchronous copy from host to host",
          copy_within_the_host),
    REACH(ACL_ERROR_RT_ADDR_UNALIGNED,
          "a value written between two words",
          word_between_words),
};

const struct error_list errors_memory = {cases, COUNT(cases)};
