/* baseline.c - sets, shows and changes the baselines of comparisons */
#include "lib/compare/baseline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/app/user_name.h"
#include "cli/compare/night_environments.h"
#include "cli/fleet/writing_coordinator.h"
#include "cli/query/job_search.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/compare/point_key.h"

const struct command command_baseline;

struct baseline_options {
    struct command_options shared;
    const char *at, *points, *reason;
    bool frozen;
    uint64_t keep, nights; /* UINT64_MAX: not given */
    int part;
};

static const char *const list_columns[] = {
    "name",  "frozen", "keep",        "nights", "passed",      "newest_job_key",
    "stale", "splits", "quarantines", "user",   "set_wall_ns", NULL,
};
static const char *const night_columns[] = {
    "job_key", "passed", "used", "ended_wall_ns", "user", "reason", NULL,
};
static const char *const split_columns[] = {
    "job_key", "points", "user", "added_wall_ns", "reason", NULL,
};
static const char *const quarantine_columns[] = {
    "points", "nights", "nights_left", "user", "added_wall_ns", "reason", NULL,
};

enum part {
    PART_NIGHTS,
    PART_SPLITS,
    PART_QUARANTINES,
    PART_ENVIRONMENTS,
};

static const char *const part_names[] = {"nights", "splits", "quarantines",
                                         "environments", NULL};

static const struct {
    enum message_type row;
    const char *const *columns;
} parts[PART_ENVIRONMENTS] = {
    [PART_NIGHTS] = {MSG_BASELINE_NIGHT_ROW, night_columns},
    [PART_SPLITS] = {MSG_BASELINE_SPLIT_ROW, split_columns},
    [PART_QUARANTINES] = {MSG_QUARANTINE_ROW, quarantine_columns},
};

static void add_row(const void *row, void *arg)
{
    message_rows_add(arg, row);
}

static int print_rows(struct row_source *source,
                      const struct baseline_options *options,
                      enum message_type row,
                      const char *const *columns,
                      const char *name,
                      struct err *err)
{
    struct message_rows *rows = message_rows_create(
        (enum row_output_format)options->shared.format, row, columns);

    if (row_source_baselines(source, row, name, add_row, rows, err) < 0)
        return message_rows_destroy(&rows);
    return message_rows_finish(&rows, err);
}

static int print_part(struct row_source *source,
                      const struct baseline_options *options,
                      enum part part,
                      const char *name,
                      struct err *err)
{
    if (part == PART_ENVIRONMENTS)
        return night_environments_print(
            source, name, (enum row_output_format)options->shared.format, err);
    return print_rows(source, options, parts[part].row, parts[part].columns, name, err);
}

static int open_source(struct row_source **source,
                       const struct baseline_options *options,
                       struct err *err)
{
    return row_source_open(source, &options->shared.client, options->shared.out, err);
}

static int list(char **args, struct baseline_options *options, struct err *err)
{
    struct row_source *source;

    (void)args;
    if (open_source(&source, options, err) < 0)
        return -1;
    int result = print_rows(source, options, MSG_BASELINE_ROW, list_columns, "", err);
    row_source_close(source);
    return result;
}

/* Prints the rule and the state of a baseline in sentences. */
static void print_head(const void *row, void *arg)
{
    const struct msg_baseline_row *baseline = row;
    char when[32];

    *(struct msg_baseline_row *)arg = *baseline;
    if (baseline->frozen)
        printf("%s: frozen", baseline->name);
    else
        printf("%s: rolling, compares with the newest %" PRIu64 " nights that passed",
               baseline->name, baseline->keep);
    printf("; set by %s at %s\n", baseline->user,
           clock_format(when, baseline->set_wall_ns));
    printf("%" PRIu64 " of %" PRIu64 " nights passed", baseline->passed,
           baseline->nights);
    if (*baseline->newest_job_key)
        printf(", the newest is %s from %s", baseline->newest_job_key,
               clock_format(when, baseline->newest_wall_ns));
    printf("\n");
    if (baseline->stale)
        printf("stale: no night has passed for %d days; measure one, or set the "
               "baseline again\n",
               BASELINE_EXPIRY_DAYS);
    if (baseline->passed < BASELINE_KEEP_LEAST)
        printf("fewer than %d nights passed, so the noise between nights is unknown\n",
               BASELINE_KEEP_LEAST);
}

static int print_text(struct row_source *source,
                      const struct baseline_options *options,
                      const char *name,
                      struct err *err)
{
    struct msg_baseline_row baseline;

