#include "xpti/subscriber/object_numbers.h"

#include <stdatomic.h>

#include "xpti/abi/abi.h"
#include "xpti/subscriber/mix.h"

enum { BUCKETS = 8192, BUCKET = 8 };

struct slot {
    _Atomic uint64_t key; /* 0: empty */
    _Atomic uint64_t number;
};

static struct slot slots[BUCKETS][BUCKET];
static _Atomic uint64_t last;
/* Part of each key. A reset changes it, so that no entry is found any more. */
static uint64_t epoch = 1;

uint64_t object_key(const struct xpti_event *object)
{
    const struct xpti_payload *payload = object->payload;
    uint64_t key = mix(epoch, object->uid) ^ mix(object->instance, epoch);

    if (payload)
        key ^= mix(payload->p1 ^ (uintptr_t)payload, payload->p2 ^ 1);
    return key ? key : 1;
}

uint64_t object_uid_key(uint64_t uid)
{
    uint64_t key = mix(~epoch, uid);

    return key ? key : 1;
}

static struct slot *bucket_of(uint64_t key)
{
    return slots[key % BUCKETS];
}

uint64_t object_numbers_find(uint64_t key)
{
    struct slot *bucket = bucket_of(key);

    for (int i = 0; i < BUCKET; i++)
        if (atomic_load_explicit(&bucket[i].key, memory_order_acquire) == key) {
            uint64_t number =
                atomic_load_explicit(&bucket[i].number, memory_order_acquire);

            /* another thread may have replaced the entry between the two reads */
            if (atomic_load_explicit(&bucket[i].key, memory_order_relaxed) == key)
                return number;
        }
    return 0;
}

/* Returns the slot of the key, an empty one, or that of the oldest object. */
static struct slot *find_slot(uint64_t key)
{
    struct slot *bucket = bucket_of(key), *best = bucket;
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < BUCKET; i++)
        if (atomic_load_explicit(&bucket[i].key, memory_order_relaxed) == key)
            return &bucket[i];
    for (int i = 0; i < BUCKET; i++) {
        uint64_t number = 0;

        if (atomic_load_explicit(&bucket[i].key, memory_order_relaxed) != 0)
            number = atomic_load_explicit(&bucket[i].number, memory_order_relaxed) &
                     ~OBJECT_LEFT_OUT;
        if (number < least) {
            least = number;
            best = &bucket[i];
        }
    }
    return best;
}

void object_numbers_put(uint64_t key, uint64_t number)
{
    struct slot *slot = find_slot(key);

    if (atomic_load_explicit(&slot->key, memory_order_relaxed) != key)
        atomic_store_explicit(&slot->key, 0, memory_order_release);
    atomic_store_explicit(&slot->number, number, memory_order_release);
    atomic_store_explicit(&slot->key, key, memory_order_release);
}

uint64_t object_numbers_next(void)
{
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

void object_numbers_reset(void)
{
    epoch += 2;
    atomic_store(&last, 0);
}
