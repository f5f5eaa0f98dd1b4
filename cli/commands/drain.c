/* drain.c - cards that get nothing more, and cards that do again */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

const struct command command_drain, command_undrain;

/* HOST or HOST:CARD. */
static int
read_where(const char *word, struct msg_drain *question, char **host, struct err *err)
{
    const char *colon = strrchr(word, ':');

    *host = xstrdup(word);
    question->whole_host = !colon;
    question->host = *host;
    if (!colon)
        return 0;
    (*host)[colon - word] = '\0';
    if (!num_parse_u64(colon + 1, &question->card) || question->card > INT32_MAX)
        return err_set(err, ERR_INPUT, "'%s': a card is a number, as in node-3:0",
                       word);
    return 0;
}

static int
ask(struct client *client, char **words, bool undo, const char *reason, struct err *err)
{
    for (; *words; words++) {
        struct msg_drain question = {.undo = undo, .reason = reason};
        const union any_message *answer;
        char *host;

        int result = read_where(*words, &question, &host, err);
        if (result == 0)
            result = client_ask(client, MSG_DRAIN, &question, MSG_OK, &answer, err);
        if (result == 0)
            printf("%s: %s\n", *words, answer->ok.text);
        free(host);
        if (result < 0)
            return -1;
    }
    return 0;
}

static int drain(const struct command *command, int argc, char **argv, struct err *err)
{
    bool undo = command == &command_undrain;
    struct command_options options = COMMAND_OPTIONS_INIT;
    struct client *client = NULL;
    const char *reason = NULL;
    char **args;
    const struct option_row all[] = {
        {"reason", 0, OPTION_TEXT, &reason, "TEXT", "why; whoever waits is told so",
         NULL},
        COMMAND_OPTIONS_LIVE_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(command, undo ? all + 1 : all, &options, argc, argv,
                                       &args, 1, SIZE_MAX, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (!undo && (!reason || !*reason))
        return err_set(err, ERR_INPUT,
                       "--reason TEXT is needed: why are they drained?");
    int result = running_coordinator_open(&client, &options.client, options.out, err);
    if (result == 0)
        result = ask(client, args, undo, reason, err);
    client_close(client);
    return result;
}

static int run_drain(int argc, char **argv, struct err *err)
{
    return drain(&command_drain, argc, argv, err);
}

static int run_undrain(int argc, char **argv, struct err *err)
{
    return drain(&command_undrain, argc, argv, err);
}

const struct command command_drain = {
    .name = "drain",
    .args = "HOST[:CARD]... --reason TEXT",
    .summary = "give these cards nothing more; what runs there may end",
    .run = run_drain,
};

const struct command command_undrain = {
    .name = "undrain",
    .args = "HOST[:CARD]...",
    .summary = "these cards get tasks again",
    .run = run_undrain,
};
