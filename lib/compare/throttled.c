#include "lib/compare/throttled.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/compare/cell_values.h"

const char throttled_metric[] = "throttled_mhz";

struct throttled {
    struct map *cells;   /* most cells have no throttled repeat */
    struct map *repeats; /* by cell and repeat */
};

struct throttled *throttled_create(void)
{
    struct throttled *throttled = xcalloc(1, sizeof(*throttled));

    throttled->cells = map_create();
    throttled->repeats = map_create();
    return throttled;
}

void throttled_destroy(struct throttled *throttled)
{
    if (!throttled)
        return;
    map_destroy(throttled->cells);
    map_destroy(throttled->repeats);
    free(throttled);
}

/* The caller frees the keys. */
static char *key_of_cell(const struct throttled_cell *cell)
{
    return xasprintf("%s\n%s\n%s\n%" PRIu64 "\n%d", cell->point, cell->kernel,
                     cell->card, cell->rank, cell->is_new);
}

static char *key_of_repeat(const char *cell_key, uint64_t repeat)
{
    return xasprintf("%s\n%" PRIu64, cell_key, repeat);
}

void throttled_add(struct throttled *throttled,
                   const struct throttled_cell *cell,
                   uint64_t repeat)
{
    char *cell_key = key_of_cell(cell), *key = key_of_repeat(cell_key, repeat);

    map_put(throttled->cells, cell_key, throttled);
    map_put(throttled->repeats, key, throttled);
    free(cell_key);
    free(key);
}

static bool
is_throttled(const struct throttled *throttled, const char *cell_key, uint64_t repeat)
{
    char *key = key_of_repeat(cell_key, repeat);
    bool found = map_get(throttled->repeats, key) != NULL;

    free(key);
    return found;
}

/* Returns the key of the cell; NULL: none of its repeats is throttled. */
static char *find_cell(const struct throttled *throttled,
                       const struct throttled_cell *cell)
{
    char *key = map_count(throttled->cells) > 0 ? key_of_cell(cell) : NULL;

    if (key && !map_get(throttled->cells, key)) {
        free(key);
        key = NULL;
    }
    return key;
}

size_t throttled_leave_out(const struct throttled *throttled,
                           const struct throttled_cell *cell,
                           struct repeat_values *values)
{
    size_t kept = 0, count = values->count;
    char *key = find_cell(throttled, cell);

    if (!key)
        return 0;
    bool *is_kept = xcalloc(count + 1, sizeof(*is_kept));
    for (size_t i = 0; i < count; i++) {
        is_kept[i] = !is_throttled(throttled, key, values->numbers[i]);
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
    free(key);
    return kept > 0 ? count - kept : 0;
}
