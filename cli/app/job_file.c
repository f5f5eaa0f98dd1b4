#include "cli/app/job_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/job_warnings.h"
#include "cli/app/user_name.h"
#include "cli/query/client.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/soc_facts.h"
#include "lib/job/job.h"

void job_file_print_problems(const struct problems *problems, const char *path)
{
    struct text out = {0};

    problems_print(problems, path, &out);
    fputs(text_get(&out), stderr);
    text_clear(&out);
}

void job_file_print_warnings(const struct job_file *file)
{
    struct text out = {0};

    job_warnings_of_keys(file->job, file->path, &out);
    fputs(text_get(&out), stderr);
    text_clear(&out);
}

static int reject(const struct problems *problems, const char *path, struct err *err)
{
    job_file_print_problems(problems, path);
    return err_set(err, ERR_INPUT, "%s: %zu error%s, nothing was started", path,
                   problems->count, problems->count == 1 ? "" : "s");
}

enum { HOST_ROOM = 300, HIGHEST_CARD = 65536, CARDS_DEFAULT = 2 };

/* Returns the highest card number of all points + 1, or 0 when points name no card. */
static size_t count_named_cards(const struct job *job)
{
    struct job_points *points = job_points_create(job);
    struct job_point point;
    char host[HOST_ROOM];
    size_t cards = 0;
    uint32_t card;

    while (job_points_next(points, &point)) {
        if (point.card < 0 && point.places.count == 0)
            break; /* either all points name a card or none */
        if (point.card >= 0 && (size_t)point.card >= cards)
            cards = (size_t)point.card + 1;
        for (size_t i = 0; i < point.places.count; i++)
            if (job_place_parse(point.places.items[i], host, sizeof(host), &card) &&
                card < HIGHEST_CARD && card >= cards)
                cards = (size_t)card + 1;
    }
    job_points_destroy(points);
    return cards;
}

static size_t choose_cards(size_t named, size_t ranks)
{
    return named ? named : ranks > CARDS_DEFAULT ? ranks : CARDS_DEFAULT;
}

size_t job_file_default_cards(const struct job *job)
{
    return choose_cards(count_named_cards(job), job_settings(job)->ranks);
}

/* Returns NULL for a pattern that no simulated model matches. */
static const char *find_matching_model(const char *pattern)
{
    const char *model = soc_first_match(pattern);
    bool is_full_name = !strpbrk(pattern, "*?[");

    return model || !is_full_name ? model : pattern;
}

/* Takes the job and reads its requirements. */
static void take_job(struct job_file *file, struct job *job)
{
    file->job = job;
    const char *soc = job_settings(job)->soc;
    const char *model = find_matching_model(soc);

    file->cards = count_named_cards(job);
    file->ranks = job_settings(job)->ranks;
    file->default_cards = choose_cards(file->cards, file->ranks);
    file->per_host = job_settings(job)->per_host;
    file->model = model ? xstrdup(model) : NULL;
    file->soc = xstrdup(soc);
}

char *job_file_folder(const char *path)
{
    char *absolute = realpath(path, NULL);
    char *slash = absolute ? strrchr(absolute, '/') : NULL;

    if (slash)
        slash[slash == absolute] = '\0';
    return absolute;
}

int job_file_open(struct job_file *file, const char *path, struct err *err)
{
    struct problems *problems = xcalloc(1, sizeof(*problems));
    struct job *job = NULL;

    *file = (struct job_file){.path = xstrdup(path)};
    int result = job_read_file(&job, &file->yaml, path, problems, err);
    if (result == 0)
        take_job(file, job);
    else if (problems->count)
        reject(problems, path, err);
    problems_clear(problems);
    free(problems);
    if (result == 0 && !(file->folder = job_file_folder(path)))
        result = err_errno(err, "resolving %s", path);
    if (result < 0)
        job_file_clear(file);
    return result;
}

int job_file_from_text(struct job_file *file,
                       const char *yaml,
                       const char *name,
                       struct err *err)
{
    struct problems *problems = xcalloc(1, sizeof(*problems));
    struct job *job = NULL;

    *file = (struct job_file){.path = xstrdup(name), .yaml = xstrdup(yaml)};
    int result = job_parse(&job, yaml, strlen(yaml), problems);
    if (result == 0)
        take_job(file, job);
    else
        reject(problems, name, err);
    problems_clear(problems);
    free(problems);
    if (result < 0)
        job_file_clear(file);
    return result;
}

void job_file_clear(struct job_file *file)
{
    job_destroy(file->job);
    free(file->yaml);
    free(file->path);
    free(file->folder);
    free(file->model);
    free(file->soc);
    *file = (struct job_file){0};
}

int job_file_submit(const struct job_file *file,
                    struct client *client,
                    const char *once,
                    uint64_t *job_id,
                    char *key,
                    size_t key_size,
                    uint64_t *tasks,
                    bool *repeated,
                    struct err *err)
{
    struct msg_submit request = {
        .yaml = file->yaml,
        .file_name = file->path,
        .folder = file->folder,
        .user = user_name_get(),
        .once = once,
    };
    const union any_message *reply;

    if (client_request(client, MSG_SUBMIT, &request, MSG_SUBMITTED, &reply, err) < 0)
        return -1;
    *job_id = reply->submitted.job_id;
    *tasks = reply->submitted.tasks;
    *repeated = reply->submitted.repeated;
    snprintf(key, key_size, "%s", reply->submitted.job_key);
    return 0;
}
