#include "lib/gate/suspects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/comparison_groups.h"
#include "lib/gate/cause_table.h"
#include "lib/verdict/cause/early_signs.h"

struct search {
    const struct comparison_row *rows;
    size_t row_count;
    const struct suspect_rules *rules;
    const struct gate_evidence *evidence;
    struct cause_table *table;                   /* of the metric that was used last */
    const struct comparison_row *rotated_launch; /* that was used last; NULL: none */
    struct gang_cause rotated_cause;
    struct suspect *suspects;
    size_t count, room;
    struct map *groups;        /* of the suspects, by group_key() */
    struct map *slow_canaries; /* serials of cards on which a canary point regressed */
};

static int by_name(const struct comparison_row *a, const struct comparison_row *b)
{
    int order = text_compare_names(a->kernel, b->kernel);

    return order ? order : text_compare_names(a->point, b->point);
}

/* The order of suspects_sort(). */
static int by_launch(const void *left, const void *right)
{
    const struct comparison_row *a = left, *b = right;
    int order;

    if ((order = by_name(a, b)))
        return order;
    if ((order = strcmp(a->metric, b->metric)))
        return order;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return text_compare_names(a->card, b->card);
}

struct comparison_row *suspects_sort(const struct comparison *comparison)
{
    size_t count = comparison_count(comparison);
    struct comparison_row *rows = xreallocarray(NULL, count + 1, sizeof(*rows));

    for (size_t i = 0; i < count; i++)
        rows[i] = comparison_row(comparison, i);
    qsort(rows, count, sizeof(*rows), by_launch);
    return rows;
}

const struct comparison_row *suspects_find_cell(const struct comparison_row *rows,
                                                size_t count,
                                                const struct comparison_row *cell)
{
    return count > 0 ? bsearch(cell, rows, count, sizeof(*rows), by_launch) : NULL;
}

static bool is_same_launch(const struct comparison_row *a,
                           const struct comparison_row *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->point, b->point) == 0;
}

static bool is_judged(const struct search *search, const struct comparison_row *row)
{
    return !row->quarantine[0] && text_matches_any(row->metric, search->rules->metric);
}

/* Returns all cells of the cell's kernel. */
static struct launch_rows kernel_of(const struct search *search, const char *kernel)
{
    size_t first = 0, end = search->row_count;

