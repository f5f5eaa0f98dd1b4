#include "parsers/xpti/span_sums.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

/* Indices in the map are stored plus one, as NULL means none. */
static struct span_sum *
find(struct span_sums *sums, struct map *map, const struct span *span)
{
    struct text key = {0};
    uintptr_t at;

    text_printf(&key, "%s\n%s\n%s", span->name,
                span->object && span->object->copy_from ? span->object->copy_from : "",
                span->object && span->object->copy_to ? span->object->copy_to : "");
    at = (uintptr_t)map_get(map, text_get(&key));
    if (at == 0) {
        sums->sums = xrealloc(sums->sums, (sums->count + 1) * sizeof(*sums->sums));
        sums->sums[sums->count++] =
            (struct span_sum){.first = span, .least_ns = UINT64_MAX};
        at = sums->count;
        map_put(map, text_get(&key), (void *)at);
    }
    text_clear(&key);
    return &sums->sums[at - 1];
}

void span_sums_make(struct span_sums *sums,
                    const struct event_spans *spans,
                    enum span_kind kind)
{
    struct map *map = map_create();

    *sums = (struct span_sums){0};
    for (size_t i = 0; i < spans->count; i++) {
        const struct span *span = &spans->spans[i];
        const uint64_t ns = (uint64_t)(span->end_ns - span->start_ns);
        struct span_sum *sum;

        if (span->kind != kind)
            continue;
        sum = find(sums, map, span);
        if (span->is_unfinished) {
            sum->unfinished++;
            continue;
        }
        sum->count++;
        sum->failed += span->result != 0;
        sum->bytes += span->bytes;
        sum->total_ns += ns;
        if (ns < sum->least_ns)
            sum->least_ns = ns;
        if (ns > sum->most_ns)
            sum->most_ns = ns;
    }
    map_destroy(map);
}

void span_sums_clear(struct span_sums *sums)
{
    free(sums->sums);
    *sums = (struct span_sums){0};
}
