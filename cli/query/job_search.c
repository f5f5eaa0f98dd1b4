#include "cli/query/job_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/store/store.h"

/* How an argument names a job; a better match hides the others. */
enum match { MATCH_NUMBER, MATCH_KEY, MATCH_NAME, MATCH_NONE };

struct search {
    const char *job_arg;
    enum match match;
    struct store_found_job found; /* the newest of the jobs with this match */
};

/* Returns true when the key is NAME-NUMBER. */
static bool is_named(const char *key, const char *name)
{
    size_t length = strlen(name);
    uint64_t number;

    return strncmp(key, name, length) == 0 && key[length] == '-' &&
           num_parse_u64(key + length + 1, &number);
}

static enum match match_of(const struct msg_job_row *job, const char *job_arg)
{
    uint64_t number;

    if (num_parse_u64(job_arg, &number) && job->job_id == number)
        return MATCH_NUMBER;
    if (!strcmp(job->job_key, job_arg))
        return MATCH_KEY;
    return is_named(job->job_key, job_arg) ? MATCH_NAME : MATCH_NONE;
}

static void match_job(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct search *search = arg;
    enum match match = match_of(job, search->job_arg);

    if (match == MATCH_NONE || match > search->match)
        return;
    if (match < search->match)
        search->found.of_name = search->found.job_id = 0;
    search->match = match;
    search->found.of_name++;
    if (job->job_id < search->found.job_id)
        return;
    search->found.job_id = job->job_id;
    free(search->found.key);
    search->found.key = xstrdup(job->job_key);
}

static int choose(const struct store_found_job *found,
                  const char *job_arg,
                  enum job_choice choice,
                  uint64_t *job_id,
                  struct err *err)
{
    *job_id = found->job_id;
    if (found->of_name == 1)
        return 0;
    if (choice == JOB_CHOICE_ONLY)
        return err_set(err, ERR_INPUT,
                       "%" PRIu64 " jobs have the name '%s'; use a key, such as %s",
                       found->of_name, job_arg, found->key);
    fprintf(stderr, "%" PRIu64 " jobs have the name '%s'; this is the newest, %s\n",
            found->of_name, job_arg, found->key);
    return 0;
}

int job_search_client(struct client *client,
                      const char *job_arg,
                      enum job_choice choice,
                      uint64_t *job_id,
                      struct err *err)
{
    struct search search = {.job_arg = job_arg, .match = MATCH_NONE};
    const struct msg_list_jobs all = {.active_only = false};
    int result =
        client_each(client, MSG_LIST_JOBS, &all, MSG_JOB_ROW, match_job, &search, err);

    if (result == 0 && search.match == MATCH_NONE)
        result = err_set(err, ERR_NOT_FOUND,
                         "no job '%s'; 'muster list' shows the jobs", job_arg);
    if (result == 0)
        result = choose(&search.found, job_arg, choice, job_id, err);
    free(search.found.key);
    return result;
}

int job_search_store(struct store *store,
                     const char *job_arg,
                     enum job_choice choice,
                     uint64_t *job_id,
                     struct err *err)
{
    struct store_found_job found;

    if (store_job_find(store, job_arg, &found, err) < 0)
        return -1;
    int result = choose(&found, job_arg, choice, job_id, err);
    free(found.key);
    return result;
}
