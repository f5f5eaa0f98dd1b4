#include "inject/program/marked_ranges.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "inject/base/thread.h"

enum { MARKED_RANGES_MAX = 1024, DOMAINS_MAX = 64 };

static struct range ranges[MARKED_RANGES_MAX]; /* in the order of their begin */
static atomic_size_t count;
static _Atomic uint64_t last_id;
static char domains[DOMAINS_MAX][DOMAIN_NAME_MAX];
static uint32_t domain_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void marked_ranges_reset(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* Returns the open range, or NULL. The caller holds the lock. */
static struct range *find(uint64_t id)
{
    for (size_t i = count; i-- > 0;)
        if (ranges[i].id == id)
            return &ranges[i];
    return NULL;
}

uint64_t range_begin(uint32_t domain, const char *name)
{
    uint64_t id = atomic_fetch_add(&last_id, 1) + 1;
    struct range *range;

    pthread_mutex_lock(&lock);
    if (count < MARKED_RANGES_MAX) {
        range = &ranges[count++];
        *range = (struct range){.id = id, .domain = domain, .thread = thread_number()};
        snprintf(range->name, sizeof(range->name), "%s", name ? name : "");
    }
    pthread_mutex_unlock(&lock);
    return id;
}

bool range_end(uint64_t id, struct range *out)
{
    struct range *range;

    pthread_mutex_lock(&lock);
    range = find(id);
    if (range) {
        *out = *range;
        memmove(range, range + 1,
                (size_t)(&ranges[count] - (range + 1)) * sizeof(*range));
        count--;
    }
    pthread_mutex_unlock(&lock);
    return range != NULL;
}

bool marked_ranges_any(void)
{
    return atomic_load_explicit(&count, memory_order_acquire) > 0;
}

bool marked_range_nth(size_t n, struct range *out)
{
    bool found;

    pthread_mutex_lock(&lock);
    found = n < count;
    if (found)
        *out = ranges[count - 1 - n];
    pthread_mutex_unlock(&lock);
    return found;
}

uint32_t marked_range_begin_segment(uint64_t id,
                                    enum range_scope scope,
                                    enum range_choice *choice)
{
    struct range *range;
    uint32_t segment = 1;

    *choice = RANGE_OPEN;
    pthread_mutex_lock(&lock);
    range = find(id);
    if (range) {
        segment = ++range->segments;
        *choice = range->choice[scope];
    }
    pthread_mutex_unlock(&lock);
    return segment;
}

void marked_range_choose(uint64_t id, enum range_scope scope, enum range_choice choice)
{
    struct range *range;

    pthread_mutex_lock(&lock);
    range = find(id);
    if (range)
        range->choice[scope] = choice;
    pthread_mutex_unlock(&lock);
}

void marked_ranges_write(char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    if (!marked_ranges_any())
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = count; i-- > 0;) {
        size_t length = strlen(ranges[i].name);

        if (used + length + 2 > size)
            continue;
        memcpy(out + used, ranges[i].name, length);
        for (size_t k = used; k < used + length; k++)
            if (out[k] == '\n')
                out[k] = ' ';
        used += length;
        out[used++] = '\n';
    }
    out[used] = '\0';
    pthread_mutex_unlock(&lock);
}

uint32_t domain_open(const char *name)
{
    char cut[DOMAIN_NAME_MAX];
    uint32_t domain = 0;

    snprintf(cut, sizeof(cut), "%s", name ? name : "");
    pthread_mutex_lock(&lock);
    while (domain < domain_count && strcmp(domains[domain], cut) != 0)
        domain++;
    if (domain == domain_count && domain < DOMAINS_MAX)
        memcpy(domains[domain_count++], cut, sizeof(cut));
    domain = domain < domain_count ? domain + 1 : 0;
    pthread_mutex_unlock(&lock);
    return domain;
}

void domain_write(uint32_t domain, char out[DOMAIN_NAME_MAX])
{
    memset(out, 0, DOMAIN_NAME_MAX);
    pthread_mutex_lock(&lock);
    if (domain > 0 && domain <= domain_count)
        memcpy(out, domains[domain - 1], DOMAIN_NAME_MAX);
    pthread_mutex_unlock(&lock);
}
