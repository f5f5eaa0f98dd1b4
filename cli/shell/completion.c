#include "cli/shell/completion.h"

#include <string.h>

#include "cli/shell/completion_internal.h"

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};

static const struct shell {
    void (*head)(FILE *out);
    command_table_fn *command;
    void (*tail)(FILE *out);
} shells[] = {
    {completion_bash_head, completion_bash_command, completion_bash_tail},
    {completion_zsh_head, completion_zsh_command, completion_zsh_tail},
    {completion_fish_head, completion_fish_command, completion_fish_tail},
};

int completion_write(const char *name, FILE *out, struct err *err)
{
    for (size_t i = 0; completion_shells[i]; i++) {
        if (strcmp(completion_shells[i], name) != 0)
            continue;
        shells[i].head(out);
        for (const struct command *const *it = command_all(); *it; it++)
            if (command_options_read_table(*it, shells[i].command, out, err) < 0)
                return -1;
        shells[i].tail(out);
        return 0;
    }
    return err_set(err, ERR_INPUT, "unknown shell '%s'; use bash, zsh or fish", name);
}
