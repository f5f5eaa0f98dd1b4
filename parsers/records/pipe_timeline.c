#include "parsers/records/pipe_timeline.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/records/core_container.h"

enum {
    ENTRY_BYTES = 4,
    CONTROL_BUSY = 15,
    CONTROL_FIXP = 10,
    REGIONS = 1024,
    REGION_FLAG = 1 << 10,
    REGION_ENDS = 1 << 11,
    INSTRUCTION_FLAGS = 3 << 9, /* both are set in a mark of the compiler */
    NOT_OPEN = 0,
};

/* What the tool itself marks at the end of a channel. */
static const uint16_t end_marks[] = {0xD88, 0xD99, 0xDAA, 0xDBB,
                                     0xDCC, 0xDDD, 0xDEE, 0xDFF};

const char *pipe_name(enum pipe pipe)
{
    static const char *const names[PIPES] = {"SCALAR", "VECTOR", "CUBE", "MTE1",
                                             "MTE2",   "MTE3",   "FIXP"};

    return names[pipe];
}

/* All entries of one channel, over the units in which they came. */
struct channel {
    struct core_unit *units;
    size_t count, room;
};

struct entry {
    unsigned cycles, control, value;
};

struct walk {
    const struct channel *channel;
    size_t unit, at;
};

static bool walk_next(struct walk *walk, struct entry *entry)
{
    while (walk->unit < walk->channel->count) {
        const struct core_unit *unit = &walk->channel->units[walk->unit];

        if (unit->size - walk->at >= ENTRY_BYTES) {
            unsigned info = load_u16(unit->bytes + walk->at + 2);

            *entry = (struct entry){load_u16(unit->bytes + walk->at), info >> 12,
                                    info & 0xFFF};
            walk->at += ENTRY_BYTES;
            return true;
        }
        walk->unit++;
        walk->at = 0;
    }
    return false;
}

/* The pipe that a mark is of; false: the entry is no mark. */
static bool mark_pipe(const struct entry *entry, enum pipe *pipe)
{
    if (entry->control == CONTROL_FIXP)
        *pipe = PIPE_FIXP;
    else if (entry->control <= PIPE_MTE3)
        *pipe = (enum pipe)entry->control;
    else
        return false;
    return true;
}

/* How many entries there are before the marks with which the tool ends a channel; any
 * other mark behind them means that they were the program's. */
static size_t entries_of_program(const struct channel *channel)
{
    struct walk walk = {.channel = channel};
    struct entry entry;
    enum pipe pipe;
    size_t index = 0, from = 0, matched = 0;

    for (; walk_next(&walk, &entry); index++) {
        if (!mark_pipe(&entry, &pipe))
            continue;
        if (matched < COUNT(end_marks) && entry.value == end_marks[matched]) {
            if (matched++ == 0)
                from = index;
        } else {
            matched = entry.value == end_marks[0];
            from = index;
        }
    }
    return matched ? from : index;
}

struct reading {
    struct pipe_timeline *pipes;
    enum pipe_marks marks;
    unsigned channel;
    uint64_t clock;
    unsigned busy;
    uint64_t busy_since[PIPES];
    uint64_t open[PIPES][REGIONS]; /* clock + 1, or NOT_OPEN */
};

static void add_span(struct reading *reading,
                     enum pipe_span_kind kind,
                     enum pipe pipe,
                     unsigned id,
                     uint64_t start)
{
    struct pipe_timeline *pipes = reading->pipes;

    if (pipes->count == pipes->room) {
        pipes->room = pipes->room ? pipes->room * 2 : 256;
        pipes->spans = xreallocarray(pipes->spans, pipes->room, sizeof(*pipes->spans));
    }
    pipes->spans[pipes->count++] = (struct pipe_span){
        .start_cycle = start,
        .end_cycle = reading->clock,
        .id = (uint16_t)id,
        .channel = (uint8_t)reading->channel,
        .pipe = (uint8_t)pipe,
        .kind = (uint8_t)kind,
    };
}

static void take_busy(struct reading *reading, unsigned mask)
{
    for (int pipe = 0; pipe < PIPES; pipe++) {
        unsigned bit = 1u << pipe;

        if ((mask & bit) && !(reading->busy & bit))
            reading->busy_since[pipe] = reading->clock;
        if (!(mask & bit) && (reading->busy & bit))
            add_span(reading, PIPE_BUSY, (enum pipe)pipe, 0, reading->busy_since[pipe]);
    }
    reading->busy = mask;
}

