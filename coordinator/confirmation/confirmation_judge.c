#include "coordinator/confirmation/confirmation_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/confirmation/confirmation_text.h"
#include "coordinator/confirmation/rotated_figures.h"
#include "coordinator/confirmation/rotated_times.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/compare/metric_direction.h"
#include "lib/job/job.h"
#include "lib/store/store.h"
#include "lib/store/store_confirmation.h"
#include "lib/verdict/shift.h"
#include "lib/verdict/verdict.h"

enum { DRIFT_FEWEST = 3, VERDICT_FEWEST = 3, HASH_ROOM = 80 };

/* One value per repeat: the median of its launches. */
struct values {
    double *items; /* NaN: no value */
    size_t count;
};

struct judged_suspect {
    struct store_suspect row; /* its texts belong to `texts` */
    struct values sides[AB_PLACES][2];
    struct values before[AB_PLACES];
    char base_hash[HASH_ROOM], now_hash[HASH_ROOM]; /* code of program A */
    struct rotated_times *rotated; /* NULL: its ranks were not rotated */
    struct rotated_answer slow;
    double tick;
};

struct judging {
    struct store *store;
    const struct store_confirmation *confirmation;
    struct judged_suspect *suspects;
    size_t count;
    struct arena *texts;
    struct job *job; /* of the confirmation */
};

/* Reads figures of one point, as one value per repeat. */
struct reading {
    const struct store_suspect *suspect;
    const char *places; /* only figures of these cards; NULL: of all */
    struct values *values;
    double *launches;
    size_t launch_count;
    uint32_t repeat;
    char *hash;
    double *tick;
};

static void put_value(struct values *values, size_t index, double value)
{
    while (values->count <= index) {
        values->items =
            xreallocarray(values->items, values->count + 1, sizeof(*values->items));
        values->items[values->count++] = NAN;
    }
    values->items[index] = value;
}

static void end_repeat(struct reading *reading)
{
    if (reading->launch_count > 0)
        put_value(reading->values, reading->repeat,
                  stats_median(reading->launches, reading->launch_count));
    reading->launch_count = 0;
}

/* Returns true when the text of the places contains this card as a word. */
static bool has_place(const char *places, const char *host, int32_t card)
{
    char *place = xasprintf("%s:%d", host, card);
    size_t length = strlen(place);
    bool found = false;

    while (*places && !found) {
        size_t word = strcspn(places, " ");

        found = word == length && memcmp(places, place, length) == 0;
        places += word + (places[word] == ' ');
    }
    free(place);
    return found;
}

static int
read_figure(const struct store_point_figure *figure, void *arg, struct err *err)
{
    struct reading *reading = arg;
    const struct store_suspect *suspect = reading->suspect;

    (void)err;
    if (figure->rank != suspect->rank ||
        (reading->places && !has_place(reading->places, figure->host, figure->card)))
        return 0;
    if (figure->repeat != reading->repeat)
        end_repeat(reading);
    reading->repeat = figure->repeat;
    reading->launches = xreallocarray(reading->launches, reading->launch_count + 1,
                                      sizeof(*reading->launches));
    reading->launches[reading->launch_count++] = figure->value;
    if (reading->hash)
        snprintf(reading->hash, HASH_ROOM, "%s", figure->code_hash);
    *reading->tick = metric_tick(suspect->metric, figure->unit, figure->tick_ns);
    return 0;
}

static int read_point(struct judging *judging,
                      struct judged_suspect *suspect,
                      uint64_t job_id,
                      uint64_t point,
                      const char *places,
                      struct values *values,
                      char *hash,
                      struct err *err)
{
    struct reading reading = {.suspect = &suspect->row,
                              .places = places,
                              .values = values,
                              .hash = hash,
                              .tick = &suspect->tick};
    int result =
        store_each_point_figure(judging->store, job_id, point, suspect->row.kernel,
                                suspect->row.metric, read_figure, &reading, err);

    end_repeat(&reading);
    free(reading.launches);
    return result;
}

