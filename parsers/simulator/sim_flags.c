/* sim_flags.c - pairs each set of a flag with its wait and draws the pair as an arrow
 *
 * Flags within a core belong together when their details are equal. Flags between a
 * cube and its vectors have a number; 16 and above belong to the second vector. The
 * viewer draws arrows only between bars of four names. Flags between cores therefore
 * get the names of the others, and their own name goes to "args". */
#include "parsers/simulator/sim_flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum { SYNC_IDS_PER_VECTOR = 16 };

struct flag {
    const struct simulation_core *core;
    const struct sim_instruction *row;
    bool is_set, is_between;
    uint64_t key; /* of flags between cores: equal for a set and its wait */
};

struct pair {
    const struct flag *set, *wait; /* NULL: missing */
    const char *id;
};

static const char *name_of(const struct flag *flag, char room[32])
{
    if (flag->is_between)
        return flag->is_set ? "SET_FLAG" : "WAIT_FLAG";
    snprintf(room, 32, "%.*s", (int)flag->row->name.length, flag->row->name.at);
    return room;
}

static void put_args(struct sim_draw *d, const struct flag *flag)
{
    struct sim_draw_instruction drawn = {d, flag->row};

    json_write_key(d->json, "args");
    json_write_object(d->json);
    sim_draw_args(d->json, &drawn);
    if (flag->is_between) {
        json_write_key(d->json, "instr");
        json_write_bytes(d->json, flag->row->name.at, flag->row->name.length);
    }
    json_write_object_end(d->json);
    sim_draw_text(d->json, "cname", flag->is_set ? "black" : "yellow");
}

/* Writes one end of a bar, or of an arrow when `category` is not NULL. */
static void put_point(struct sim_draw *d,
                      const struct flag *flag,
                      const char *phase,
                      const char *category,
                      const char *id,
                      uint64_t tick)
{
    struct json_write *json = d->json;
    char room[32], track[SIM_DRAW_TRACK_BYTES];

    json_write_object(json);
    if (phase[0] == 'B')
        put_args(d, flag);
    if (category)
        sim_draw_text(json, "cat", category);
    sim_draw_text(json, "id", id);
    sim_draw_text(json, "name", category ? "flow" : name_of(flag, room));
    sim_draw_text(json, "ph", phase);
    sim_draw_text(json, "pid", flag->core->name);
    sim_draw_text(json, "tid", sim_draw_track(flag->row, track));
    json_write_key(json, "ts");
    json_write_scaled(json, (int64_t)simulation_ps(d->simulation, tick),
                      d->trace.decimals);
    json_write_object_end(json);
    d->trace.events++;
}

/* Draws a set as its last tick, because before that tick it waited in the queue. */
static void put_bar(struct sim_draw *d, const struct flag *flag, const char *id)
{
    const struct sim_instruction *row = flag->row;
    uint64_t start = flag->is_set && row->end > row->start ? row->end - 1 : row->start;

    put_point(d, flag, "B", NULL, id, start);
    put_point(d, flag, "E", NULL, id, row->end);
}

static void put_pair(struct sim_draw *d, const struct pair *pair)
{
    char category[48];

    if (pair->set)
        put_bar(d, pair->set, pair->id);
    if (pair->wait)
        put_bar(d, pair->wait, pair->id);
    if (!pair->set || !pair->wait)
        return;
    snprintf(category, sizeof(category), "%sTo%s", sim_pipe_name(pair->set->row->pipe),
             sim_pipe_name(pair->wait->row->pipe));
    put_point(d, pair->set, "s", category, pair->id, pair->set->row->end);
    put_point(d, pair->wait, "t", category, pair->id, pair->wait->row->end);
}

static int compare_keys(const struct flag *a, const struct flag *b)
{
    const struct sim_span *left = &a->row->detail, *right = &b->row->detail;
    uint32_t shorter = left->length < right->length ? left->length : right->length;
    int texts;

    if (a->is_between)
        return a->key < b->key ? -1 : a->key > b->key;
    texts = memcmp(left->at, right->at, shorter);
    if (texts || left->length == right->length)
        return texts;
    return left->length < right->length ? -1 : 1;
}

