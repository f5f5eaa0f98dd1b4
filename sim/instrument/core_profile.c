#include "sim/instrument/core_profile.h"

#include <ascend_hal.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/card/channel.h"
#include "sim/card/ledger.h"

enum {
    CORES = 6,
    CHANNELS_OF_CORES = CORES * 3,
    NO_CHANNEL = CHANNELS_OF_CORES,
    ENTRY_BYTES = 4,
    GAP_MAX = UINT16_MAX,
    CONTROL_BUSY = 15,
    CONTROL_FIXP = 10,
    REGION = 1 << 10,
    REGION_END = 1 << 11,
    INSTRUCTION = 3 << 9,
    MARKS_OF_PIPE = 1024,
    LINE_BYTES = 256,
    MODE_SAMPLES = 1,
    COUNTS = 9,
    SAMPLE_BYTES = 16,
    STALL_EMPTY = 0, /* positions of the counters in a sample */
    STALL_SCOREBOARD = 2,
    STALL_RESOURCE = 4,
    ACTIVE = 8,
};

enum what { STARTS, ENDS, MARKS };

struct event {
    uint64_t cycle;
    uint32_t order; /* events of one cycle keep their order */
    uint16_t value; /* of a mark */
    uint8_t pipe, what;
};

struct events {
    struct event *rows;
    uint32_t count, room;
};

/* samples of one channel, in the order of their first instruction */
struct samples {
    struct sample {
        uint64_t pc, counts[COUNTS];
    } * rows;
    uint32_t count, room;
};

/* instructions of a pipe; their index is the number of their mark */
struct marked {
    struct {
        uint64_t pc;
        const char *name;
    } rows[MARKS_OF_PIPE];
    uint32_t count;
    bool full;
};

struct core_profile {
    uint32_t card;
    uint32_t channel; /* of the running core; NO_CHANNEL: it has none */
    bool marks_instructions;
    bool threads;
    enum core_profile_mode mode;
    uint64_t period; /* cycles between two samples */
    struct samples samples[CHANNELS_OF_CORES];
    struct events events[CHANNELS_OF_CORES];
    struct marked marked[NPU_SIM_PIPES];
};

static const char *const pipe_names[NPU_SIM_PIPES] = {
    [NPU_SIM_PIPE_SCALAR] = "SCALAR", [NPU_SIM_PIPE_VECTOR] = "VECTOR",
    [NPU_SIM_PIPE_CUBE] = "CUBE",     [NPU_SIM_PIPE_MTE1] = "MTE1",
    [NPU_SIM_PIPE_MTE2] = "MTE2",     [NPU_SIM_PIPE_MTE3] = "MTE3",
    [NPU_SIM_PIPE_FIXP] = "FIXP",
};

/* Returns the mode and the period of the first open channel. */
static enum core_profile_mode find_mode(uint32_t card, uint64_t *period)
{
    prof_core_config_t config;
    uint64_t session;

    for (uint32_t id = CHANNEL_CORE_FIRST; id <= CHANNEL_CORE_LAST; id++)
        if (channel_config(card, id, &config, sizeof(config), &session)) {
            *period = config.period ? config.period : 1;
            return config.mode == MODE_SAMPLES ? PROFILE_SAMPLES : PROFILE_INSTRUCTIONS;
        }
    return PROFILE_NONE;
}

enum core_profile_mode core_profile_mode(uint32_t card)
{
    uint64_t period;

    return find_mode(card, &period);
}

struct core_profile *core_profile_create(uint32_t card, bool marks_instructions)
{
    struct core_profile *profile = calloc(1, sizeof(*profile));

    if (!profile)
        return NULL;
    profile->card = card;
    profile->channel = NO_CHANNEL;
    profile->marks_instructions = marks_instructions;
    profile->mode = find_mode(card, &profile->period);
    return profile;
}

void core_profile_destroy(struct core_profile *profile)
{
    if (!profile)
        return;
    for (uint32_t i = 0; i < CHANNELS_OF_CORES; i++)
        free(profile->events[i].rows);
    for (uint32_t i = 0; i < CHANNELS_OF_CORES; i++)
        free(profile->samples[i].rows);
    free(profile);
}

void core_profile_enter(struct core_profile *profile,
                        uint32_t core,
                        bool is_vector,
                        bool threads)
{
    uint32_t group = is_vector ? core / 2 : core;

    profile->threads = threads;
    profile->channel =
        group < CORES ? group * 3 + (is_vector ? 1 + core % 2 : 0) : NO_CHANNEL;
}

