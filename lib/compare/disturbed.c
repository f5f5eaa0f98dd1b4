#include "lib/compare/disturbed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/cell_values.h"

/* All launches of a repeat on one card. */
struct disturbed_card {
    struct disturbed_card *next;
    struct disturbance disturbance;
    char name[];
};

struct disturbed {
    struct map *tasks;   /* most tasks have no disturbed repeat */
    struct map *repeats; /* struct disturbed_card by tasks and repeat; owned */
};

struct disturbed *disturbed_create(void)
{
    struct disturbed *disturbed = xcalloc(1, sizeof(*disturbed));

    disturbed->tasks = map_create();
    disturbed->repeats = map_create();
    return disturbed;
}

void disturbed_destroy(struct disturbed *disturbed)
{
    size_t cursor = 0;
    const char *key;
    void *value;

    if (!disturbed)
        return;
    while (map_next(disturbed->repeats, &cursor, &key, &value))
        for (struct disturbed_card *card = value, *next; card; card = next) {
            next = card->next;
            free(card);
        }
    map_destroy(disturbed->tasks);
    map_destroy(disturbed->repeats);
    free(disturbed);
}

/* The caller frees the keys. */
static char *key_of_tasks(const struct disturbed_tasks *tasks)
{
    return xasprintf("%s\n%s\n%d", tasks->point, tasks->card, tasks->is_new);
}

static char *key_of_repeat(const char *tasks_key, uint64_t repeat)
{
    return xasprintf("%s\n%" PRIu64, tasks_key, repeat);
}

/* Returns the card of the list, or the end of the list, where the next one belongs. */
static struct disturbed_card **find_card(struct disturbed_card **cards,
                                         const char *name)
{
    while (*cards && strcmp((*cards)->name, name) != 0)
        cards = &(*cards)->next;
    return cards;
}

static struct disturbed_card *create_card(const char *name)
{
    size_t size = strlen(name) + 1;
    struct disturbed_card *card = xcalloc(1, sizeof(*card) + size);

    memcpy(card->name, name, size);
    return card;
}

void disturbed_add(struct disturbed *disturbed,
                   const struct disturbed_tasks *tasks,
                   uint64_t repeat,
                   const char *card_name,
                   double value)
{
    const struct disturbance launch = disturbance_unpack(value);
    char *tasks_key = key_of_tasks(tasks), *key = key_of_repeat(tasks_key, repeat);
    struct disturbed_card *cards = map_get(disturbed->repeats, key);
    struct disturbed_card **card = find_card(&cards, card_name);

    if (!*card)
        *card = create_card(card_name);
    (*card)->disturbance.throttled |= launch.throttled;
    (*card)->disturbance.other_process |= launch.other_process;
    (*card)->disturbance.memory_errors += launch.memory_errors;
    map_put(disturbed->tasks, tasks_key, disturbed);
    map_put(disturbed->repeats, key, cards);
    free(tasks_key);
    free(key);
}

/* Returns the disturbed cards of the repeat, or NULL. */
static const struct disturbed_card *
find_repeat(const struct disturbed *disturbed, const char *tasks_key, uint64_t repeat)
{
    char *key = key_of_repeat(tasks_key, repeat);
    const struct disturbed_card *found = map_get(disturbed->repeats, key);

    free(key);
    return found;
}

/* Returns the key of the tasks; NULL: none of their repeats is disturbed. */
static char *find_tasks(const struct disturbed *disturbed,
                        const struct disturbed_tasks *tasks)
{
    char *key = map_count(disturbed->tasks) > 0 ? key_of_tasks(tasks) : NULL;

    if (key && !map_get(disturbed->tasks, key)) {
        free(key);
        key = NULL;
    }
    return key;
}

static bool is_disturbed(const struct disturbance *card, enum disturbance_kind kind)
{
    return kind == DISTURBED_BY_CLOCK    ? card->throttled
           : kind == DISTURBED_BY_ERRORS ? card->memory_errors > 0
                                         : card->other_process;
}

static bool has_kind(const struct disturbed_card *cards, enum disturbance_kind kind)
{
    for (; cards; cards = cards->next)
        if (is_disturbed(&cards->disturbance, kind))
            return true;
    return false;
}

