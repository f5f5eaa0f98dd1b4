#include "lib/job/sweep/pattern.h"

#include <string.h>

struct piece {
    struct piece *next;
    const char *text; /* the literal bytes, when variable is NULL */
    size_t length;
    const struct variable *variable;
};

struct pattern {
    struct piece *first;
};

static void add(struct arena *arena, struct piece ***tail, struct piece piece)
{
    if (!piece.variable && !piece.length)
        return;
    **tail = arena_memdup(arena, &piece, sizeof(piece));
    *tail = &(**tail)->next;
}

/* Reads the ${name} at `at`. Returns its length in bytes, or 0 with an error. */
static size_t read_name(const char *at,
                        const struct variables *variables,
                        const struct variable **variable,
                        struct err *err)
{
    size_t length = strcspn(at + 2, "}");
    const char *nearest;

    if (at[2 + length] != '}') {
        err_set(err, ERR_INPUT,
                "'${' has no closing '}'; write '$${' for a plain '${'");
        return 0;
    }
    *variable = variable_find(variables, at + 2, length, &nearest);
    if (*variable)
        return length + 3;
    int shown = length < 64 ? (int)length : 64;
    if (nearest)
        err_set(err, ERR_INPUT, "unknown variable '%.*s'; did you mean '%s'?", shown,
                at + 2, nearest);
    else
        err_set(err, ERR_INPUT, "unknown variable '%.*s'; use one of the sweep", shown,
                at + 2);
    return 0;
}

int pattern_parse(const struct pattern **out,
                  const char *text,
                  const struct variables *variables,
                  struct arena *arena,
                  size_t *offset,
                  struct err *err)
{
    struct pattern *pattern = arena_calloc(arena, 1, sizeof(*pattern));
    struct piece **tail = &pattern->first;
    const char *start = text, *at = text;

    while ((at = strchr(at, '$'))) {
        const struct variable *variable;

        if (at[1] == '$' && at[2] == '{') { /* $${ stands for ${: skip the first $ */
            add(arena, &tail,
                (struct piece){.text = start, .length = (size_t)(at - start)});
            start = at + 1;
            at += 3;
            continue;
        }
        if (at[1] != '{') {
            at++;
            continue;
        }
        size_t used = read_name(at, variables, &variable, err);
        if (!used) {
            *offset = (size_t)(at - text);
            return -1;
        }
        add(arena, &tail,
            (struct piece){.text = start, .length = (size_t)(at - start)});
        add(arena, &tail, (struct piece){.variable = variable});
        start = at += used;
    }
    add(arena, &tail, (struct piece){.text = start, .length = strlen(start)});
    *out = pattern;
    return 0;
}

void pattern_fill(const struct pattern *pattern, const size_t *digits, struct text *out)
{
    for (const struct piece *piece = pattern->first; piece; piece = piece->next) {
        if (piece->variable)
            text_add(out, piece->variable->values[digits[piece->variable->axis]].text);
        else
            text_add_bytes(out, piece->text, piece->length);
    }
}

size_t pattern_longest(const struct pattern *pattern)
{
    size_t bytes = 0;

    for (const struct piece *piece = pattern->first; piece; piece = piece->next)
        bytes += piece->variable ? piece->variable->longest : piece->length;
    return bytes;
}