/* Without memory the event is dropped, and the channel reports lost data. */
static void add(struct core_profile *profile,
                enum what what,
                enum npu_sim_pipe pipe,
                uint64_t cycle,
                uint32_t value)
{
    struct events *events = &profile->events[profile->channel];

    if (events->count == events->room) {
        uint32_t room = events->room ? events->room * 2 : 256;
        struct event *grown = realloc(events->rows, room * sizeof(*grown));

        if (!grown) {
            channel_note_loss(profile->card, CHANNEL_CORE_FIRST + profile->channel);
            return;
        }
        events->rows = grown;
        events->room = room;
    }
    events->rows[events->count] = (struct event){cycle, events->count, (uint16_t)value,
                                                 (uint8_t)pipe, (uint8_t)what};
    events->count++;
}

/* Returns the row of an address, or NULL without memory. */
static struct sample *find_sample(struct samples *samples, uint64_t pc)
{
    for (uint32_t i = 0; i < samples->count; i++)
        if (samples->rows[i].pc == pc)
            return &samples->rows[i];
    if (samples->count == samples->room) {
        uint32_t room = samples->room ? samples->room * 2 : 64;
        struct sample *grown = realloc(samples->rows, room * sizeof(*grown));

        if (!grown)
            return NULL;
        samples->rows = grown;
        samples->room = room;
    }
    samples->rows[samples->count] = (struct sample){.pc = pc};
    return &samples->rows[samples->count++];
}

static unsigned stall_of(enum npu_sim_pipe pipe)
{
    switch (pipe) {
    case NPU_SIM_PIPE_SCALAR:
        return STALL_EMPTY;
    case NPU_SIM_PIPE_VECTOR:
    case NPU_SIM_PIPE_CUBE:
        return STALL_RESOURCE;
    default:
        return STALL_SCOREBOARD;
    }
}

static void sample(struct core_profile *profile,
                   enum npu_sim_pipe pipe,
                   uint64_t pc,
                   struct pipeline_time time)
{
    uint64_t period = profile->period;
    uint64_t first = (time.start + period - 1) / period * period;
    struct sample *row;

    if (!profile->threads || first >= time.end)
        return;
    row = find_sample(&profile->samples[profile->channel], pc & ~7ull);
    if (!row) {
        channel_note_loss(profile->card, CHANNEL_CORE_FIRST + profile->channel);
        return;
    }
    for (uint64_t cycle = first; cycle < time.end; cycle += period)
        row->counts[cycle == time.start ? ACTIVE : stall_of(pipe)]++;
}

/* Returns the mark of an instruction, or 0 when its pipe has no mark left. */
static uint32_t mark_of(struct marked *marked, uint64_t pc, const char *name)
{
    uint32_t at = 0;

    while (at < marked->count && marked->rows[at].pc != pc)
        at++;
    if (at == MARKS_OF_PIPE) {
        marked->full = true;
        return 0;
    }
    if (at == marked->count) {
        marked->rows[at].pc = pc;
        marked->rows[at].name = name;
        marked->count++;
    }
    return INSTRUCTION | (at & 0x1FF) | (at & 0x200) << 2;
}

void core_profile_instruction(struct core_profile *profile,
                              enum npu_sim_pipe pipe,
                              const char *name,
                              uint64_t pc,
                              struct pipeline_time time)
{
    uint32_t mark = 0;

    if (profile->marks_instructions && pipe != NPU_SIM_PIPE_SCALAR)
        mark = mark_of(&profile->marked[pipe], pc, name);
    if (profile->channel == NO_CHANNEL)
        return;
    if (profile->mode == PROFILE_SAMPLES) {
        sample(profile, pipe, pc, time);
        return;
    }
    ledger_pipe(profile->card, CHANNEL_CORE_FIRST + profile->channel, pipe, time.start,
                time.end);
    add(profile, STARTS, pipe, time.start, 0);
    if (mark)
        add(profile, MARKS, pipe, time.start, mark);
    add(profile, ENDS, pipe, time.end, 0);
    if (mark)
        add(profile, MARKS, pipe, time.end, mark);
}

void core_profile_mark(struct core_profile *profile,
                       enum npu_sim_pipe pipe,
                       uint32_t number,
                       int is_end,
                       uint64_t cycle)
{
    uint32_t value = REGION | (is_end ? REGION_END : 0) | number;

    if (profile->channel == NO_CHANNEL || profile->mode == PROFILE_SAMPLES)
        return;
    ledger_mark(profile->card, CHANNEL_CORE_FIRST + profile->channel, pipe, cycle,
                value);
    add(profile, MARKS, pipe, cycle, value);
}

