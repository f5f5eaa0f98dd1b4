#include "runner/point.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "runner/acl.h"
#include "runner/kernel.h"
#include "runner/library.h"

enum { CODE_FAILED = 1, CODE_USAGE = 2 };

static const struct {
    const char *word;
    int (*run)(const struct acl *acl,
               void *stream,
               const struct runner_messages_point *point,
               bool *is_new,
               struct err *err);
} kinds[] = {
    {"kernel", kernel_run},
    {"library", library_run},
};

static size_t free_memory(const struct acl *acl)
{
    size_t is_free = 0, total = 0;

    return acl->aclrtGetMemInfo(ACL_HBM_MEM, &is_free, &total) == 0 ? is_free : 0;
}

/* Executes the point on the card. A measured point gets a new stream, as in a process
 * of its own; other points share one. */
static int run_on_card(const struct runner_messages_point *point,
                       size_t kind,
                       struct runner_messages_end *end,
                       struct err *err)
{
    static aclrtStream kept;
    bool measured = point->inject_fd >= 0;
    aclrtStream stream = NULL;
    const struct acl *acl;
    size_t before, after;
    bool is_new = false;
    int result;

    if (acl_start(&acl, err) < 0)
        return -1;
    before = free_memory(acl);
    if (!measured)
        stream = kept;
    if (!stream && ACL(acl, aclrtCreateStream, (&stream), err) < 0)
        return -1;
    result = kinds[kind].run(acl, stream, point, &is_new, err);
    if (!measured)
        kept = stream;
    else if (acl->aclrtDestroyStream(stream) != 0 && result == 0)
        result = err_set(err, ERR_SYSTEM, "destroying the stream failed");
    after = free_memory(acl);
    /* the first load of a file may allocate memory that stays with the file */
    end->left_bytes = before > after && !is_new ? before - after : 0;
    return result;
}

static int run(const struct runner_messages_point *point,
               struct runner_messages_end *end,
               struct err *err)
{
    size_t kind = 0;

    if (point->count < RUNNER_MESSAGES_WORDS_FOR_RUNNER)
        return err_set(err, ERR_INPUT,
                       "too few words: need kernel or library, a file, an entry and a "
                       "number of blocks");
    while (kind < COUNT(kinds) &&
           strcmp(kinds[kind].word, point->words[RUNNER_MESSAGES_KIND]) != 0)
        kind++;
    if (kind == COUNT(kinds))
        return err_set(err, ERR_INPUT, "unknown kind '%.40s'; use kernel or library",
                       point->words[RUNNER_MESSAGES_KIND]);
    if (*point->cwd && chdir(point->cwd) < 0)
        return err_errno(err, "changing to folder %.150s", point->cwd);
    return run_on_card(point, kind, end, err);
}

void point_run(const struct runner_messages_point *point,
               struct runner_messages_end *end)
{
    struct err err;

    *end = (struct runner_messages_end){.number = point->number,
                                        .began_wall_ns = clock_wall_ns()};
    if (run(point, end, &err) < 0) {
        fflush(stdout);
        fprintf(stderr, "muster-runner: %s\n", err.text);
        end->exit_code = err.code == ERR_INPUT ? CODE_USAGE : CODE_FAILED;
        end->damaged = err.code != ERR_INPUT;
    }
    end->ended_wall_ns = clock_wall_ns();
}