    while (first < end) { /* the first row that is not in front of the kernel */
        size_t middle = first + (end - first) / 2;

        if (text_compare_names(search->rows[middle].kernel, kernel) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    while (end < search->row_count && strcmp(search->rows[end].kernel, kernel) == 0)
        end++;
    return (struct launch_rows){search->rows + first, end - first};
}

/* Returns all cells of the cell's kernel and point. */
static struct launch_rows launch_of(const struct search *search,
                                    const struct comparison_row *cell)
{
    const struct comparison_row *found =
        bsearch(cell, search->rows, search->row_count, sizeof(*cell), by_launch);
    size_t first = (size_t)(found - search->rows), end = first;

    while (first > 0 && is_same_launch(&search->rows[first - 1], cell))
        first--;
    while (end < search->row_count && is_same_launch(&search->rows[end], cell))
        end++;
    return (struct launch_rows){search->rows + first, end - first};
}

/* Returns the cell in clock cycles of the same rank and card, or NULL. */
static const struct comparison_row *cycles_of(struct launch_rows launch,
                                              const struct comparison_row *cell)
{
    static const char *const metrics[] = {"aic_cycles_max", "aiv_cycles_max"};

    for (size_t m = 0; m < COUNT(metrics); m++)
        for (size_t i = 0; i < launch.count; i++) {
            const struct comparison_row *row = &launch.rows[i];

            if (strcmp(row->metric, metrics[m]) == 0 && row->rank == cell->rank &&
                strcmp(row->card, cell->card) == 0 && isfinite(row->shift))
                return row;
        }
    return NULL;
}

static void find_slow_canaries(struct search *search)
{
    for (size_t i = 0; search->rules->canary[0] && i < search->row_count; i++) {
        const struct comparison_row *row = &search->rows[i];

        if (row->outcome == OUTCOME_REGRESSED && is_judged(search, row) &&
            text_matches_any(row->task_point, search->rules->canary))
            map_put(search->slow_canaries, row->placed_serial, search);
    }
}

static struct early_answer read_signs(const struct search *search,
                                      struct suspect *suspect,
                                      struct launch_rows launch)
{
    const struct comparison_row *cell = &suspect->cell;
    const struct comparison_row *cycles = cycles_of(launch, cell);

    suspect->code =
        gate_evidence_code(search->evidence, cell->task_point, cell->kernel);
    suspect->environment =
        gate_evidence_environment(search->evidence, cell->placed_serial);
    suspect->no_more_cycles = cycles && (cycles->outcome == OUTCOME_SAME ||
                                         cycles->outcome == OUTCOME_IMPROVED);
    suspect->canary_regressed =
        map_get(search->slow_canaries, cell->placed_serial) != NULL;
    return early_signs_read(&(struct early_signs){
        .same_code = suspect->code == SIGN_EQUAL,
        .cycles_measured = cycles != NULL,
        .duration = VERDICT_REGRESSED,
        .cycles = suspect->no_more_cycles ? VERDICT_SAME : VERDICT_INCONCLUSIVE,
        .canary_regressed = suspect->canary_regressed,
    });
}

/* The smallest place that contains all cards of the table. */
static enum cause common_place(const struct suspect *suspect,
                               const struct cause_table *table)
{
    return !suspect->cell.placed_serial[0] ? CAUSE_UNKNOWN
           : cause_table_cards(table) == 1 ? CAUSE_CARD
           : cause_table_hosts(table) == 1 ? CAUSE_HOST
                                           : CAUSE_ENVIRONMENT;
}

/* Returns the cause of an effect on all points and cards. */
static enum cause cause_of_all(const struct suspect *suspect,
                               const struct cause_table *table,
                               bool code_excluded)
{
    if (suspect->environment == SIGN_DIFFERS)
        return suspect->code == SIGN_DIFFERS ? CAUSE_UNKNOWN : CAUSE_ENVIRONMENT;
    if (suspect->code == SIGN_DIFFERS)
        return CAUSE_CODE;
    return code_excluded ? common_place(suspect, table) : CAUSE_UNKNOWN;
}

/* With another environment, only alternating runs can prove that code is the cause. */
static enum cause cause_of_point(const struct suspect *suspect, bool code_excluded)
{
    if (suspect->environment == SIGN_DIFFERS)
        return code_excluded ? CAUSE_ENVIRONMENT : CAUSE_UNKNOWN;
    return code_excluded ? CAUSE_UNKNOWN : CAUSE_CODE;
}

static enum cause cause_of_effect(const struct suspect *suspect,
                                  const struct cause_table *table,
                                  const struct effect *effect,
                                  bool code_excluded)
{
    switch (effect->kind) {
    case EFFECT_ALL:
        return cause_of_all(suspect, table, code_excluded);
    case EFFECT_POINT:
        return cause_of_point(suspect, code_excluded);
    case EFFECT_CARD:
        return CAUSE_CARD;
    case EFFECT_HOST:
        return CAUSE_HOST;
    }
    return CAUSE_UNKNOWN;
}

static bool is_on_all_cards(const struct effect *effects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (effects[i].kind == EFFECT_ALL || effects[i].kind == EFFECT_POINT)
            return true;
    return false;
}

static const struct cause_table *table_of(struct search *search, const char *metric)
{
    if (search->table && strcmp(cause_table_metric(search->table), metric) != 0) {
        cause_table_destroy(search->table);
        search->table = NULL;
    }
    if (!search->table)
        search->table = cause_table_create(search->rows, search->row_count, metric);
    return search->table;
}

static void add_cause(struct suspect *suspect, enum cause cause, double size)
{
    if (cause == CAUSE_UNKNOWN || suspect->causes.first == cause)
        return;
    if (suspect->causes.first == CAUSE_NONE) {
        suspect->causes.first = cause;
        suspect->size = size;
    } else if (suspect->causes.second == CAUSE_NONE) {
        suspect->causes.second = cause;
    }
}

/* The ranks of a launch have the same cause, and the search meets them in turn. */
static void find_gang_cause(struct search *search,
                            struct suspect *suspect,
                            struct launch_rows launch)
{
    double margin = suspect->cell.margin;

    if (!search->rules->rotated) {
        suspect->gang = gang_cause_find(launch, margin);
        return;
    }
    if (search->rotated_launch != launch.rows) {
        search->rotated_launch = launch.rows;
        search->rotated_cause = gang_cause_of_placements(
            launch, kernel_of(search, suspect->cell.kernel), margin);
    }
    suspect->gang = search->rotated_cause;
}

/* Names the group of a point, of a card, or of the fleet; the caller frees it. */
static char *
group_key(const char *metric, const char *kernel, const char *point, const char *card)
{
    return xasprintf("%s\n%s\n%s\n%s", metric, kernel, point, card);
}

static bool has_suspect(const struct search *search,
                        const struct comparison_group *group)
{
    char *key = group_key(group->metric, group->kernel, group->point, group->card);
    bool found = map_get(search->groups, key) != NULL;

    free(key);
    return found;
}

static void find_cause(struct search *search, struct suspect *suspect)
{
    struct launch_rows launch = launch_of(search, &suspect->cell);
    struct early_answer early = read_signs(search, suspect, launch);
    bool code_excluded = early.code_excluded || early.cause != EARLY_NONE;
    const struct cause_table *table = table_of(search, suspect->cell.metric);
    struct effect effects[CAUSE_TABLE_EFFECTS_MAX];

    find_gang_cause(search, suspect, launch);
    if (suspect->gang.cause == CAUSE_CODE && code_excluded) {
        suspect->causes.first = CAUSE_UNKNOWN; /* its arguments or its data */
        suspect->size = suspect->gang.size;
    }
    add_cause(suspect, suspect->gang.cause, suspect->gang.size);
    if (suspect->causes.first != CAUSE_NONE)
        return;
    size_t count = cause_table_explain(table, &suspect->cell, effects);
    for (size_t i = 0; i < count; i++)
        add_cause(suspect, cause_of_effect(suspect, table, &effects[i], code_excluded),
                  effects[i].size);
    if (suspect->causes.first == CAUSE_NONE && early.cause != EARLY_NONE)
        add_cause(suspect,
                  is_on_all_cards(effects, count) ? common_place(suspect, table)
                                                  : CAUSE_CARD,
                  suspect->cell.shift);
    if (suspect->causes.first == CAUSE_NONE) {
        suspect->causes.first = CAUSE_UNKNOWN;
        suspect->size = suspect->cell.shift;
    }
}

static void add_group_key(struct search *search,
                          const char *metric,
                          const char *kernel,
                          const char *point,
                          const char *card)
{
    char *key = group_key(metric, kernel, point, card);

    map_put(search->groups, key, search);
    free(key);
}

static struct suspect *
add_suspect(struct search *search, const struct comparison_row *cell, bool is_group)
{
    add_group_key(search, cell->metric, cell->kernel, cell->point, "");
    add_group_key(search, cell->metric, "", "", cell->card);
    add_group_key(search, cell->metric, "", "", "");
    if (search->count == search->room) {
        search->room = search->room ? 2 * search->room : 16;
        search->suspects =
            xreallocarray(search->suspects, search->room, sizeof(*search->suspects));
    }
    struct suspect *suspect = &search->suspects[search->count++];

    *suspect = (struct suspect){.cell = *cell, .is_group = is_group};
    find_cause(search, suspect);
    return suspect;
}

static bool is_in_group(const struct comparison_row *row,
                        const struct comparison_group *group)
{
    return strcmp(row->metric, group->metric) == 0 &&
           (!group->point[0] || (strcmp(row->point, group->point) == 0 &&
                                 strcmp(row->kernel, group->kernel) == 0)) &&
           (!group->card[0] || strcmp(row->card, group->card) == 0);
}

/* Returns the cells of the group's point, or all cells when it has several points. */
static struct launch_rows cells_near(const struct search *search,
                                     const struct comparison_group *group)
{
    const struct comparison_row name = {.kernel = group->kernel, .point = group->point};
    size_t first = 0, end = search->row_count;

    if (!group->kernel[0])
        return (struct launch_rows){search->rows, search->row_count};
    while (first < end) { /* the first row that is not in front of the point */
        size_t middle = first + (end - first) / 2;

        if (by_name(&search->rows[middle], &name) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    while (end < search->row_count && is_same_launch(&search->rows[end], &name))
        end++;
    return (struct launch_rows){search->rows + first, end - first};
}

/* Returns the number of different texts that are not empty. */
static size_t count_texts(struct map *texts)
{
    size_t count = map_count(texts);

    map_destroy(texts);
    return count;
}

static void count_extent(struct suspect *suspect,
                         const struct comparison_row *const *cells,
                         size_t count)
{
    struct map *points = map_create(), *cards = map_create();

    for (size_t i = 0; i < count; i++) {
        char *point = xasprintf("%s\n%s", cells[i]->kernel, cells[i]->point);

        map_put(points, point, suspect);
        if (cells[i]->placed_serial[0])
            map_put(cards, cells[i]->placed_serial, suspect);
        free(point);
    }
    suspect->group_points = count_texts(points);
    suspect->group_cards = count_texts(cards);
}

/* Adds the typical cell of a regressed group. The worst cell would belong to other
 * groups as well. */
static void add_group(struct search *search, const struct comparison_group *group)
{
    const struct comparison_row **cells, *typical = NULL;
    struct launch_rows near = cells_near(search, group);
    size_t count = 0;

    cells = xcalloc(near.count + 1, sizeof(*cells));
    for (size_t i = 0; i < near.count; i++) {
        const struct comparison_row *row = &near.rows[i];

        if (!is_in_group(row, group) || row->quarantine[0] || !isfinite(row->shift))
            continue;
        cells[count++] = row;
        if (!typical ||
            fabs(row->shift - group->shift) < fabs(typical->shift - group->shift))
            typical = row;
    }
    if (typical) {
        struct suspect *suspect = add_suspect(search, typical, true);

        suspect->group_shift = group->shift;
        count_extent(suspect, cells, count);
    }
    free(cells);
}

/* Adds the groups that regressed without a suspect among their cells. */
static void add_groups(struct search *search, const struct comparison *comparison)
{
    static const enum comparison_level levels[] = {LEVEL_POINT, LEVEL_CARD,
                                                   LEVEL_FLEET};

    for (size_t i = 0; i < COUNT(levels); i++) {
        size_t count;
        struct comparison_group *groups =
            comparison_groups(comparison, levels[i], &count);

        for (size_t g = 0; g < count; g++)
            if (groups[g].outcome == OUTCOME_REGRESSED &&
                !has_suspect(search, &groups[g]) &&
                text_matches_any(groups[g].metric, search->rules->metric))
                add_group(search, &groups[g]);
        free(groups);
    }
}

static int by_shift(const void *left, const void *right)
{
    const struct suspect *a = left, *b = right;

    if (a->cell.shift > b->cell.shift || a->cell.shift < b->cell.shift)
        return a->cell.shift > b->cell.shift ? -1 : 1;
    return by_launch(&a->cell, &b->cell);
}

struct suspect *suspects_find(const struct comparison *comparison,
                              const struct comparison_row *rows,
                              size_t row_count,
                              const struct suspect_rules *rules,
                              const struct gate_evidence *evidence,
                              size_t *count)
{
    struct search search = {
        .rows = rows, .row_count = row_count, .rules = rules, .evidence = evidence};

    search.groups = map_create();
    search.slow_canaries = map_create();
    find_slow_canaries(&search);
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].outcome == OUTCOME_REGRESSED && is_judged(&search, &rows[i]))
            add_suspect(&search, &rows[i], false);
    add_groups(&search, comparison);
    cause_table_destroy(search.table);
    map_destroy(search.groups);
    map_destroy(search.slow_canaries);
    if (search.count > 0)
        qsort(search.suspects, search.count, sizeof(*search.suspects), by_shift);
    *count = search.count;
    return search.suspects;
}

const char *suspect_state_name(enum suspect_state state)
{
    static const char *const names[] = {
        [SUSPECT_OPEN] = "open",
        [SUSPECT_CONFIRMED] = "confirmed",
        [SUSPECT_NOT_REPRODUCED] = "not-reproduced",
        [SUSPECT_UNDECIDED] = "undecided",
        [SUSPECT_BASE_GONE] = "base-gone",
    };

    return names[state];
}
