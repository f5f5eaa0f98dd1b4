/* code_paths.h - absolute paths of the source files in the debug information
 *
 * For a file with a relative name the debug information also has the folder of the
 * compiler. Each path is stored once. */
#ifndef PARSERS_CODE_CODE_PATHS_H
#define PARSERS_CODE_CODE_PATHS_H

struct arena;
struct map;

struct code_paths {
    struct arena *arena;
    struct map *interned;
    /* the previous lookup, since most lookups repeat it */
    const char *last_folder, *last_file, *last;
};

void code_paths_init(struct code_paths *paths);
void code_paths_clear(struct code_paths *paths);
/* Returns the absolute path of a file in a unit that was compiled in `folder`. Both may
 * be NULL; then the result is `file`. */
const char *
code_paths_absolute(struct code_paths *paths, const char *folder, const char *file);

#endif