static size_t usable(const struct values *values)
{
    size_t count = 0;

    for (size_t i = 0; i < values->count; i++)
        count += isfinite(values->items[i]);
    return count;
}

/* Reads the values of the base on the cards of one place. When the base did not run
 * there often enough, the values of all its cards stand for them. */
static int read_before(struct judging *judging,
                       struct judged_suspect *suspect,
                       int place,
                       const struct suspect_points *points,
                       struct err *err)
{
    const char *places = suspect->row.places[place];
    uint64_t base = judging->confirmation->base_job_id;
    struct values *values = &suspect->before[place];

    for (size_t all = 0; all < 2 && usable(values) < DRIFT_FEWEST; all++)
        for (size_t i = 0; i < points->count; i++) {
            struct values part = {0};

            if (read_point(judging, suspect, base, points->numbers[i],
                           all ? NULL : places, &part, suspect->base_hash, err) < 0) {
                free(part.items);
                return -1;
            }
            if (all && i == 0)
                values->count = 0;
            for (size_t k = 0; k < part.count; k++)
                if (isfinite(part.items[k]))
                    put_value(values, values->count, part.items[k]);
            free(part.items);
        }
    return 0;
}

static int
read_base(struct judging *judging, struct judged_suspect *suspect, struct err *err)
{
    struct suspect_points points;
    int result =
        suspect_points_find(&points, judging->store, judging->confirmation->base_job_id,
                            suspect->row.point, err);

    for (int place = 0; result == 0 && place < AB_PLACES; place++)
        if (*suspect->row.places[place])
            result = read_before(judging, suspect, place, &points, err);
    suspect_points_clear(&points);
    return result;
}

/* Without a neighbour the first rotated placement stands for it: there the rank of the
 * suspect runs on another card. */
static int read_pairs(struct judging *judging, struct err *err)
{
    struct job_points *points = job_points_create(judging->job);
    struct confirmation_point at;
    struct job_point point;
    int result = 0;

    while (result == 0 && job_points_next(points, &point)) {
        if (!confirmation_point_read(&at, judging->job, point.values))
            continue;
        for (size_t i = 0; result == 0 && i < judging->count; i++) {
            struct judged_suspect *suspect = &judging->suspects[i];
            int place = at.place == AB_PLACES ? AB_NEIGHBOUR : at.place;

            if (suspect->row.number == at.suspect + 1 && place < AB_PLACES)
                result = read_point(judging, suspect, judging->confirmation->job_id,
                                    point.index, NULL, &suspect->sides[place][at.fresh],
                                    at.fresh ? NULL : suspect->now_hash, err);
        }
    }
    job_points_destroy(points);
    return result;
}

static int
read_rotated(struct judging *judging, struct judged_suspect *suspect, struct err *err)
{
    if (rotated_figures_read(&suspect->rotated, judging->store, judging->confirmation,
                             judging->job, &suspect->row, err) < 0)
        return -1;
    if (suspect->rotated)
        suspect->slow = rotated_times_judge(suspect->rotated,
                                            log1p(judging->confirmation->tolerance));
    return 0;
}

static int add_suspect(const struct store_suspect *row, void *arg, struct err *err)
{
    struct judging *judging = arg;
    struct arena *texts = judging->texts;

    (void)err;
    judging->suspects = xreallocarray(judging->suspects, judging->count + 1,
                                      sizeof(*judging->suspects));
    struct judged_suspect *suspect = &judging->suspects[judging->count++];
    *suspect = (struct judged_suspect){.row = *row};
    suspect->row.point = arena_strdup(texts, row->point);
    suspect->row.kernel = arena_strdup(texts, row->kernel);
    suspect->row.metric = arena_strdup(texts, row->metric);
    suspect->row.card = arena_strdup(texts, row->card);
    suspect->row.reason = arena_strdup(texts, row->reason);
    suspect->row.cause = suspect->row.also = "";
    suspect->row.slow_card = suspect->row.slow_peer = "";
    for (int i = 0; i < AB_PLACES; i++)
        suspect->row.places[i] = arena_strdup(texts, row->places[i]);
    return 0;
}

