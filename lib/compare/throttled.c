#include "lib/compare/throttled.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/compare/cell_values.h"

const char throttled_metric[] = "throttled_mhz";

struct throttled {
    struct map *repeats; /* by cell and repeat */
    size_t count;
};

struct throttled *throttled_create(void)
{
    struct throttled *throttled = xcalloc(1, sizeof(*throttled));

    throttled->repeats = map_create();
    return throttled;
}

void throttled_destroy(struct throttled *throttled)
{
    if (!throttled)
        return;
    map_destroy(throttled->repeats);
    free(throttled);
}

/* The caller frees the key. */
static char *key_of(const struct throttled_cell *cell, uint64_t repeat)
{
    return xasprintf("%s\n%s\n%s\n%" PRIu64 "\n%d\n%" PRIu64, cell->point, cell->kernel,
                     cell->card, cell->rank, cell->is_new, repeat);
}

void throttled_add(struct throttled *throttled,
                   const struct throttled_cell *cell,
                   uint64_t repeat)
{
    char *key = key_of(cell, repeat);

    map_put(throttled->repeats, key, throttled);
    throttled->count++;
    free(key);
}

static bool is_throttled(const struct throttled *throttled,
                         const struct throttled_cell *cell,
                         uint64_t repeat)
{
    char *key = key_of(cell, repeat);
    bool found = map_get(throttled->repeats, key) != NULL;

    free(key);
    return found;
}

size_t throttled_leave_out(const struct throttled *throttled,
                           const struct throttled_cell *cell,
                           struct repeat_values *values)
{
    size_t kept = 0, count = values->count;

    if (throttled->count == 0)
        return 0;
    bool *is_kept = xcalloc(count + 1, sizeof(*is_kept));
    for (size_t i = 0; i < count; i++) {
        is_kept[i] = !is_throttled(throttled, cell, values->numbers[i]);
        kept += is_kept[i];
    }
    if (kept > 0) {
        values->count = 0;
        for (size_t i = 0; i < count; i++)
            if (is_kept[i]) {
                values->numbers[values->count] = values->numbers[i];
                values->values[values->count++] = values->values[i];
            }
    }
    free(is_kept);
    return kept > 0 ? count - kept : 0;
}
