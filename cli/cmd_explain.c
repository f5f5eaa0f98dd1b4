/* cmd_explain.c - why a task waits, in words */
#include <stdio.h>

#include "base/num.h"
#include "cli/verb.h"

const struct command command_explain;

static int
read_number(const char *word, const char *what, uint64_t *number, struct err *err)
{
    if (!num_parse_u64(word, number))
        return err_set(err, ERR_INPUT, "'%s' is no %s", word, what);
    return 0;
}

static int explain(struct client *client, char **words, struct err *err)
{
    struct msg_explain question = {.any = !words[1]};
    const union any_message *answer;

    if ((words[1] && read_number(words[1], "point", &question.point, err) < 0) ||
        (words[1] && words[2] &&
         read_number(words[2], "repeat", &question.repeat, err) < 0) ||
        client_find_job(client, words[0], &question.job_id, err) < 0 ||
        client_ask(client, MSG_EXPLAIN, &question, MSG_OK, &answer, err) < 0)
        return -1;
    printf("%s: %s\n", words[0], answer->ok.text);
    return 0;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = {0};
    struct client *client = NULL;
    char **args;
    const struct option_row rows[] = {
        VERB_CLIENT_ROWS(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed =
        verb_parse(&command_explain, rows, &verb, argc, argv, &args, 1, 3, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    int result = client_open(&client, &verb.client, err);
    if (result == 0)
        result = explain(client, args, err);
    client_close(client);
    return result;
}

const struct command command_explain = {
    .name = "explain",
    .args = "JOB [POINT [REPEAT]]",
    .summary = "why a task waits, or what it does; the first one, when none is named",
    .run = run,
};
