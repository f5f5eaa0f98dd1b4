/* view_session.c - creates and destroys sessions */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/viewer/viewer_internal.h"

struct viewer_session *viewer_session_create(struct viewer *viewer)
{
    struct viewer_session *session = xcalloc(1, sizeof(*session));

    session->viewer = viewer;
    session->renamed = map_create();
    session->hidden = map_create();
    session->aliases = map_create();
    return session;
}

/* Frees the texts of a map and the map. */
static void destroy_texts(struct map *map)
{
    const char *key;
    size_t at = 0;
    void *value;

    while (map_next(map, &at, &key, &value))
        free(value);
    map_destroy(map);
}

void viewer_session_destroy(struct viewer_session *session)
{
    if (!session)
        return;
    view_answer_drop(session);
    session_close(session);
    session_set_baseline(session, &(struct view_file *){NULL});
    viewer_trim(session->viewer);
    destroy_texts(session->renamed);
    destroy_texts(session->aliases);
    map_destroy(session->hidden);
    free(session);
}
