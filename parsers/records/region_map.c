#include "parsers/records/region_map.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"

enum { LINE_BYTES = 4096, ID_DIGITS = 4, PIPE_LETTERS = 6, PC_DIGITS = 8 };

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct lines {
    const char *at, *end;
    char line[LINE_BYTES]; /* longer lines are cut; NUL-terminated */
};

static bool lines_next(struct lines *lines)
{
    size_t left = (size_t)(lines->end - lines->at), length;
    const char *feed;

    if (!left)
        return false;
    feed = memchr(lines->at, '\n', left);
    length = feed ? (size_t)(feed - lines->at) : left;
    size_t kept = length < LINE_BYTES ? length : LINE_BYTES - 1;
    memcpy(lines->line, lines->at, kept);
    lines->line[kept] = '\0';
    lines->at += length + (feed != NULL);
    return true;
}

/* Finds a pipe by name, except SCALAR, whose instructions have no marks. */
static bool find_pipe(const char *name, size_t length, enum pipe *pipe)
{
    for (*pipe = PIPE_VECTOR; *pipe < PIPES; ++*pipe)
        if (strlen(pipe_name(*pipe)) == length &&
            strncasecmp(pipe_name(*pipe), name, length) == 0)
            return true;
    return false;
}

/* Returns the word after `key`, which has 1 to `max_length` of the given letters, and
 * moves *at after the word. Returns NULL when there is none. */
static const char *find_word(const char **at,
                             const char *key,
                             const char *letters,
                             size_t max_length,
                             size_t *length)
{
    const char *word = *at ? strstr(*at, key) : NULL;

    if (!word)
        return NULL;
    word += strlen(key);
    *length = strspn(word, letters);
    *at = word + *length;
    return *length && *length <= max_length ? word : NULL;
}

static bool read_line(const char *line, struct region *out, enum pipe *pipe, size_t *id)
{
    const char *word, *at = line;
    size_t length;

    if (!(word = find_word(&at, "region_id=", DIGITS, ID_DIGITS, &length)))
        return false;
    *id = strtoul(word, NULL, 10);
    if (!(word = find_word(&at, ",pipe=", LETTERS DIGITS, PIPE_LETTERS, &length)) ||
        !find_pipe(word, length, pipe) ||
        !(word = find_word(&at, ",pc=0", "xX" DIGITS "abcdefABCDEF", 1 + PC_DIGITS,
                           &length)) ||
        (word[0] != 'x' && word[0] != 'X') || length < 2)
        return false;
    out->pc = strtoull(word + 1, NULL, 16);
    if (!(word = find_word(&at, ",opcode=", LETTERS DIGITS "_-", REGION_NAME_BYTES - 1,
                           &length)))
        return false;
    memcpy(out->opcode, word, length);
    return *id < REGION_IDS;
}

/* Returns a hash of the opcode. */
static unsigned hash_opcode(const char *opcode)
{
    unsigned sum = 0;

    for (; *opcode; opcode++)
        sum = sum * 31 + (unsigned char)*opcode;
    return sum >> 4;
}

static void
add(struct region_map *map, struct region *region, enum pipe pipe, size_t id)
{
    uint16_t *place;

    if (!map->places)
        map->places = xcalloc(PIPES, sizeof(*map->places));
    place = &map->places[pipe][id];
    region->kind = hash_opcode(region->opcode);
    if (*place) {
        map->rows[*place - 1] = *region; /* the later line is used */
        return;
    }
    if (map->count == map->room) {
        map->room = map->room ? map->room * 2 : 64;
        map->rows = xreallocarray(map->rows, map->room, sizeof(*map->rows));
    }
    map->rows[map->count++] = *region;
    *place = (uint16_t)map->count;
}

void region_map_read(struct region_map *map, const char *text, size_t size)
{
    struct lines lines = {.at = text, .end = text + size};

    while (lines_next(&lines)) {
        struct region region = {0};
        enum pipe pipe;
        size_t id;

        if (read_line(lines.line, &region, &pipe, &id))
            add(map, &region, pipe, id);
        else
            map->unknown_lines += lines.line[strspn(lines.line, " \t\r")] != '\0';
    }
}

void region_map_read_log(struct region_map *map, const char *text, size_t size)
{
    struct lines lines = {.at = text, .end = text + size};

    while (lines_next(&lines)) {
        const char *word, *at = strstr(lines.line, "TUNE-ERROR:");
        enum pipe pipe;
        size_t length;

        if (!at || !strstr(at, "all dfx ids consumed"))
            continue;
        word = find_word(&at, "[pipe=", LETTERS DIGITS, PIPE_LETTERS, &length);
        if (word && *at == ']' && find_pipe(word, length, &pipe))
            map->full_pipes |= 1u << pipe;
    }
}

void region_map_clear(struct region_map *map)
{
    free(map->rows);
    free(map->places);
    *map = (struct region_map){0};
}

const struct region *
region_map_find(const struct region_map *map, enum pipe pipe, unsigned id)
{
    unsigned place = map->places && id < REGION_IDS ? map->places[pipe][id] : 0;

    return place ? &map->rows[place - 1] : NULL;
}
