/* code_paths.h - file names as the debug information has them, made whole
 *
 * A compiler that was given a relative name says so, and beside it where it ran. Each
 * whole name is kept once. */
#ifndef PARSERS_CODE_CODE_PATHS_H
#define PARSERS_CODE_CODE_PATHS_H

struct arena;
struct map;

struct code_paths {
    struct arena *arena;
    struct map *known;
    const char *last_folder, *last_file, *last; /* most questions repeat themselves */
};

void code_paths_init(struct code_paths *paths);
void code_paths_clear(struct code_paths *paths);
/* Of a file of a unit that was compiled in `folder`; either may be NULL. */
const char *
code_paths_absolute(struct code_paths *paths, const char *folder, const char *file);

#endif
