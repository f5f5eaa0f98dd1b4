/* cmd_resume.c - goes on with a job whose run was interrupted */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/job_file.h"
#include "cli/private_run.h"
#include "cli/verb.h"
#include "store/store.h"

const struct command command_resume;

struct found {
    uint64_t job_id;
    char *yaml, *key;
    enum job_state state;
};

static void clear(struct found *found)
{
    free(found->yaml);
    free(found->key);
}

/* The job asked for, or the latest that has not ended. */
static int take(const struct store_job *job, void *arg, struct err *err)
{
    struct found *found = arg;

    (void)err;
    if (found->job_id ? job->job_id != found->job_id : job_state_is_final(job->state))
        return 0;
    clear(found);
    *found = (struct found){.job_id = found->job_id,
                            .yaml = xstrdup(job->yaml),
                            .key = xstrdup(job->key),
                            .state = job->state};
    if (!found->job_id)
        found->job_id = job->job_id;
    return 0;
}

static int find(struct found *found, const char *out, const char *word, struct err *err)
{
    char *folder = xasprintf("%s/store", out);
    struct store *store = NULL;
    int result = store_open(&store, folder, STORE_READ, err);

    free(folder);
    if (result == 0 && word)
        result = store_job_find(store, word, &found->job_id, err);
    if (result == 0)
        result = store_each_job(store, found->job_id, take, found, err);
    store_close(store);
    if (result == 0 && !found->yaml)
        return err_set(err, ERR_NOT_FOUND, "every job in %s has ended", out);
    if (result == 0 && job_state_is_final(found->state))
        return err_set(err, ERR_INPUT, "%s has ended: %s", found->key,
                       job_state_name(found->state));
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = VERB_INIT;
    struct private_run wishes = {.out = "out"};
    struct job_file file = {0};
    struct found found = {0};
    char **args;
    const struct option_row rows[] = {
        PRIVATE_RUN_ROWS(wishes),
        VERB_HELP_ROW(verb),
        {0},
    };

    int result = verb_parse(&command_resume, rows, &verb, argc, argv, &args, 0, 1, err);
    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    result = find(&found, wishes.out, args[0], err);
    if (result == 0)
        result = job_file_from_text(&file, found.yaml, found.key, err);
    if (result == 0) {
        wishes.resumed = found.job_id;
        result = private_run(&wishes, &file, err);
        job_file_clear(&file);
    }
    clear(&found);
    return result;
}

const struct command command_resume = {
    .name = "resume",
    .args = "[OPTIONS] [JOB]",
    .summary = "go on with a job whose run was interrupted",
    .details =
        "Takes up the job, or the latest that has not ended, from the store below\n"
        "--out. What was acknowledged is not measured again.",
    .run = run,
};
