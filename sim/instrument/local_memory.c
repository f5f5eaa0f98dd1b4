#include "sim/instrument/local_memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "sim/fleet/config.h"
#include "sim/fleet/soc.h"

#define MEMORIES NPU_SIM_GM
#define KIB      1024u

/* Published sizes: cores split into cube and vector, and the combined core of the 310P.
 */
static const struct {
    size_t split, whole;
} sizes[MEMORIES] = {
    [NPU_SIM_L1] = {512 * KIB, 1024 * KIB}, [NPU_SIM_L0A] = {64 * KIB, 64 * KIB},
    [NPU_SIM_L0B] = {64 * KIB, 64 * KIB},   [NPU_SIM_L0C] = {128 * KIB, 256 * KIB},
    [NPU_SIM_UB] = {192 * KIB, 256 * KIB},  [NPU_SIM_BT] = {1 * KIB, 1 * KIB},
};

struct set {
    char *at[MEMORIES];
};

static __thread struct set *mine;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_set(void *arg)
{
    struct set *set = arg;

    for (int i = 0; i < MEMORIES; i++)
        free(set->at[i]);
    free(set);
    mine = NULL;
}

static void make_key(void)
{
    pthread_key_create(&key, free_set);
}

static size_t size_of(unsigned memory)
{
    return soc_is_split(config_get()->soc) ? sizes[memory].split : sizes[memory].whole;
}

static struct set *set_of_thread(void)
{
    if (!mine) {
        pthread_once(&once, make_key);
        mine = calloc(1, sizeof(*mine));
        if (mine)
            pthread_setspecific(key, mine);
    }
    return mine;
}

void *local_memory(enum npu_sim_memory memory, size_t *bytes)
{
    struct set *set;

    if ((unsigned)memory >= MEMORIES || !(set = set_of_thread()))
        return NULL;
    *bytes = size_of(memory);
    if (!set->at[memory])
        set->at[memory] = malloc(*bytes);
    return set->at[memory];
}

uint64_t local_memory_offset(unsigned memory, uint64_t address)
{
    uint64_t base;

    if (memory >= MEMORIES || !mine || !mine->at[memory])
        return address;
    base = (uint64_t)(uintptr_t)mine->at[memory];
    return address - base < size_of(memory) ? address - base : address;
}