static bool never_counts(const struct disturbed_card *cards)
{
    return has_kind(cards, DISTURBED_BY_ERRORS) ||
           has_kind(cards, DISTURBED_BY_PROCESS);
}

/* Adds the card to "S1 or S3" unless it is among them. */
static void add_name(char **names, const char *card)
{
    static const char divider[] = " or ";
    char *before = *names;

    for (const char *at = before; at;) {
        const char *end = strstr(at, divider);
        size_t length = end ? (size_t)(end - at) : strlen(at);

        if (length == strlen(card) && strncmp(at, card, length) == 0)
            return;
        at = end ? end + sizeof(divider) - 1 : NULL;
    }
    *names = before ? xasprintf("%s%s%s", before, divider, card) : xstrdup(card);
    free(before);
}

static void count_repeat(struct disturbed_repeats *counts,
                         const struct disturbed_card *cards,
                         bool without_throttled)
{
    counts->left_out++;
    for (enum disturbance_kind kind = 0; kind < DISTURBANCE_KINDS; kind++) {
        if (!has_kind(cards, kind) ||
            (kind == DISTURBED_BY_CLOCK && !without_throttled))
            continue;
        counts->counts[kind]++;
        for (const struct disturbed_card *card = cards; card; card = card->next)
            if (is_disturbed(&card->disturbance, kind))
                add_name(&counts->cards[kind], card->name);
    }
    for (; cards; cards = cards->next)
        counts->errors += cards->disturbance.memory_errors;
}

struct disturbed_repeats disturbed_leave_out(const struct disturbed *disturbed,
                                             const struct disturbed_tasks *tasks,
                                             struct repeat_values *values)
{
    struct disturbed_repeats counts = {.all = values->count};
    char *key = find_tasks(disturbed, tasks);
    bool without_throttled = false;

    if (!key)
        return counts;
    const struct disturbed_card **repeats =
        xcalloc(values->count + 1, sizeof(*repeats));
    for (size_t i = 0; i < counts.all; i++) {
        repeats[i] = find_repeat(disturbed, key, values->numbers[i]);
        without_throttled |=
            !never_counts(repeats[i]) && !has_kind(repeats[i], DISTURBED_BY_CLOCK);
    }
    values->count = 0;
    for (size_t i = 0; i < counts.all; i++)
        if (never_counts(repeats[i]) ||
            (has_kind(repeats[i], DISTURBED_BY_CLOCK) && without_throttled)) {
            count_repeat(&counts, repeats[i], without_throttled);
        } else {
            values->numbers[values->count] = values->numbers[i];
            values->values[values->count++] = values->values[i];
        }
    free(repeats);
    free(key);
    return counts;
}

void disturbed_repeats_clear(struct disturbed_repeats *repeats)
{
    for (enum disturbance_kind kind = 0; kind < DISTURBANCE_KINDS; kind++)
        free(repeats->cards[kind]);
    *repeats = (struct disturbed_repeats){0};
}

char *disturbed_reason(const struct disturbed_repeats *repeats, bool is_new)
{
    const size_t *counts = repeats->counts;
    const char *of_base = is_new ? "" : " of the base";
    const char *next = "not measured: ";
    struct text out = {0};

    if (counts[DISTURBED_BY_CLOCK]) {
        text_printf(&out, "%scard %s was throttled in %zu of %zu repeats%s", next,
                    repeats->cards[DISTURBED_BY_CLOCK], counts[DISTURBED_BY_CLOCK],
                    repeats->all, of_base);
        next = "; ";
    }
    if (counts[DISTURBED_BY_ERRORS]) {
        text_printf(&out,
                    "%scard %s had %" PRIu64
                    " new memory error%s in %zu of %zu repeats%s",
                    next, repeats->cards[DISTURBED_BY_ERRORS], repeats->errors,
                    repeats->errors == 1 ? "" : "s", counts[DISTURBED_BY_ERRORS],
                    repeats->all, of_base);
        next = "; ";
    }
    if (counts[DISTURBED_BY_PROCESS])
        text_printf(&out, "%sanother process used card %s in %zu of %zu repeats%s",
                    next, repeats->cards[DISTURBED_BY_PROCESS],
                    counts[DISTURBED_BY_PROCESS], repeats->all, of_base);
    return text_take(&out);
}
