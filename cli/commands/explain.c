/* explain.c - why a task waits, or how it ended, in words */
#include <stdio.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "cli/query/row_source.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

const struct command command_explain;

static int
read_number(const char *word, const char *what, uint64_t *number, struct err *err)
{
    if (!num_parse_u64(word, number))
        return err_set(err, ERR_INPUT, "'%s' is no %s", word, what);
    return 0;
}

static int explain(struct row_source *source, char **words, struct err *err)
{
    struct msg_explain question = {.any = !words[1]};
    struct client *client = row_source_client(source);
    const union any_message *answer;
    struct text told = {0};

    if ((words[1] && read_number(words[1], "point", &question.point, err) < 0) ||
        (words[1] && words[2] &&
         read_number(words[2], "repeat", &question.repeat, err) < 0) ||
        row_source_find_job(source, words[0], &question.job_id, err) < 0)
        return -1;
    int result = client
                     ? client_ask(client, MSG_EXPLAIN, &question, MSG_OK, &answer, err)
                     : row_source_explain(source, &question, &told, err);
    if (result == 0)
        printf("%s: %s\n", words[0], client ? answer->ok.text : text_get(&told));
    text_clear(&told);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    struct row_source *source;
    char **args;
    const struct option_row rows[] = {
        COMMAND_OPTIONS_OUT_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_explain, rows, &options, argc, argv, &args,
                                       1, 3, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    running_coordinator_find(&options.client, options.out); /* it knows why */
    if (row_source_open(&source, &options.client, options.out, err) < 0)
        return -1;
    int result = explain(source, args, err);
    row_source_close(source);
    return result;
}

const struct command command_explain = {
    .name = "explain",
    .args = "JOB [POINT [REPEAT]]",
    .summary =
        "why a task waits, what it does, or how it ended; the first that has not "
        "ended, when none is named",
    .run = run,
};
