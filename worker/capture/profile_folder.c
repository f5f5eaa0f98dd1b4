#include "worker/capture/profile_folder.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { DEPTH_MAX = 8 };

/* info.json.<device> of msprof has the number of the rank. */
static bool is_wanted(const char *name)
{
    static const char *const patterns[] = {"*.csv", "*.json", "*.db", "info.json.*"};

    for (size_t i = 0; i < COUNT(patterns); i++)
        if (text_matches(name, patterns[i]))
            return true;
    return false;
}

static int each(const char *folder, int depth, profile_file_fn *fn, void *arg)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    int result = 0;

    while (result == 0 && entries && (entry = readdir(entries))) {
        char *path = xasprintf("%s/%s", folder, entry->d_name);
        struct stat is;

        if (entry->d_name[0] == '.' || lstat(path, &is) < 0)
            ; /* the folder itself, its parent, a hidden file, or a file that is gone */
        else if (S_ISREG(is.st_mode) && is_wanted(entry->d_name))
            result = fn(path, arg);
        else if (S_ISDIR(is.st_mode) && depth < DEPTH_MAX &&
                 strcmp(entry->d_name, "FRAMEWORK") != 0)
            result = each(path, depth + 1, fn, arg);
        free(path);
    }
    if (entries)
        closedir(entries);
    return result;
}

int profile_folder_each(const char *folder, profile_file_fn *fn, void *arg)
{
    return each(folder, 0, fn, arg);
}
