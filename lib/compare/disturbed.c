#include "lib/compare/disturbed.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/cell_values.h"

struct disturbed {
    struct map *cells;   /* most cells have no disturbed repeat */
    struct map *repeats; /* struct disturbance by cell and repeat; owned */
};

struct disturbed *disturbed_create(void)
{
    struct disturbed *disturbed = xcalloc(1, sizeof(*disturbed));

    disturbed->cells = map_create();
    disturbed->repeats = map_create();
    return disturbed;
}

void disturbed_destroy(struct disturbed *disturbed)
{
    size_t cursor = 0;
    const char *key;
    void *repeat;

    if (!disturbed)
        return;
    while (map_next(disturbed->repeats, &cursor, &key, &repeat))
        free(repeat);
    map_destroy(disturbed->cells);
    map_destroy(disturbed->repeats);
    free(disturbed);
}

/* The caller frees the keys. */
static char *key_of_cell(const struct disturbed_cell *cell)
{
    return xasprintf("%s\n%s\n%s\n%" PRIu64 "\n%d", cell->point, cell->kernel,
                     cell->card, cell->rank, cell->is_new);
}

static char *key_of_repeat(const char *cell_key, uint64_t repeat)
{
    return xasprintf("%s\n%" PRIu64, cell_key, repeat);
}

void disturbed_add(struct disturbed *disturbed,
                   const struct disturbed_cell *cell,
                   uint64_t repeat,
                   double value)
{
    const struct disturbance launch = disturbance_unpack(value);
    char *cell_key = key_of_cell(cell), *key = key_of_repeat(cell_key, repeat);
    struct disturbance *all = map_get(disturbed->repeats, key);

    if (!all) {
        all = xcalloc(1, sizeof(*all));
        map_put(disturbed->cells, cell_key, disturbed);
        map_put(disturbed->repeats, key, all);
    }
    all->throttled |= launch.throttled;
    all->other_process |= launch.other_process;
    all->memory_errors += launch.memory_errors;
    free(cell_key);
    free(key);
}

static struct disturbance
find_repeat(const struct disturbed *disturbed, const char *cell_key, uint64_t repeat)
{
    char *key = key_of_repeat(cell_key, repeat);
    const struct disturbance *found = map_get(disturbed->repeats, key);

    free(key);
    return found ? *found : (struct disturbance){0};
}

/* Returns the key of the cell; NULL: none of its repeats is disturbed. */
static char *find_cell(const struct disturbed *disturbed,
                       const struct disturbed_cell *cell)
{
    char *key = map_count(disturbed->cells) > 0 ? key_of_cell(cell) : NULL;

    if (key && !map_get(disturbed->cells, key)) {
        free(key);
        key = NULL;
    }
    return key;
}

static bool never_counts(const struct disturbance *repeat)
{
    return repeat->other_process || repeat->memory_errors > 0;
}

static void count_repeat(struct disturbed_repeats *counts,
                         const struct disturbance *repeat,
                         bool without_throttled)
{
    counts->left_out++;
    counts->throttled += repeat->throttled && without_throttled;
    counts->other_process += repeat->other_process;
    counts->memory_errors += repeat->memory_errors > 0;
    counts->errors += repeat->memory_errors;
}

struct disturbed_repeats disturbed_leave_out(const struct disturbed *disturbed,
                                             const struct disturbed_cell *cell,
                                             struct repeat_values *values)
{
    struct disturbed_repeats counts = {.all = values->count};
    char *key = find_cell(disturbed, cell);
    bool without_throttled = false;

    if (!key)
        return counts;
    struct disturbance *repeats = xcalloc(values->count + 1, sizeof(*repeats));
    for (size_t i = 0; i < counts.all; i++) {
        repeats[i] = find_repeat(disturbed, key, values->numbers[i]);
        without_throttled |= !never_counts(&repeats[i]) && !repeats[i].throttled;
    }
    values->count = 0;
    for (size_t i = 0; i < counts.all; i++)
        if (never_counts(&repeats[i]) || (repeats[i].throttled && without_throttled)) {
            count_repeat(&counts, &repeats[i], without_throttled);
        } else {
            values->numbers[values->count] = values->numbers[i];
            values->values[values->count++] = values->values[i];
        }
    free(repeats);
    free(key);
    return counts;
}

char *
disturbed_reason(const struct disturbed_repeats *repeats, const char *card, bool is_new)
{
    const char *of_base = is_new ? "" : " of the base";
    const char *next = "not measured: ";
    char *name = card[0] ? xasprintf("card %s", card) : xstrdup("the card");
    struct text out = {0};

    if (repeats->throttled) {
        text_printf(&out, "%s%s was throttled in %zu of %zu repeats%s", next, name,
                    repeats->throttled, repeats->all, of_base);
        next = "; ";
    }
    if (repeats->memory_errors) {
        text_printf(&out,
                    "%s%s had %" PRIu64 " new memory error%s in %zu of %zu repeats%s",
                    next, name, repeats->errors, repeats->errors == 1 ? "" : "s",
                    repeats->memory_errors, repeats->all, of_base);
        next = "; ";
    }
    if (repeats->other_process)
        text_printf(&out, "%sanother process used %s in %zu of %zu repeats%s", next,
                    name, repeats->other_process, repeats->all, of_base);
    free(name);
    return text_take(&out);
}
