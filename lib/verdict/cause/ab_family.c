#include "lib/verdict/cause/ab_family.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/verdict/margin.h"
#include "lib/verdict/sample.h"
#include "lib/verdict/shift.h"
#include "lib/verdict/statistics/false_discovery.h"
#include "lib/verdict/statistics/rank_sum.h"
#include "lib/verdict/verdict.h"

/* One question about one card of each suspect. */
struct question {
    struct rank_sum_cache *cache;
    struct shift *shifts;
    struct margin *margins;
    double *p_worse, *p_better;
};

static double sign_of(const struct ab_suspect *suspect)
{
    return suspect->more_is_better ? -1 : 1;
}

/* Summarises the pairs that have both values. */
static struct shift shift_of_code(const struct ab_suspect *suspect,
                                  const struct ab_card *card)
{
    double *changes = xcalloc(card->pairs + 1, sizeof(*changes));
    size_t count = 0;

    for (size_t i = 0; i < card->pairs; i++)
        if (card->base[i] > 0 && card->fresh[i] > 0)
            changes[count++] = sign_of(suspect) * log(card->fresh[i] / card->base[i]);
    struct shift shift = shift_of_pairs(changes, count);

    free(changes);
    return shift;
}

static double median_of(const double *values, size_t count)
{
    struct sample sample;

    sample_init(&sample, values, count, false);
    double median = sample_median(&sample);

    sample_clear(&sample);
    return median;
}

static enum ab_answer answer_of(const struct verdict *verdict)
{
    static const enum ab_answer answers[] = {
        [VERDICT_INCONCLUSIVE] = AB_INCONCLUSIVE,
        [VERDICT_SAME] = AB_SAME,
        [VERDICT_IMPROVED] = AB_FASTER,
        [VERDICT_REGRESSED] = AB_SLOWER,
    };

    return answers[verdict->kind];
}

/* Asks one question about the card at `place` of each suspect. */
static void ask(struct ab_suspect *suspects,
                size_t count,
                enum ab_place place,
                bool about_code,
                struct question *question,
                const struct verdict_limits *limits)
{
    for (size_t i = 0; i < count; i++) {
        const struct ab_suspect *suspect = &suspects[i];
        const struct ab_card *card = &suspect->cards[place];
        double median = card->pairs > 0 ? median_of(card->base, card->pairs) : NAN;

        question->shifts[i] =
            about_code ? shift_of_code(suspect, card)
                       : shift_of_samples(question->cache, card->before,
                                          card->before_count, card->base, card->pairs,
                                          suspect->tick, suspect->more_is_better);
        question->margins[i] = margin_of(suspect->tolerance, suspect->tick, median,
                                         about_code ? NULL : &suspect->nights);
        bool asked = isfinite(question->shifts[i].theta);
        question->p_worse[i] = asked ? question->shifts[i].p_worse : NAN;
        question->p_better[i] = asked ? question->shifts[i].p_better : NAN;
    }
    false_discovery_adjust(question->p_worse, count, question->p_worse);
    false_discovery_adjust(question->p_better, count, question->p_better);
    for (size_t i = 0; i < count; i++) {
        struct ab_card *card = &suspects[i].cards[place];
        struct ab_answered *answered = about_code ? &card->code : &card->drift;
        const struct verdict verdict =
            verdict_judge(&question->shifts[i], &question->margins[i], limits,
                          question->p_worse[i], question->p_better[i]);

        answered->answer = card->pairs == 0 ? AB_NOT_RUN : answer_of(&verdict);
        answered->shift = question->shifts[i].theta;
    }
}

static bool is_not_slower(enum ab_answer answer)
{
    return answer == AB_SAME || answer == AB_FASTER;
}

/* Rotated ranks run on the suspect card in each placement: what is slower with each
 * rank on one card, or one link, answers for the neighbour. */
static void answer_for_neighbour(struct ab_answers *answers,
                                 const struct ab_suspect *suspect)
{
    if (answers->code_suspect == AB_SLOWER && suspect->rotated_code == CAUSE_CARD)
        answers->code_other = AB_SAME;
    answers->drift_neighbour =
        suspect->rotated_drift != CAUSE_NONE ? AB_SAME : AB_NOT_RUN;
}

static enum cause card_or_link(const struct ab_suspect *suspect, enum cause cause)
{
    return suspect->rotated && cause == CAUSE_CARD ? suspect->rotated_drift : cause;
}

/* Returns the cause. A fleet may lack cards. Without another host the neighbour is the
 * other card, and when the neighbour is not slower than before, no other host can
 * change the cause. */
static struct causes cause_of(const struct ab_suspect *suspect)
{
    const struct ab_card *cards = suspect->cards;
    bool has_other = cards[AB_OTHER].pairs > 0;
    const struct ab_card *other = &cards[has_other ? AB_OTHER : AB_NEIGHBOUR];
    struct ab_answers answers = {
        .code_suspect = cards[AB_SUSPECT].code.answer,
        .code_other = other->code.answer,
        .drift_suspect = cards[AB_SUSPECT].drift.answer,
        .drift_neighbour = cards[AB_NEIGHBOUR].drift.answer,
        .drift_other = cards[AB_OTHER].drift.answer,
    };

    if (suspect->rotated)
        answer_for_neighbour(&answers, suspect);
    if (!has_other && is_not_slower(answers.drift_neighbour))
        answers.drift_other = AB_SAME;
    struct causes causes = ab_cause(&answers);
    bool from_cards = causes.first == CAUSE_CARD || causes.first == CAUSE_HOST;

    causes.first = card_or_link(suspect, causes.first);
    causes.second = card_or_link(suspect, causes.second);
    if (suspect->base_is_gone && !from_cards)
        causes = (struct causes){CAUSE_BASE_GONE, CAUSE_NONE};
    return causes;
}

void ab_family_judge(struct ab_suspect *suspects,
                     size_t count,
                     const struct verdict_limits *limits)
{
    struct question question = {
        .cache = rank_sum_cache_create(),
        .shifts = xcalloc(count + 1, sizeof(*question.shifts)),
        .margins = xcalloc(count + 1, sizeof(*question.margins)),
        .p_worse = xcalloc(count + 1, sizeof(*question.p_worse)),
        .p_better = xcalloc(count + 1, sizeof(*question.p_better)),
    };

    for (int place = AB_SUSPECT; place < AB_PLACES; place++) {
        ask(suspects, count, (enum ab_place)place, true, &question, limits);
        ask(suspects, count, (enum ab_place)place, false, &question, limits);
    }
    for (size_t i = 0; i < count; i++)
        suspects[i].causes = cause_of(&suspects[i]);
    rank_sum_cache_destroy(question.cache);
    free(question.shifts);
    free(question.margins);
    free(question.p_worse);
    free(question.p_better);
}