    if (row_source_baselines(source, MSG_BASELINE_ROW, name, print_head, &baseline,
                             err) < 0)
        return -1;
    printf("\n");
    if (print_part(source, options, PART_NIGHTS, name, err) < 0)
        return -1;
    printf("\nenvironments of the nights that a comparison uses\n");
    if (print_part(source, options, PART_ENVIRONMENTS, name, err) < 0)
        return -1;
    if (baseline.splits > 0) {
        printf("\nknown changes: older nights do not count for these points\n");
        if (print_part(source, options, PART_SPLITS, name, err) < 0)
            return -1;
    }
    if (baseline.quarantines > 0) {
        printf("\nquarantines: these points are shown and fail nothing\n");
        if (print_part(source, options, PART_QUARANTINES, name, err) < 0)
            return -1;
    }
    return EXIT_GOOD;
}

static int show(char **args, struct baseline_options *options, struct err *err)
{
    struct row_source *source;
    int result;

    if (open_source(&source, options, err) < 0)
        return -1;
    if (options->shared.format == ROW_OUTPUT_TEXT && options->part < 0)
        result = print_text(source, options, args[0], err);
    else
        result = print_part(source, options,
                            options->part < 0 ? PART_NIGHTS : (enum part)options->part,
                            args[0], err);
    row_source_close(source);
    return result;
}

/* Sends the request with the jobs of these words, which end with NULL. */
static int send_request(struct baseline_options *options,
                        struct msg_baseline *request,
                        char *const *jobs,
                        struct err *err)
{
    struct writing_coordinator coordinator;
    const union any_message *reply;
    uint64_t *job_ids = NULL;
    size_t count = 0;

    if (writing_coordinator_open(&coordinator, &options->shared.client,
                                 options->shared.out, err) < 0)
        return -1;
    int result = 0;
    for (; result == 0 && jobs[count]; count++) {
        job_ids = xreallocarray(job_ids, count + 1, sizeof(*job_ids));
        result = job_search_client(coordinator.client, jobs[count], JOB_CHOICE_ONLY,
                                   &job_ids[count], err);
    }
    request->jobs = (struct u64_list){job_ids, count};
    request->user = user_name_get();
    if (result == 0)
        result = client_request(coordinator.client, MSG_BASELINE, request, MSG_OK,
                                &reply, err);
    if (result == 0)
        printf("%s: %s\n", request->name, reply->ok.text);
    free(job_ids);
    writing_coordinator_close(&coordinator);
    return result;
}

static int set(char **args, struct baseline_options *options, struct err *err)
{
    struct msg_baseline request = {
        .what = "set", .name = args[0], .frozen = options->frozen};

    if (options->keep != UINT64_MAX && options->frozen)
        return err_set(err, ERR_INPUT,
                       "--frozen and --keep exclude each other: a "
                       "frozen baseline uses all its nights");
    if (!options->frozen)
        request.keep = options->keep == UINT64_MAX ? BASELINE_KEEP : options->keep;
    return send_request(options, &request, args + 1, err);
}

static int drop(char **args, struct baseline_options *options, struct err *err)
{
    struct msg_baseline request = {.what = "drop", .name = args[0]};

    return send_request(options, &request, args + 1, err);
}

static int need_reason(const struct baseline_options *options, struct err *err)
{
    return options->reason && *options->reason
               ? 0
               : err_set(err, ERR_INPUT,
                         "--reason TEXT is missing; 'muster baseline show' and the "
                         "events contain it");
}

/* A point may be written in any order of its values; a pattern stays as it is. The
 * caller frees the text. */
static char *points_of(const char *word)
{
    bool pinned;

    return strpbrk(word, "*?[") ? xstrdup(word) : point_key(word, &pinned);
}

static int split(char **args, struct baseline_options *options, struct err *err)
{
    char *points = points_of(options->points ? options->points : "*");
    struct msg_baseline request = {
        .what = "split", .name = args[0], .points = points, .reason = options->reason};
    char *const jobs[] = {(char *)options->at, NULL};
    int result;

    if (!options->at)
        result = err_set(err, ERR_INPUT,
                         "--at JOB is missing: the first job after the change");
    else
        result = need_reason(options, err);
    if (result == 0)
        result = send_request(options, &request, jobs, err);
    free(points);
    return result;
}

static int quarantine(char **args, struct baseline_options *options, struct err *err)
{
    char *points = points_of(args[1]);
    struct msg_baseline request = {
        .what = "quarantine",
        .name = args[0],
        .points = points,
        .reason = options->reason,
        .nights = options->nights == UINT64_MAX ? BASELINE_QUARANTINE_NIGHTS
                                                : options->nights,
    };
    int result = need_reason(options, err);

    if (result == 0)
        result = send_request(options, &request, args + 2, err);
    free(points);
    return result;
}