static void take_mark(struct reading *reading, enum pipe pipe, unsigned value)
{
    uint64_t *open = &reading->open[pipe][value % REGIONS];

    add_span(reading, PIPE_MARK, pipe, value, reading->clock);
    if (!(value & REGION_FLAG))
        return;
    if (value & REGION_ENDS) {
        if (*open == NOT_OPEN)
            reading->pipes->unpaired++;
        else
            add_span(reading, PIPE_REGION, pipe, value % REGIONS, *open - 1);
        *open = NOT_OPEN;
    } else {
        if (*open != NOT_OPEN)
            reading->pipes->unpaired++; /* the second begin counts */
        *open = reading->clock + 1;
    }
}

/* The same mark begins and ends an instruction: what is left of it are 1024 values. */
static void take_instruction(struct reading *reading, enum pipe pipe, unsigned value)
{
    unsigned slot = (value & 0x1FF) | (value & REGION_ENDS) >> 2;
    uint64_t *open = &reading->open[pipe][slot];

    if (pipe == PIPE_SCALAR || (value & INSTRUCTION_FLAGS) != INSTRUCTION_FLAGS)
        return;
    if (*open == NOT_OPEN) {
        *open = reading->clock + 1;
    } else if (*open - 1 < reading->clock) {
        add_span(reading, PIPE_INSTRUCTION, pipe, value, *open - 1);
        *open = NOT_OPEN;
    }
}

static void take_entry(struct reading *reading, const struct entry *entry)
{
    bool is_of_program = reading->marks == PIPE_MARKS_OF_PROGRAM;
    enum pipe pipe;

    if (entry->control == CONTROL_BUSY) {
        reading->clock += entry->cycles;
        if (is_of_program)
            take_busy(reading, entry->value);
    } else if (mark_pipe(entry, &pipe)) {
        reading->clock += entry->cycles;
        if (is_of_program)
            take_mark(reading, pipe, entry->value);
        else
            take_instruction(reading, pipe, entry->value);
    } else {
        reading->pipes->unknown++; /* and its cycles do not count */
    }
}

static void read_channel(struct pipe_timeline *pipes,
                         enum pipe_marks marks,
                         const struct channel *channel,
                         unsigned number)
{
    struct reading *reading = xcalloc(1, sizeof(*reading));
    struct walk walk = {.channel = channel};
    size_t entries = entries_of_program(channel);
    struct entry entry;

    reading->pipes = pipes;
    reading->marks = marks;
    reading->channel = number;
    while (entries-- && walk_next(&walk, &entry))
        take_entry(reading, &entry);
    take_busy(reading, 0); /* what is busy at the end is so up to there */
    for (size_t i = 0; i < (size_t)PIPES * REGIONS; i++)
        if (reading->open[i / REGIONS][i % REGIONS] != NOT_OPEN)
            pipes->unpaired++;
    free(reading);
}

void pipe_timeline_read(struct pipe_timeline *pipes,
                        enum pipe_marks marks,
                        const uint8_t *bytes,
                        size_t size)
{
    struct channel channels[CORE_UNIT_CHANNELS] = {{0}};
    struct core_container units = {.bytes = bytes, .size = size};
    struct core_unit unit;

    *pipes = (struct pipe_timeline){0};
    while (core_container_next(&units, &unit)) {
        struct channel *channel = &channels[unit.channel];

        if (channel->count == channel->room) {
            channel->room = channel->room ? channel->room * 2 : 4;
            channel->units =
                xreallocarray(channel->units, channel->room, sizeof(*channel->units));
        }
        channel->units[channel->count++] = unit;
        pipes->tail_bytes += unit.size % ENTRY_BYTES;
    }
    pipes->invalid = units.invalid;
    pipes->tail_bytes += core_container_tail(&units);
    for (unsigned i = 0; i < CORE_UNIT_CHANNELS; i++) {
        if (channels[i].count)
            read_channel(pipes, marks, &channels[i], i);
        free(channels[i].units);
    }
}

void pipe_timeline_clear(struct pipe_timeline *pipes)
{
    free(pipes->spans);
    *pipes = (struct pipe_timeline){0};
}
