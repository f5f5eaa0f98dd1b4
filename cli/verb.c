#include "cli/verb.h"

#include <string.h>

#include "base/num.h"

const char *const verb_formats[] = {"text", "json", "jsonl", "csv", NULL};

static void print_help(const struct command *command, const struct option_row *rows)
{
    printf("usage: muster %s %s\n%s\n", command->name, command->args, command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    puts("\noptions:");
    options_print(rows, stdout);
}

int verb_parse(const struct command *command,
               const struct option_row *rows,
               const struct verb *verb,
               int argc,
               char **argv,
               char ***args,
               size_t least,
               size_t most,
               struct err *err)
{
    size_t count = 0;

    if (options_parse(rows, argc, argv, args, err) < 0)
        return -1;
    if (verb->help) {
        print_help(command, rows);
        return 1;
    }
    while ((*args)[count])
        count++;
    if (count < least || count > most)
        return err_set(err, ERR_INPUT, "%s; usage: muster %s %s",
                       count < least ? "something is missing" : "that is too much",
                       command->name, command->args);
    return 0;
}

struct search {
    const char *word;
    uint64_t job_id;
    size_t found;
};

/* NAME-12 is of the name NAME. */
static bool is_named(const char *key, const char *name)
{
    size_t length = strlen(name);
    uint64_t number;

    return strncmp(key, name, length) == 0 && key[length] == '-' &&
           num_parse_u64(key + length + 1, &number);
}

static void look(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct search *search = arg;
    uint64_t number;
    bool is_number = num_parse_u64(search->word, &number);

    if (is_number ? job->job_id != number
                  : strcmp(job->job_key, search->word) != 0 &&
                        !is_named(job->job_key, search->word))
        return;
    search->found++;
    search->job_id = job->job_id;
}

int verb_find_job(struct client *client,
                  const char *word,
                  uint64_t *job_id,
                  struct err *err)
{
    struct search search = {.word = word};
    struct msg_list_jobs all = {.active_only = false};

    if (client_each(client, MSG_LIST_JOBS, &all, MSG_JOB_ROW, look, &search, err) < 0)
        return -1;
    if (search.found == 0)
        return err_set(err, ERR_NOT_FOUND,
                       "there is no job '%s'; muster list tells which", word);
    if (search.found > 1)
        return err_set(err, ERR_INPUT,
                       "%zu jobs are called '%s'; name one by its number or key",
                       search.found, word);
    *job_id = search.job_id;
    return 0;
}
