#include "parsers/records/pipe_timeline.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

enum {
    ENTRY_BYTES = 4,
    CONTROL_BUSY = 15,
    CONTROL_FIXP = 10,
    REGIONS = 1024,
    REGION_FLAG = 1 << 10,
    REGION_END_FLAG = 1 << 11,
    INSTRUCTION_FLAGS = 3 << 9, /* a mark of the compiler has both bits */
    CLOSED = 0,
};

/* marks that the vendor's tool writes at the end of a channel */
static const uint16_t end_marks[] = {0xD88, 0xD99, 0xDAA, 0xDBB,
                                     0xDCC, 0xDDD, 0xDEE, 0xDFF};

const char *pipe_name(enum pipe pipe)
{
    static const char *const names[PIPES] = {"SCALAR", "VECTOR", "CUBE", "MTE1",
                                             "MTE2",   "MTE3",   "FIXP"};

    return names[pipe];
}

/* the units of one channel */
struct channel {
    struct core_unit *units;
    size_t count, room;
};

struct entry {
    unsigned cycles, control, value;
};

struct cursor {
    const struct channel *channel;
    size_t unit, at;
};

static bool cursor_next(struct cursor *cursor, struct entry *entry)
{
    while (cursor->unit < cursor->channel->count) {
        const struct core_unit *unit = &cursor->channel->units[cursor->unit];

        if (unit->size - cursor->at >= ENTRY_BYTES) {
            unsigned info = load_u16(unit->bytes + cursor->at + 2);

            *entry = (struct entry){load_u16(unit->bytes + cursor->at), info >> 12,
                                    info & 0xFFF};
            cursor->at += ENTRY_BYTES;
            return true;
        }
        cursor->unit++;
        cursor->at = 0;
    }
    return false;
}

/* Sets the pipe of a mark. Returns false when the entry is not a mark. */
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

/* Returns the number of entries before the end marks of the vendor's tool. End marks
 * that another mark follows belong to the program and count. */
static size_t entries_of_program(const struct channel *channel)
{
    struct cursor cursor = {.channel = channel};
    struct entry entry;
    enum pipe pipe;
    size_t index = 0, from = 0, matched = 0;

    for (; cursor_next(&cursor, &entry); index++) {
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

struct channel_reader {
    struct pipe_timeline *pipes;
    enum pipe_marks marks;
    unsigned channel;
    uint64_t clock;
    unsigned busy;
    uint64_t busy_since[PIPES];
    uint64_t open[PIPES][REGIONS]; /* clock + 1, or CLOSED */
};

static void add_span(struct channel_reader *reader,
                     enum pipe_span_kind kind,
                     enum pipe pipe,
                     unsigned id,
                     uint64_t start)
{
    struct pipe_timeline *pipes = reader->pipes;

    if (pipes->count == pipes->room) {
        pipes->room = pipes->room ? pipes->room * 2 : 256;
        pipes->spans = xreallocarray(pipes->spans, pipes->room, sizeof(*pipes->spans));
    }
    pipes->spans[pipes->count++] = (struct pipe_span){
        .start_cycle = start,
        .end_cycle = reader->clock,
        .id = (uint16_t)id,
        .channel = (uint8_t)reader->channel,
        .pipe = (uint8_t)pipe,
        .kind = (uint8_t)kind,
    };
}

static void set_busy(struct channel_reader *reader, unsigned mask)
{
    for (int pipe = 0; pipe < PIPES; pipe++) {
        unsigned bit = 1u << pipe;

        if ((mask & bit) && !(reader->busy & bit))
            reader->busy_since[pipe] = reader->clock;
        if (!(mask & bit) && (reader->busy & bit))
            add_span(reader, PIPE_BUSY, (enum pipe)pipe, 0, reader->busy_since[pipe]);
    }
    reader->busy = mask;
}

static void add_mark(struct channel_reader *reader, enum pipe pipe, unsigned value)
{
    uint64_t *open = &reader->open[pipe][value % REGIONS];

    add_span(reader, PIPE_MARK, pipe, value, reader->clock);
    if (!(value & REGION_FLAG))
        return;
    if (value & REGION_END_FLAG) {
        if (*open == CLOSED)
            reader->pipes->unpaired++;
        else
            add_span(reader, PIPE_REGION, pipe, value % REGIONS, *open - 1);
        *open = CLOSED;
    } else {
        if (*open != CLOSED)
            reader->pipes->unpaired++; /* the later start is used */
        *open = reader->clock + 1;
    }
}

/* Reads a mark of the compiler. The same value starts and ends an instruction; without
 * the two flag bits 1024 values are left. */
static void
add_instruction_mark(struct channel_reader *reader, enum pipe pipe, unsigned value)
{
    unsigned slot = (value & 0x1FF) | (value & REGION_END_FLAG) >> 2;
    uint64_t *open = &reader->open[pipe][slot];

    if (pipe == PIPE_SCALAR || (value & INSTRUCTION_FLAGS) != INSTRUCTION_FLAGS)
        return;
    if (*open == CLOSED) {
        *open = reader->clock + 1;
    } else if (*open - 1 < reader->clock) {
        add_span(reader, PIPE_INSTRUCTION, pipe, value, *open - 1);
        *open = CLOSED;
    }
}

static void read_entry(struct channel_reader *reader, const struct entry *entry)
{
    bool is_of_program = reader->marks == PIPE_MARKS_OF_PROGRAM;
    enum pipe pipe;

    if (entry->control == CONTROL_BUSY) {
        reader->clock += entry->cycles;
        if (is_of_program)
            set_busy(reader, entry->value);
    } else if (mark_pipe(entry, &pipe)) {
        reader->clock += entry->cycles;
        if (is_of_program)
            add_mark(reader, pipe, entry->value);
        else
            add_instruction_mark(reader, pipe, entry->value);
    } else {
        reader->pipes->unknown++; /* its cycles are not added to the clock */
    }
}

static void read_channel(struct pipe_timeline *pipes,
                         enum pipe_marks marks,
                         const struct channel *channel,
                         unsigned number)
{
    struct channel_reader *reader = xcalloc(1, sizeof(*reader));
    struct cursor cursor = {.channel = channel};
    size_t entries = entries_of_program(channel);
    struct entry entry;

    reader->pipes = pipes;
    reader->marks = marks;
    reader->channel = number;
    while (entries-- && cursor_next(&cursor, &entry))
        read_entry(reader, &entry);
    set_busy(reader, 0); /* pipes that are busy at the end get a span up to there */
    for (size_t i = 0; i < (size_t)PIPES * REGIONS; i++)
        if (reader->open[i / REGIONS][i % REGIONS] != CLOSED)
            pipes->unpaired++;
    free(reader);
}

void pipe_timeline_read(struct pipe_timeline *pipes,
                        enum pipe_marks marks,
                        struct core_container units)
{
    struct channel channels[CORE_UNIT_CHANNELS] = {{0}};
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
