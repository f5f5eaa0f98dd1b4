/* simlog_line.c - parses one line of an instruction log, part by part */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/simlog/simlog_internal.h"

static const char *const pipe_names[SIM_PIPES] = {
    [SIM_SCALAR] = "SCALAR", [SIM_FLOWCTRL] = "FLOWCTRL",
    [SIM_VECTOR] = "VECTOR", [SIM_CUBE] = "CUBE",
    [SIM_MTE1] = "MTE1",     [SIM_MTE2] = "MTE2",
    [SIM_MTE3] = "MTE3",     [SIM_FIXP] = "FIXP",
    [SIM_EVENT] = "EVENT",   [SIM_CACHEMISS] = "CACHEMISS",
    [SIM_ALL] = "ALL",       [SIM_USERMARK] = "USERMARK",
    [SIM_RVECST] = "RVECST", [SIM_RVECLD] = "RVECLD",
    [SIM_RVECEX] = "RVECEX", [SIM_PUSHQ] = "PUSHQ",
    [SIM_RVECSU] = "RVECSU", [SIM_RVECLP] = "RVECLP",
};

/* other names of the same pipes */
static const struct {
    const char *name;
    enum sim_pipe pipe;
} aliases[] = {
    {"VECTOR0", SIM_VECTOR}, {"VEC0", SIM_VECTOR},   {"VEC", SIM_VECTOR},
    {"FC", SIM_FLOWCTRL},    {"FIX_PIPE", SIM_FIXP}, {"ISSUE", SIM_EVENT},
};

const char *sim_pipe_name(enum sim_pipe pipe)
{
    return pipe_names[pipe];
}

bool sim_span_is(struct sim_span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.at, text, span.length) == 0;
}

bool sim_is_flag(struct sim_span name)
{
    static const char *const names[] = {"SET_FLAG", "WAIT_FLAG", "set_event",
                                        "wait_event"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (sim_span_is(name, names[i]))
            return true;
    return false;
}

static enum sim_pipe find_pipe(struct sim_span text, const struct sim_line *line)
{
    if (sim_span_contains(line->detail, "LPCNT") ||
        sim_span_contains(line->detail, "SPR:COND,"))
        return SIM_USERMARK;
    for (int i = 0; i < SIM_PIPES; i++)
        if (sim_span_is(text, pipe_names[i]))
            return (enum sim_pipe)i;
    for (size_t i = 0; i < COUNT(aliases); i++)
        if (sim_span_is(text, aliases[i].name))
            return aliases[i].pipe;
    if (sim_span_contains(line->name, "scalar_ld") ||
        sim_span_contains(line->name, "scalar_st"))
        return SIM_SCALAR;
    return SIM_ALL;
}

/* the unread rest of a line */
struct cursor {
    const char *at, *end;
};

static bool skip_text(struct cursor *c, const char *text)
{
    size_t length = strlen(text);

    if ((size_t)(c->end - c->at) < length || memcmp(c->at, text, length) != 0)
        return false;
    c->at += length;
    return true;
}

static size_t skip_blanks(struct cursor *c)
{
    const char *from = c->at;

    while (c->at < c->end && *c->at == ' ')
        c->at++;
    return (size_t)(c->at - from);
}

static bool read_number(struct cursor *c, int base, int min, int max, uint64_t *out)
{
    int digits = 0;

    *out = 0;
    for (; c->at < c->end; c->at++, digits++) {
        int value = isdigit((unsigned char)*c->at) ? *c->at - '0'
                    : base == 16 && isxdigit((unsigned char)*c->at)
                        ? tolower((unsigned char)*c->at) - 'a' + 10
                        : -1;

        if (value < 0)
            break;
        if (digits == max || __builtin_mul_overflow(*out, (uint64_t)base, out) ||
            __builtin_add_overflow(*out, (uint64_t)value, out))
            return false;
    }
    return digits >= min;
}

static struct sim_span read_word(struct cursor *c, const char *more)
{
    struct sim_span span = {c->at, 0};

    while (c->at < c->end &&
           (isalnum((unsigned char)*c->at) || (*c->at && strchr(more, *c->at))))
        c->at++;
    span.length = (uint32_t)(c->at - span.at);
    return span;
}

/* Reads ": (Binary: 0x083dd2b8) (ID: 000123) " and the name of the instruction. */
static bool read_instruction(struct cursor *c, struct sim_line *line)
{
    const char *from;
    struct cursor ahead;
    uint64_t digits;

    if (!skip_text(c, ": (Binary: 0x"))
        return true; /* the line can end here */
    from = c->at;
    while (c->at < c->end && (isxdigit((unsigned char)*c->at) || *c->at == ' '))
        c->at++;
    if (c->at - from < 8 || c->at - from > 34 || !skip_text(c, ") "))
        return false;
    ahead = *c;
    if (skip_text(&ahead, "(ID: ") && read_number(&ahead, 10, 6, 15, &digits) &&
        skip_text(&ahead, ") ")) {
        *c = ahead;
        line->id = digits;
        line->has_id = true;
    }
    line->name = read_word(c, "_-");
    return line->name.length > 0;
}

static void read_detail(struct cursor *c, struct sim_line *line)
{
    const char *close;

    if (!skip_text(c, "(") && !skip_text(c, "  "))
        return;
    close = memchr(c->at, ')', (size_t)(c->end - c->at));
    line->detail.at = c->at;
    line->detail.length = (uint32_t)((close ? close : c->end) - c->at);
    c->at += line->detail.length;
}

bool simlog_parse_line(const char *text, size_t length, struct sim_line *line)
{
    struct cursor c = {text, text + length};
    struct sim_span pipe;
    uint64_t core;

    *line = (struct sim_line){.name = {text, 0}, .detail = {text, 0}};
    while (c.end > c.at && (c.end[-1] == '\r' || c.end[-1] == '\n'))
        c.end--;
    skip_text(&c, "[info] ");
    if (!skip_text(&c, "[") || !read_number(&c, 10, 1, 20, &line->cycle) ||
        !skip_text(&c, "]"))
        return false;
    skip_text(&c, " ");
    if (!skip_text(&c, "(PC: 0x") || !read_number(&c, 16, 1, 16, &line->pc) ||
        !skip_text(&c, ")"))
        return false;
    if (skip_text(&c, "@CORE") && !read_number(&c, 10, 1, 2, &core))
        return false;
    if (!skip_text(&c, " "))
        return false;
    skip_blanks(&c);
    pipe = read_word(&c, "_");
    if (pipe.length == 0)
        return false;
    if (!skip_text(&c, " ISSUE"))
        skip_text(&c, " IB ISSUE");
    skip_blanks(&c);
    if (!read_instruction(&c, line))
        return false;
    read_detail(&c, line);
    line->is_dropped = memmem(c.at, (size_t)(c.end - c.at), " poped from IQ ", 15) ||
                       sim_span_contains(line->detail, " poped from IQ ");
    line->pipe = find_pipe(pipe, line);
    return true;
}
