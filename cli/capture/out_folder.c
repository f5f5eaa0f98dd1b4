#include "cli/capture/out_folder.h"

#include <stdio.h>

#include "parsers/visualize_check/check_place.h"

struct place {
    const char *command, *path;
};

static void print(const struct check_problem *problem, void *arg)
{
    const struct place *place = arg;

    fprintf(stderr, "muster %s: warning: --out %s: %s\n", place->command, place->path,
            problem->text);
}

void out_folder_warn(const char *command, const char *path)
{
    struct place place = {command, path};

    visualize_check_folder(path, print, &place);
}
