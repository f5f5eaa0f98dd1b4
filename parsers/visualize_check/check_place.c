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

/* The reader does not check these when it runs as root. */
static void
check_rights(struct checker *checker, const char *what, const struct stat *facts)
{
    if (facts->st_mode & S_IWOTH)
        check_error(checker, "rights", "%s may be written to by others", what);
    if (geteuid() && facts->st_uid != geteuid())
        check_error(checker, "rights", "%s is not owned by who reads it", what);
}

static void check_name(struct checker *checker, const char *path)
{
    static const char refused[] = "\n\r\t\f\b\v\x7f\"'%><|&$;`\\";
    size_t length = strlen(path), components = 0;
    const char *bad = strpbrk(path, refused);

    for (size_t i = 0; i < length; i++)
        components += path[i] == '/' && path[i + 1] && path[i + 1] != '/';
    if (length < 4 || strcmp(path + length - 4, ".bin") != 0)
        check_error(checker, "name", "it does not end in .bin");
    if (bad)
        check_error(checker, "name", "letter %02x in the path is refused",
                    (unsigned char)*bad);
    if (length >= PATH_READ_MAX)
        check_error(checker, "name",
                    "the path has %zu letters, less than 4096 are read", length);
    if (components < COMPONENTS_MIN)
        check_warn(checker, "name", "less than three parts deep: the card has no text");
}

static bool is_file(struct checker *checker, const char *path)
{
    struct stat facts;

    if (lstat(path, &facts) < 0) {
        check_error(checker, "file", "%s", strerror(errno));
        return false;
    }
    if (!S_ISREG(facts.st_mode)) {
        check_error(checker, "file", "it is %s",
                    S_ISLNK(facts.st_mode) ? "a symbolic link, which is not followed"
                                           : "no plain file");
        return false;
    }
    if ((uint64_t)facts.st_size > SIZE_MAX_READ)
        check_error(checker, "file", "more than 10 GiB are not opened");
    check_rights(checker, "the file", &facts);
    return true;
}

static size_t stem_of(const char *name)
{
    return strcspn(name, ".");
}

/* Two files whose names agree up to the first dot share one database. */
static void check_stems(struct checker *checker, const char *folder, const char *name)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;

    while (entries && (entry = readdir(entries))) {
        size_t length = strlen(entry->d_name);

        if (length < 4 || strcmp(entry->d_name + length - 4, ".bin") != 0 ||
            strcmp(entry->d_name, name) == 0 ||
            stem_of(entry->d_name) != stem_of(name) ||
            strncmp(entry->d_name, name, stem_of(name)) != 0)
            continue;
        check_warn(checker, "stem", "'%.100s' beside it has the same database",
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
        check_rights(checker, "the folder, in which its timeline is kept,", &facts);
    if (access(folder, W_OK) < 0)
        check_error(checker, "rights",
                    "nothing can be written beside it: no timeline is shown");
    check_stems(checker, folder, slash + 1);
    free(folder);
}

/* The folders resolved, the last part as it stands. */
static char *whole_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
    char *real = realpath(folder, NULL), *whole = NULL;

    if (real)
        whole = xasprintf("%s/%s", strcmp(real, "/") == 0 ? "" : real,
                          slash ? slash + 1 : path);
    free(folder);
    free(real);
    return whole ? whole : xstrdup(path);
}

size_t visualize_check_place(const char *path, check_fn *fn, void *arg)
{
    struct checker checker = {.fn = fn, .arg = arg};
    char *whole = whole_path(path);

    check_name(&checker, whole);
    if (is_file(&checker, whole) && strchr(whole, '/'))
        check_folder(&checker, whole);
    free(whole);
    return checker.errors;
}
