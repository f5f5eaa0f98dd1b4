#include "coordinator/confirmation/suspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/compare/point_key.h"
#include "lib/store/store.h"

void suspects_clear(struct suspect *suspects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int place = 0; place < SUSPECT_PLACES; place++)
            free(suspects[i].places[place]);
    free(suspects);
}

struct search {
    struct suspect_points *points;
    const char *wanted;
    size_t room;
};

static int match_point(const struct store_point *row, void *arg, struct err *err)
{
    struct search *search = arg;
    struct suspect_points *points = search->points;
    bool pinned;
    char *key = point_key(row->text, &pinned);

    (void)err;
    if (strcmp(key, search->wanted) == 0) {
        if (points->count == search->room) {
            search->room = search->room ? 2 * search->room : 16;
            points->numbers =
                xreallocarray(points->numbers, search->room, sizeof(*points->numbers));
        }
        points->numbers[points->count++] = row->point;
    }
    free(key);
    return 0;
}

int suspect_points_find(struct suspect_points *points,
                        struct store *store,
                        uint64_t job_id,
                        const char *point,
                        struct err *err)
{
    bool pinned;
    char *key = point_key(point, &pinned);
    struct search search = {points, key, 0};

    *points = (struct suspect_points){0};
    int result = store_each_point(store, job_id, match_point, &search, err);
    free(key);
    return result;
}

void suspect_points_clear(struct suspect_points *points)
{
    free(points->numbers);
    *points = (struct suspect_points){0};
}

bool suspect_card_is(const char *card,
                     const char *host,
                     int32_t number,
                     const char *serial)
{
    char place[320];

    snprintf(place, sizeof(place), "%s:%d", host, number);
    return strcmp(card, place) == 0 || (*serial && strcmp(card, serial) == 0);
}