static const struct action {
    const char *name;
    size_t least, most; /* words behind the name of the action */
    const char *args;
    int (*run)(char **args, struct baseline_options *options, struct err *err);
} actions[] = {
    {"list", 0, 0, "", list},
    {"show", 1, 1, " NAME", show},
    {"set", 2, SIZE_MAX, " NAME JOB...", set},
    {"drop", 1, 1, " NAME", drop},
    {"split", 1, 1, " NAME --at JOB --reason TEXT", split},
    {"quarantine", 2, 2, " NAME POINT --reason TEXT", quarantine},
};

static const char *const action_names[] = {"list",  "show",       "set", "drop",
                                           "split", "quarantine", NULL};

static const struct command_mode modes[] = {{"set", "frozen keep"},
                                            {"split", "at points reason"},
                                            {"quarantine", "reason until"},
                                            {"show", "part"},
                                            {NULL, NULL}};

static int run_action(char **args, struct baseline_options *options, struct err *err)
{
    size_t count = 0;

    while (args[count + 1])
        count++;
    for (size_t i = 0; i < COUNT(actions); i++) {
        const struct action *action = &actions[i];

        if (strcmp(action->name, args[0]) != 0)
            continue;
        if (command_options_check_mode(modes, action->name, err) < 0)
            return -1;
        if (count < action->least || count > action->most)
            return err_set(err, ERR_INPUT, "usage: muster baseline %s%s", action->name,
                           action->args);
        return action->run(args + 1, options, err);
    }
    return err_set(err, ERR_INPUT,
                   "unknown action '%s'; use list, show, set, drop, split or "
                   "quarantine",
                   args[0]);
}

static int run(int argc, char **argv, struct err *err)
{
    struct baseline_options options = {.shared = COMMAND_OPTIONS_INIT,
                                       .keep = UINT64_MAX,
                                       .nights = UINT64_MAX,
                                       .part = -1};
    char **args;
    const struct option_row rows[] = {
        {"frozen", 0, OPTION_FLAG, &options.frozen, NULL,
         "Add no later nights, for example for a release, with set (default: "
         "rolling)",
         NULL},
        {"keep", 0, OPTION_U64, &options.keep, "N",
         "Compare with the newest N nights that passed, 5 to 400, with set (default: "
         "10)",
         NULL},
        {"at", 0, OPTION_TEXT, &options.at, "JOB",
         "The first job after the change, with split (required)", NULL},
        {"points", 0, OPTION_TEXT, &options.points, "PATTERN",
         "Points that changed, such as '*m=1024*', with split (default: all)", NULL},
        {"reason", 0, OPTION_TEXT, &options.reason, "TEXT",
         "Reason, shown with the baseline, with split and quarantine (required)", NULL},
        {"until", 0, OPTION_U64, &options.nights, "NIGHTS",
         "Number of nights that it lasts; 0 ends it now, with quarantine (default: 14)",
         NULL},
        {"part", 0, OPTION_CHOICE, &options.part, "PART",
         "Rows to print, with show (default: all as text, else nights)", part_names},
        COMMAND_OPTIONS_OUTPUT_ROW(options.shared),
        COMMAND_OPTIONS_OUT_ROW(options.shared),
        COMMAND_OPTIONS_CLIENT_ROWS(options.shared),
        COMMAND_OPTIONS_HELP_ROW(options.shared),
        {0},
    };

    int parsed = command_options_parse(&command_baseline, rows, &options.shared, argc,
                                       argv, &args, 1, SIZE_MAX, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return run_action(args, &options, err);
}

const struct command command_baseline = {
    .name = "baseline",
    .args = "list | show NAME | set NAME JOB... [--frozen | --keep N] | drop NAME | "
            "split NAME --at JOB --reason TEXT | quarantine NAME POINT --reason TEXT",
    .summary = "Set, show and change the jobs that later jobs are compared with",
    .details =
        "A rolling baseline gets the nights that passed: jobs that are compared with\n"
        "it, are complete and did not regress. A comparison uses the newest of them.\n"
        "A frozen baseline, such as a release, keeps its jobs. A split is a known\n"
        "change: the nights before its job no longer count. A point in quarantine is\n"
        "measured and shown, and fails nothing. A rolling baseline is stale when no\n"
        "night has passed for 30 days. Without a coordinator the baselines of the\n"
        "store below --out are used.\n" COMMAND_JOB_DETAILS,
    .choices = action_names,
    .examples = "  muster baseline list\n"
                "  muster baseline set nightly sweep-7 --keep 10\n"
                "  muster baseline split nightly --at sweep-7 --reason 'CANN 9.1'",
    .run = run,
};
