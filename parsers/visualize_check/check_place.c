#include "parsers/visualize_check/check_place.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/visualize_check/check_report.h"

enum { PATH_READ_MAX = 4096, COMPONENTS_MIN = 3 };
static const uint64_t SIZE_MAX_READ = (uint64_t)10 << 30;

/* A viewer that runs as root skips these checks. A file that other users can write is
 * reported in any case. */
static void
check_permissions(struct checker *checker, const char *what, const struct stat *facts)
{
    if (facts->st_mode & S_IWOTH)
        check_error(checker, "rights",
                    "%s is writable by other users; the viewer rejects it: chmod o-w",
                    what);
    if (geteuid() && facts->st_uid != geteuid())
        check_error(checker, "rights",
                    "%s belongs to another user; the viewer rejects it", what);
}

static void check_characters(struct checker *checker, const char *path)
{
    static const char rejected[] = "\n\r\t\f\b\v\x7f\"'%><|&$;`\\";
    const char *bad = strpbrk(path, rejected);

    if (bad)
        check_error(checker, "name",
                    "the viewer rejects the character 0x%02x in the path",
                    (unsigned char)*bad);
}

static void check_name(struct checker *checker, const char *path)
{
    size_t length = strlen(path), components = 0;

    for (size_t i = 0; i < length; i++)
        components += path[i] == '/' && path[i + 1] && path[i + 1] != '/';
    if (length < 4 || strcmp(path + length - 4, ".bin") != 0)
        check_error(checker, "name", "the file name must end in .bin");
    check_characters(checker, path);
    if (length >= PATH_READ_MAX)
        check_error(checker, "name",
                    "the path has %zu bytes; the viewer accepts fewer than 4096",
                    length);
    if (components < COMPONENTS_MIN)
        check_warn(
            checker, "name",
            "the path has fewer than three parts, so the viewer's card has no title");
}

static bool is_file(struct checker *checker, const char *path)
{
    struct stat facts;

    if (lstat(path, &facts) < 0) {
        check_error(checker, "file", "%s", strerror(errno));
        return false;
    }
    if (!S_ISREG(facts.st_mode)) {
        check_error(checker, "file", "the path is %s",
                    S_ISLNK(facts.st_mode)
                        ? "a symbolic link, which the viewer does not follow"
                        : "not a regular file");
        return false;
    }
    if ((uint64_t)facts.st_size > SIZE_MAX_READ)
        check_error(checker, "file",
                    "the file is larger than 10 GiB; the viewer does not open it");
    check_permissions(checker, "the file", &facts);
    return true;
}

static size_t stem_length(const char *name)
{
    return strcspn(name, ".");
}

/* The viewer uses one database for files whose names are equal up to the first dot. */
static void check_stems(struct checker *checker, const char *folder, const char *name)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;

    while (entries && (entry = readdir(entries))) {
        size_t length = strlen(entry->d_name);

        if (length < 4 || strcmp(entry->d_name + length - 4, ".bin") != 0 ||
            strcmp(entry->d_name, name) == 0 ||
            stem_length(entry->d_name) != stem_length(name) ||
            strncmp(entry->d_name, name, stem_length(name)) != 0)
            continue;
        check_warn(checker, "stem",
                   "'%.100s' in the same folder has the same database; rename one of "
                   "the files",
                   entry->d_name);
    }
    if (entries)
        closedir(entries);
}

static void check_folder(struct checker *checker, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = xstrndup(path, (size_t)(slash - path) + (slash == path));
    struct stat facts;

    if (stat(folder, &facts) == 0)
        check_permissions(checker, "the folder, where the viewer creates its database,",
                          &facts);
    if (access(folder, W_OK) < 0)
        check_error(checker, "rights",
                    "the folder is not writable: the viewer cannot create its database "
                    "and shows no timeline");
    check_stems(checker, folder, slash + 1);
    free(folder);
}

/* Returns the path with its folders resolved; the last part may be a symbolic link. */
static char *absolute_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
    char *real = realpath(folder, NULL), *absolute = NULL;

    if (real)
        absolute = xasprintf("%s/%s", strcmp(real, "/") == 0 ? "" : real,
                             slash ? slash + 1 : path);
    free(folder);
    free(real);
    return absolute ? absolute : xstrdup(path);
}

size_t visualize_check_place(const char *path, check_fn *fn, void *arg)
{
    struct checker checker = {.fn = fn, .arg = arg};
    char *absolute = absolute_path(path);

    check_name(&checker, absolute);
    if (is_file(&checker, absolute) && strchr(absolute, '/'))
        check_folder(&checker, absolute);
    free(absolute);
    return checker.errors;
}

size_t visualize_check_folder(const char *path, check_fn *fn, void *arg)
{
    struct checker checker = {.fn = fn, .arg = arg};
    char *real = realpath(path, NULL), *absolute = real ? real : absolute_path(path);
    struct stat facts;

    check_characters(&checker, absolute);
    if (lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode))
        check_warn(&checker, "rights", "the folder is a symbolic link to %s", absolute);
    if (stat(path, &facts) == 0) {
        if (facts.st_uid != geteuid())
            check_warn(
                &checker, "rights",
                "the folder belongs to another user; the viewer accepts only its own "
                "user's folders");
        if (facts.st_mode & S_IWOTH)
            check_warn(&checker, "rights",
                       "the folder is writable by other users; the viewer rejects it: "
                       "chmod o-w");
    }
    free(absolute);
    return checker.errors;
}
