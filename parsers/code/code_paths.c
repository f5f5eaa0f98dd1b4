#include "parsers/code/code_paths.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"

void code_paths_init(struct code_paths *paths)
{
    memset(paths, 0, sizeof(*paths));
    paths->arena = arena_create(0);
    paths->interned = map_create();
}

void code_paths_clear(struct code_paths *paths)
{
    map_destroy(paths->interned);
    arena_destroy(paths->arena);
    memset(paths, 0, sizeof(*paths));
}

const char *
code_paths_absolute(struct code_paths *paths, const char *folder, const char *file)
{
    char *absolute, *interned;

    if (!file || !folder || *file == '/')
        return file;
    if (folder == paths->last_folder && file == paths->last_file)
        return paths->last;
    absolute = arena_printf(paths->arena, "%s/%s", folder, file);
    interned = map_get(paths->interned, absolute);
    if (!interned)
        map_put(paths->interned, absolute, absolute);
    paths->last_folder = folder;
    paths->last_file = file;
    paths->last = interned ? interned : absolute;
    return paths->last;
}
