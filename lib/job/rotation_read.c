/* rotation_read.c - cards.rotate, gate.rotate and cards.pairs: placements that separate
 * slow cards and links from slow ranks */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/job/axes.h"
#include "lib/verdict/cause/pair_rounds.h"
#include "lib/verdict/cause/rotation.h"

enum { PAIR_CARDS_MAX = 256, PLACE_BYTES_MAX = 280 };

const char axes_shift[] = "shift", axes_pair[] = "pair";

/* Returns a plain number of the file from 1 on, or 0: other code reports problems. */
static uint64_t number_of(const struct yaml_node *node)
{
    uint64_t number = 0;

    return node && node->kind == YAML_TEXT && num_parse_u64(node->text, &number) &&
                   number <= JOB_CARDS_MAX
               ? number
               : 0;
}

/* Makes gate.rotate stand for cards.rotate. One placement is no rotation. */
static void use_gate_key(struct job_reader *reader)
{
    static const char key[] = "gate.rotate";
    uint64_t count = number_of(reader->gate_rotate);

    reader->rotate_key = "cards.rotate";
    if (!reader->gate_rotate || count == 1)
        return;
    if (reader->rotate) {
        job_reader_complain(reader, reader->gate_rotate->key, key,
                            "cards.rotate rotates the ranks already; remove one of "
                            "both keys");
        return;
    }
    reader->rotate = reader->gate_rotate;
    reader->rotate_key = key;
}

void rotation_read_axis(struct axes *axes)
{
    struct job_reader *reader = axes->reader;
    size_t shifts[JOB_CARDS_MAX];

    use_gate_key(reader);
    const char *key = reader->rotate_key;
    uint64_t count = number_of(reader->rotate), ranks = number_of(reader->ranks);
    if (!reader->rotate)
        return;
    if (count == 0 || ranks < 2 || count > ranks) {
        job_reader_complain(reader, reader->rotate, key,
                            "expected a number of placements from 1 to the number of "
                            "ranks, which is a number from 2 on in operator.ranks");
        return;
    }
    count = rotation_default_shifts(ranks, number_of(reader->per_host), count, shifts);
    struct value *values = arena_calloc(reader->job->arena, count, sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = value_of(arena_printf(reader->job->arena, "%zu", shifts[i]));
    axes_add_fixed(axes, reader->rotate->key, key, axes_shift, values, count);
}

/* Reads the cards. Returns their number, or 0 after it has reported a problem. */
static size_t read_cards(struct job_reader *reader, const char **cards)
{
    static const char key[] = "cards.pairs";
    char place[JOB_READER_KEY_MAX], host[PLACE_BYTES_MAX];
    size_t count = 0;
    uint32_t card;

    if (!job_reader_is(reader, reader->pairs, key, YAML_LIST))
        return 0;
    if (reader->pairs->count < 2 || reader->pairs->count > PAIR_CARDS_MAX) {
        job_reader_complain(reader, reader->pairs, key,
                            "the list has %zu cards; name 2 to %d",
                            reader->pairs->count, PAIR_CARDS_MAX);
        return 0;
    }
    for (const struct yaml_node *node = reader->pairs->first; node; node = node->next) {
        const char *text = job_reader_text(
            reader, node, job_reader_key(place, key, count), PLACE_BYTES_MAX - 1);

        if (!text)
            return 0;
        if (!job_place_parse(text, host, sizeof(host), &card) || strchr(text, '+')) {
            job_reader_complain(reader, node, place,
                                "expected HOST:CARD, such as gpu-04:3, found '%.64s'",
                                text);
            return 0;
        }
        for (size_t i = 0; i < count; i++)
            if (strcmp(cards[i], text) == 0) {
                job_reader_complain(reader, node, place,
                                    "'%.64s' appears twice in the list; remove one of "
                                    "them",
                                    text);
                return 0;
            }
        cards[count++] = text;
    }
    return count;
}

/* The pairs in the order of their rounds: those of a round can run at once. */
void pairs_read_axis(struct axes *axes)
{
    struct job_reader *reader = axes->reader;
    struct arena *arena = reader->job->arena;
    const char *cards[PAIR_CARDS_MAX];
    struct card_pair pairs[PAIR_CARDS_MAX];
    size_t count, used = 0;

    if (!reader->pairs || (count = read_cards(reader, cards)) == 0)
        return;
    struct value *values =
        arena_calloc(arena, count * (count - 1) / 2, sizeof(*values));
    for (size_t round = 0; round < pair_rounds_count(count); round++) {
        size_t in_round = pair_rounds_get(count, round, pairs);

        for (size_t i = 0; i < in_round; i++)
            values[used++] = value_of(arena_printf(arena, "%s+%s", cards[pairs[i].left],
                                                   cards[pairs[i].right]));
    }
    axes_add_fixed(axes, reader->pairs->key, "cards.pairs", axes_pair, values, used);
    reader->job->settings.placed = true;
}

void rotation_check(struct job_reader *reader)
{
    const struct {
        const struct yaml_node *node;
        const char *key;
    } others[] = {
        {reader->at, "cards.at"},
        {reader->ids, "cards.ids"},
        {reader->hosts, "cards.hosts"},
        {reader->per_host, "cards.per_host"},
        {reader->rotate, reader->rotate_key},
    };

    if (reader->rotate && reader->job->settings.threads)
        job_reader_complain(reader, reader->rotate->key, reader->rotate_key,
                            "one process drives all cards and assigns its ranks "
                            "itself; use operator.ranks");
    if (!reader->pairs)
        return;
    for (size_t i = 0; i < COUNT(others); i++)
        if (others[i].node)
            job_reader_complain(reader, others[i].node->key, others[i].key,
                                "cards.pairs names the cards of each point; remove "
                                "this key or cards.pairs");
    if (reader->job->ranks || reader->job->settings.ranks != 2 ||
        reader->job->settings.threads)
        job_reader_complain(reader, reader->pairs->key, "cards.pairs",
                            "a pair has two cards; set operator.ranks: 2");
}