static int by_cycle(const void *left, const void *right)
{
    const struct event *a = left, *b = right;

    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* the entries of one channel */
struct writer {
    uint32_t card, id;
    uint64_t clock;
    uint32_t busy[NPU_SIM_PIPES]; /* instructions of a pipe that run */
    uint32_t sent;                /* last mask */
};

static void
put_entry(struct writer *writer, uint64_t cycle, uint32_t control, uint32_t value)
{
    uint64_t gap = cycle - writer->clock;

    /* a gap beyond the limit of an entry is filled with repeated masks */
    if (gap > GAP_MAX) {
        put_entry(writer, writer->clock + GAP_MAX, CONTROL_BUSY, writer->sent);
        put_entry(writer, cycle, control, value);
        return;
    }
    uint16_t entry[2] = {(uint16_t)gap, (uint16_t)(control << 12 | value)};

    writer->clock = cycle;
    channel_write(writer->card, writer->id, entry, ENTRY_BYTES);
}

static uint32_t mask_of(const struct writer *writer)
{
    uint32_t mask = 0;

    for (int pipe = 0; pipe < NPU_SIM_PIPES; pipe++)
        mask |= writer->busy[pipe] ? 1u << pipe : 0;
    return mask;
}

/* Sends a mask for each cycle in which it changes, then the marks of that cycle. */
static void send_channel(struct writer *writer, struct events *events)
{
    qsort(events->rows, events->count, sizeof(*events->rows), by_cycle);
    for (uint32_t from = 0, to; from < events->count; from = to) {
        uint64_t cycle = events->rows[from].cycle;

        for (to = from; to < events->count && events->rows[to].cycle == cycle; to++) {
            const struct event *event = &events->rows[to];

            writer->busy[event->pipe] += event->what == STARTS;
            writer->busy[event->pipe] -= event->what == ENDS;
        }
        if (mask_of(writer) != writer->sent) {
            put_entry(writer, cycle, CONTROL_BUSY, mask_of(writer));
            writer->sent = mask_of(writer);
        }
        for (uint32_t i = from; i < to; i++)
            if (events->rows[i].what == MARKS)
                put_entry(writer, cycle,
                          events->rows[i].pipe == NPU_SIM_PIPE_FIXP
                              ? CONTROL_FIXP
                              : events->rows[i].pipe,
                          events->rows[i].value);
    }
}

/* A counter has 8 bits, so an address may need several records. */
static void send_sample(uint32_t card, uint32_t id, struct sample row)
{
    uint8_t record[SAMPLE_BYTES];
    uint64_t left;

    ledger_sample(card, id, row.pc, row.counts);
    do {
        left = 0;
        memset(record, 0, sizeof(record));
        for (int i = 0; i < 3; i++)
            record[i] = (uint8_t)(row.pc >> (3 + 8 * i));
        for (int i = 0; i < COUNTS; i++) {
            uint64_t count = row.counts[i] < UINT8_MAX ? row.counts[i] : UINT8_MAX;

            record[3 + i] = (uint8_t)count;
            left += row.counts[i] -= count;
        }
        channel_write(card, id, record, sizeof(record));
    } while (left > 0);
}

void core_profile_send(struct core_profile *profile)
{
    for (uint32_t i = 0; i < CHANNELS_OF_CORES; i++)
        for (uint32_t k = 0; k < profile->samples[i].count; k++)
            send_sample(profile->card, CHANNEL_CORE_FIRST + i,
                        profile->samples[i].rows[k]);
    for (uint32_t i = 0; i < CHANNELS_OF_CORES; i++) {
        struct writer writer = {.card = profile->card, .id = CHANNEL_CORE_FIRST + i};

        if (profile->events[i].count)
            send_channel(&writer, &profile->events[i]);
        profile->events[i].count = 0;
    }
}

/* Appends a line unless it does not fit. */
static size_t put_line(uint8_t *out, size_t room, const char *line)
{
    size_t length = strlen(line);

    if (length > room)
        return 0;
    memcpy(out, line, length);
    return length;
}

void core_profile_write_map(const struct core_profile *profile,
                            uint8_t *buffer,
                            size_t room)
{
    uint64_t sizes[2] = {0};
    char line[LINE_BYTES];
    uint8_t *at;

    if (room < sizeof(sizes))
        return;
    at = buffer + sizeof(sizes);
    room -= sizeof(sizes);
    for (int pipe = 0; pipe < NPU_SIM_PIPES; pipe++)
        for (uint32_t i = 0; i < profile->marked[pipe].count; i++) {
            snprintf(line, sizeof(line),
                     "region_id=%u,pipe=%s,index=%u,pc=0x%08" PRIx64 ",opcode=%.60s\n",
                     INSTRUCTION | (i & 0x1FF) | (i & 0x200) << 2, pipe_names[pipe], i,
                     profile->marked[pipe].rows[i].pc,
                     profile->marked[pipe].rows[i].name);
            sizes[0] += put_line(at + sizes[0], room - sizes[0], line);
        }
    for (int pipe = 0; pipe < NPU_SIM_PIPES; pipe++) {
        if (!profile->marked[pipe].full)
            continue;
        snprintf(line, sizeof(line), "TUNE-ERROR: all dfx ids consumed [pipe=%s]\n",
                 pipe_names[pipe]);
        sizes[1] +=
            put_line(at + sizes[0] + sizes[1], room - sizes[0] - sizes[1], line);
    }
    memcpy(buffer, sizes, sizeof(sizes));
}