static int read_job(const struct store_job *row, void *arg, struct err *err)
{
    struct judging *judging = arg;
    struct problems problems = {0};
    int result = job_parse(&judging->job, row->yaml, strlen(row->yaml), &problems);

    problems_clear(&problems);
    return result < 0
               ? err_set(err, ERR_STORE, "%s: its job file cannot be read", row->key)
               : 0;
}

/* Both programs of the base have the same name, but the code has changed since. */
static bool base_was_replaced(const struct judged_suspect *suspect)
{
    return *suspect->base_hash && *suspect->now_hash &&
           strcmp(suspect->base_hash, suspect->now_hash) != 0;
}

/* Returns true when only the program of the night runs on the suspect card. */
static bool base_does_not_run(const struct judged_suspect *suspect)
{
    return usable(&suspect->sides[AB_SUSPECT][0]) == 0 &&
           usable(&suspect->sides[AB_SUSPECT][1]) >= VERDICT_FEWEST;
}

/* Makes both sides of each pair equally long. */
static size_t level(struct values sides[2])
{
    size_t pairs = sides[0].count > sides[1].count ? sides[0].count : sides[1].count;

    for (int side = 0; side < 2 && pairs > 0; side++)
        if (sides[side].count < pairs)
            put_value(&sides[side], pairs - 1, NAN);
    return pairs;
}

static struct ab_suspect input_of(struct judging *judging,
                                  struct judged_suspect *suspect)
{
    struct ab_suspect input = {
        .more_is_better = metric_more_is_better(suspect->row.metric),
        .tolerance = judging->confirmation->tolerance,
        .tick = suspect->tick,
        .nights = {.known = suspect->row.nights > 0,
                   .nights = suspect->row.nights,
                   .h = suspect->row.night_h,
                   .w = suspect->row.night_w},
        .base_is_gone = base_was_replaced(suspect) || base_does_not_run(suspect),
        .rotated = suspect->rotated != NULL,
        .rotated_code = suspect->slow.code,
        .rotated_drift = suspect->slow.drift,
    };

    for (int place = 0; place < AB_PLACES; place++) {
        size_t pairs = level(suspect->sides[place]);

        input.cards[place] =
            (struct ab_card){.base = suspect->sides[place][0].items,
                             .fresh = suspect->sides[place][1].items,
                             .pairs = pairs,
                             .before = suspect->before[place].items,
                             .before_count = suspect->before[place].count};
    }
    return input;
}

static const char *answer_name(enum ab_answer answer)
{
    static const char *const names[] = {
        [AB_NOT_RUN] = "not-run", [AB_INCONCLUSIVE] = "inconclusive",
        [AB_SAME] = "same",       [AB_SLOWER] = "worse",
        [AB_FASTER] = "better",
    };

    return names[answer];
}

/* Returns why a cause is unknown. */
static const char *reason_of(const struct judged_suspect *suspect,
                             const struct ab_suspect *judged)
{
    const struct ab_card *card = &judged->cards[AB_SUSPECT];

    if (judged->causes.first == CAUSE_CONTRADICTORY)
        return "worse on another card only; confirm once more";
    if (judged->causes.first == CAUSE_BASE_GONE && base_was_replaced(suspect))
        return "the program of the base has been replaced; give each version a folder "
               "of its own with operator.version.path";
    if (judged->causes.first == CAUSE_BASE_GONE)
        return "the program of the base does not run any more";
    if (judged->causes.first != CAUSE_UNKNOWN)
        return "";
    if (card->pairs == 0)
        return "no pair has run";
    if (suspect->rotated && card->drift.answer == AB_SLOWER)
        return "no card and no link alone is slower, with the ranks rotated over their "
               "cards";
    if ((!suspect->rotated && !*suspect->row.places[AB_NEIGHBOUR]) ||
        !*suspect->row.places[AB_OTHER])
        return "the fleet has too few cards of this model in service";
    return "too few values, or they differ too much";
}