/* Sorts by key, then by time, a set before a wait. */
static int compare_flags(const void *left, const void *right)
{
    const struct flag *a = left, *b = right;
    int order = compare_keys(a, b);

    if (order)
        return order;
    if (a->row->end != b->row->end)
        return a->row->end < b->row->end ? -1 : 1;
    if (a->is_set != b->is_set)
        return a->is_set ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Pairs the first unpaired set with the next wait of the same key. Flags without a
 * partner are drawn alone. */
static void
draw_pairs(struct sim_draw *d, struct flag *flags, size_t count, const char *prefix)
{
    const struct flag **sets = xcalloc(count + 1, sizeof(*sets));
    size_t number = 0, first = 0, set_count = 0; /* sets before `first` are paired */
    char id[64];

    if (count > 0)
        qsort(flags, count, sizeof(*flags), compare_flags);
    for (size_t i = 0; i <= count; i++) {
        struct pair pair = {NULL, i < count ? &flags[i] : NULL, id};
        bool is_new_key =
            i == count || (i > 0 && compare_keys(&flags[i], &flags[i - 1]));

        while (is_new_key && first < set_count) {
            snprintf(id, sizeof(id), "%s_%zu", prefix, number++);
            put_pair(d, &(struct pair){sets[first++], NULL, id});
        }
        if (i == count)
            break;
        if (flags[i].is_set) {
            sets[set_count++] = &flags[i];
            continue;
        }
        if (first < set_count)
            pair.set = sets[first++];
        snprintf(id, sizeof(id), "%s_%zu", prefix, number++);
        put_pair(d, &pair);
    }
    free(sets);
}

void sim_flags_draw(struct sim_draw *d)
{
    const struct sim_core *log = &d->core->log;
    struct flag *flags = xcalloc(log->count + 1, sizeof(*flags));
    size_t count = 0;

    for (size_t i = 0; i < log->count; i++) {
        const struct sim_instruction *row = &log->rows[i];

        if (sim_is_flag(row->name))
            flags[count++] = (struct flag){.core = d->core,
                                           .row = row,
                                           .is_set = row->name.at[0] == 'S' ||
                                                     row->name.at[0] == 's'};
    }
    draw_pairs(d, flags, count, d->core->name);
    free(flags);
}

static const struct {
    const char *name;
    bool is_set, is_immediate;
} between[] = {
    {"SET_INTRA_BLOCK", true, false},
    {"WAIT_INTRA_BLOCK", false, false},
    {"SET_INTRA_BLOCKI", true, true},
    {"WAIT_INTRA_BLOCKI", false, true},
};

bool sim_flags_is_between(struct sim_span name)
{
    for (size_t i = 0; i < COUNT(between); i++)
        if (sim_span_is(name, between[i].name))
            return true;
    return false;
}

/* Reads "sync_id:<n>", decimal or with 0x. Returns false when the detail has none. */
static bool sync_id(struct sim_span detail, uint64_t *id)
{
    const char *at = memmem(detail.at, detail.length, "sync_id:", 8);
    const char *end = detail.at + detail.length;
    char digits[20] = "";
    size_t length = 0;

    for (at = at ? at + 8 : end; at < end && length + 1 < sizeof(digits); at++) {
        if (strchr("0123456789abcdefxABCDEFX", *at) == NULL)
            break;
        digits[length++] = *at;
    }
    if (!length || digits[0] < '0' || digits[0] > '9')
        return false;
    *id = strtoull(digits, NULL, 0);
    return *id < 2 * SYNC_IDS_PER_VECTOR;
}

/* Returns 0 for the cube, 1 and 2 for its vectors, -1 for another core. */
static int part_of(const struct simulation_core *core)
{
    const char *part = strchr(core->name, '.');

    if (!part)
        return -1;
    if (strncmp(part, ".cubecore", 9) == 0)
        return 0;
    return strncmp(part, ".veccore", 8) == 0 && (part[8] == '0' || part[8] == '1')
               ? 1 + (part[8] - '0')
               : -1;
}

/* Reads a flag between cores. The key is built from the cube's number of the flag and
 * from its direction. */
static bool read_between(const struct simulation_core *core,
                         const struct sim_instruction *row,
                         struct flag *out)
{
    int part = part_of(core);
    uint64_t id;

    for (size_t i = 0; i < COUNT(between); i++) {
        if (!sim_span_is(row->name, between[i].name))
            continue;
        if (part < 0 || !sync_id(row->detail, &id) ||
            (part > 0 && id >= SYNC_IDS_PER_VECTOR))
            return false;
        id += part == 2 ? SYNC_IDS_PER_VECTOR : 0;
        bool from_cube = between[i].is_set == (part == 0);

        *out = (struct flag){.core = core,
                             .row = row,
                             .is_set = between[i].is_set,
                             .is_between = true,
                             .key = (uint64_t)core->number << 32 | id << 2 |
                                    (unsigned)from_cube << 1 | between[i].is_immediate};
        return true;
    }
    return false;
}

void sim_flags_draw_between(struct sim_draw *d)
{
    const struct simulation *s = d->simulation;
    struct flag *flags;
    size_t count = 0, all = 0;

    for (size_t i = 0; i < s->core_count; i++)
        for (size_t k = 0; k < s->cores[i].log.count; k++)
            all += sim_flags_is_between(s->cores[i].log.rows[k].name);
    if (!all)
        return;
    flags = xcalloc(all + 1, sizeof(*flags));
    for (size_t i = 0; i < s->core_count; i++)
        for (size_t k = 0; k < s->cores[i].log.count; k++)
            count +=
                read_between(&s->cores[i], &s->cores[i].log.rows[k], &flags[count]);
    draw_pairs(d, flags, count, "intra");
    free(flags);
}
