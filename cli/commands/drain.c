/* drain.c - takes cards out of service, and returns them with undrain */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

const struct command command_drain, command_undrain;

/* Parses HOST or HOST:CARD. The caller frees *host. */
static int
parse_target(const char *word, struct msg_drain *request, char **host, struct err *err)
{
    const char *colon = strrchr(word, ':');

    *host = xstrdup(word);
    request->whole_host = !colon;
    request->host = *host;
    if (!colon)
        return 0;
    (*host)[colon - word] = '\0';
    if (!num_parse_u64(colon + 1, &request->card) || request->card > INT32_MAX)
        return err_set(err, ERR_INPUT,
                       "'%s' has no card number; write HOST:CARD, such as node-3:0",
                       word);
    return 0;
}

static int send_requests(struct client *client,
                         char **words,
                         bool undo,
                         const char *reason,
                         struct err *err)
{
    for (; *words; words++) {
        struct msg_drain request = {.undo = undo, .reason = reason};
        const union any_message *reply;
        char *host;

        int result = parse_target(*words, &request, &host, err);
        if (result == 0)
            result = client_request(client, MSG_DRAIN, &request, MSG_OK, &reply, err);
        if (result == 0)
            printf("%s: %s\n", *words, reply->ok.text);
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
    const struct option_row rows[] = {
        {"reason", 0, OPTION_TEXT, &reason, "TEXT",
         "Reason, shown to users whose tasks wait for these cards (required)", NULL},
        COMMAND_OPTIONS_LIVE_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(command, undo ? rows + 1 : rows, &options, argc,
                                       argv, &args, 1, SIZE_MAX, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (!undo && (!reason || !*reason))
        return err_set(err, ERR_INPUT,
                       "drain needs --reason TEXT, which is shown to waiting users");
    int result = running_coordinator_open(&client, &options.client, options.out, err);
    if (result == 0)
        result = send_requests(client, args, undo, reason, err);
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
    .summary = "Take cards out of service; running tasks finish, no new task starts",
    .details = "HOST is a name as 'muster list --workers' prints it. Without CARD all\n"
               "cards of the host are drained, also cards that connect later. 'muster\n"
               "undrain' reverses it.",
    .examples = "  muster drain node3 --reason 'fan replaced on Monday'\n"
                "  muster drain node3:5 --reason 'ECC errors'",
    .run = run_drain,
};

const struct command command_undrain = {
    .name = "undrain",
    .args = "HOST[:CARD]...",
    .summary = "Return drained cards to service",
    .examples = "  muster undrain node3\n"
                "  muster undrain node3:5",
    .run = run_undrain,
};