static bool has_cause(const struct causes *causes, enum cause cause)
{
    return causes->first == cause || causes->second == cause;
}

/* Names the card or link of the cause. */
static void name_slow(struct judged_suspect *suspect, const struct causes *causes)
{
    const struct rotated_answer *slow = &suspect->slow;

    if (!suspect->rotated)
        return;
    if (has_cause(causes, CAUSE_CARD) || has_cause(causes, CAUSE_LINK)) {
        suspect->row.slow_card = slow->drift_card;
        suspect->row.slow_peer = slow->drift_peer;
    } else if (causes->first == CAUSE_CODE_HERE && slow->code == CAUSE_CARD)
        suspect->row.slow_card = slow->code_card;
}

static int store_result(struct judging *judging,
                        struct judged_suspect *suspect,
                        const struct ab_suspect *judged,
                        struct text *summary,
                        struct err *err)
{
    struct store_suspect *row = &suspect->row;

    row->cause = cause_name(judged->causes.first);
    row->also = cause_name(judged->causes.second);
    name_slow(suspect, &judged->causes);
    if (!*row->reason)
        row->reason = reason_of(suspect, judged);
    for (int i = 0; i < AB_PLACES; i++) {
        row->code[i] = answer_name(judged->cards[i].code.answer);
        row->drift[i] = answer_name(judged->cards[i].drift.answer);
        row->code_shift[i] = judged->cards[i].code.shift;
        row->drift_shift[i] = judged->cards[i].drift.shift;
    }
    text_printf(summary, "suspect=%u cause=%s%s%s card=%s kernel=%s point=\"%s\"\n",
                row->number, row->cause, *row->also ? "," : "", row->also, row->card,
                row->kernel, row->point);
    return store_suspect_put(judging->store, row, err);
}

static int judge(struct judging *judging, struct text *summary, struct err *err)
{
    struct ab_suspect *family = xcalloc(judging->count + 1, sizeof(*family));
    int result = 0;

    for (size_t i = 0; i < judging->count; i++)
        family[i] = input_of(judging, &judging->suspects[i]);
    ab_family_judge(family, judging->count, &verdict_limits_default);
    for (size_t i = 0; result == 0 && i < judging->count; i++)
        result = store_result(judging, &judging->suspects[i], &family[i], summary, err);
    free(family);
    return result;
}

static void clear_judging(struct judging *judging)
{
    for (size_t i = 0; i < judging->count; i++)
        for (int place = 0; place < AB_PLACES; place++) {
            free(judging->suspects[i].sides[place][0].items);
            free(judging->suspects[i].sides[place][1].items);
            free(judging->suspects[i].before[place].items);
        }
    for (size_t i = 0; i < judging->count; i++)
        rotated_times_destroy(judging->suspects[i].rotated);
    free(judging->suspects);
    job_destroy(judging->job);
    arena_destroy(judging->texts);
}

int confirmation_judge(struct store *store,
                       const struct store_confirmation *confirmation,
                       struct text *summary,
                       struct err *err)
{
    struct judging judging = {
        .store = store, .confirmation = confirmation, .texts = arena_create(4096)};
    int result = store_job_read(store, confirmation->job_id, read_job, &judging, err);

    if (result == 0)
        result =
            store_each_suspect(store, confirmation->job_id, add_suspect, &judging, err);
    if (result == 0)
        result = read_pairs(&judging, err);
    for (size_t i = 0; result == 0 && i < judging.count; i++)
        if ((result = read_base(&judging, &judging.suspects[i], err)) == 0)
            result = read_rotated(&judging, &judging.suspects[i], err);
    if (result == 0)
        result = judge(&judging, summary, err);
    if (result == 0)
        result = store_confirmation_set_judged(store, confirmation->job_id, err);
    clear_judging(&judging);
    return result;
}
