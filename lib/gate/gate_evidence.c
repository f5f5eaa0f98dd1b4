#include "lib/gate/gate_evidence.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/point_key.h"

/* The text of each side. NULL: none yet; "": unknown, or several different ones. */
struct sides {
    char *texts[2];
    bool differs[2]; /* the side has several texts */
};

struct gate_evidence {
    struct map *codes; /* struct sides */
    struct environments *environments[2];
};

struct gate_evidence *gate_evidence_create(void)
{
    struct gate_evidence *evidence = xcalloc(1, sizeof(*evidence));

    evidence->codes = map_create();
    for (int side = 0; side < 2; side++)
        evidence->environments[side] = environments_create();
    return evidence;
}

static void destroy_sides(struct map *map)
{
    size_t cursor = 0;
    const char *key;
    void *value;

    while (map_next(map, &cursor, &key, &value)) {
        struct sides *sides = value;

        free(sides->texts[COMPARISON_BASE]);
        free(sides->texts[COMPARISON_NEW]);
        free(sides);
    }
    map_destroy(map);
}

void gate_evidence_destroy(struct gate_evidence *evidence)
{
    if (!evidence)
        return;
    destroy_sides(evidence->codes);
    for (int side = 0; side < 2; side++)
        environments_destroy(evidence->environments[side]);
    free(evidence);
}

static void
add(struct map *map, const char *key, enum comparison_side side, const char *text)
{
    struct sides *sides = map_get(map, key);

    if (!sides) {
        sides = xcalloc(1, sizeof(*sides));
        map_put(map, key, sides);
    }
    if (!sides->texts[side])
        sides->texts[side] = xstrdup(text);
    else if (strcmp(sides->texts[side], text) != 0)
        sides->differs[side] = true;
}

static enum gate_sign compare_sides(const struct map *map, const char *key)
{
    const struct sides *sides = map_get(map, key);

    if (!sides)
        return SIGN_UNKNOWN;
    for (int side = 0; side < 2; side++)
        if (!sides->texts[side] || !sides->texts[side][0] || sides->differs[side])
            return SIGN_UNKNOWN;
    return strcmp(sides->texts[COMPARISON_BASE], sides->texts[COMPARISON_NEW]) == 0
               ? SIGN_EQUAL
               : SIGN_DIFFERS;
}

/* The caller frees the key. */
static char *code_key(const char *point, const char *kernel)
{
    bool pinned;
    char *identity = point_key(point, &pinned);
    char *key = xasprintf("%s\n%s", identity, kernel);

    free(identity);
    return key;
}

void gate_evidence_add_code(struct gate_evidence *evidence,
                            enum comparison_side side,
                            const char *point,
                            const char *kernel,
                            const char *hash)
{
    char *key = code_key(point, kernel);

    add(evidence->codes, key, side, hash);
    free(key);
}

struct environments *gate_evidence_environments(struct gate_evidence *evidence,
                                                enum comparison_side side)
{
    return evidence->environments[side];
}

enum gate_sign gate_evidence_code(const struct gate_evidence *evidence,
                                  const char *point,
                                  const char *kernel)
{
    char *key = code_key(point, kernel);
    enum gate_sign sign = compare_sides(evidence->codes, key);

    free(key);
    return sign;
}

enum gate_sign gate_evidence_environment(const struct gate_evidence *evidence,
                                         const char *serial)
{
    static const enum gate_sign signs[] = {
        [ENVIRONMENT_UNKNOWN] = SIGN_UNKNOWN,
        [ENVIRONMENT_EQUAL] = SIGN_EQUAL,
        [ENVIRONMENT_CHANGED] = SIGN_DIFFERS,
    };

    return signs[environments_compare(evidence->environments[COMPARISON_BASE],
                                      evidence->environments[COMPARISON_NEW], serial)];
}

char *gate_evidence_environment_change(const struct gate_evidence *evidence)
{
    return environments_change(evidence->environments[COMPARISON_BASE],
                               evidence->environments[COMPARISON_NEW]);
}
