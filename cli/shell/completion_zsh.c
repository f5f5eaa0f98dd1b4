/* completion_zsh.c - writes a function for the completion system of zsh */
#include "cli/shell/completion_internal.h"

/* characters with a meaning for _arguments and _describe */
static const char special[] = "\\[]:";

void completion_zsh_head(FILE *out)
{
    fputs("#compdef muster muster-worker muster-coordinator\n"
          "# completion of muster for zsh; made by `muster completion zsh`\n"
          "_muster_jobs() {\n"
          "    local -a jobs\n"
          "    jobs=(${(f)\"$(muster list --output csv 2>/dev/null | sed 1d |"
          " cut -d, -f2)\"})\n"
          "    compadd -a jobs\n"
          "}\n"
          "_muster_commands() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          out);
    for (const struct command *const *it = command_all(); *it; it++) {
        fprintf(out, "        '%s:", (*it)->name);
        completion_quoted((*it)->summary, special, out);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    _describe -t commands command commands\n"
          "}\n"
          "_muster() {\n"
          "    if [[ $service == muster-* ]]; then # as `muster worker` does\n"
          "        words=(muster ${service#muster-} $words[2,-1])\n"
          "        (( CURRENT++ ))\n"
          "    fi\n"
          "    if (( CURRENT == 2 )); then _muster_commands; return; fi\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $words[1] in\n",
          out);
}

static void complete_kind(enum completion_kind kind, FILE *out)
{
    static const char *const actions[] = {
        [COMPLETION_NONE] = " ",
        [COMPLETION_UNKNOWN] = " ",
        [COMPLETION_WORDS] = " ",
        [COMPLETION_FILE] = "_files",
        [COMPLETION_FOLDER] = "_files -/",
        [COMPLETION_JOB] = "_muster_jobs",
        [COMPLETION_COMMAND] = "_muster_commands",
    };

    fputs(actions[kind], out);
}

static void print_option(const struct option_row *row, FILE *out)
{
    const char *repeatable = row->kind == OPTION_TEXTS ? "*" : "";
    bool valued = row->kind != OPTION_FLAG; /* -oVALUE and --output=VALUE are options */

    fputs(" \\\n        ", out);
    if (row->letter)
        fprintf(out, "'%s(-%c --%s)'{-%c%s,--%s%s}'[", repeatable, row->letter,
                row->name, row->letter, valued ? "+" : "", row->name,
                valued ? "=" : "");
    else
        fprintf(out, "'%s--%s%s[", repeatable, row->name, valued ? "=" : "");
    completion_quoted(row->help, special, out);
    fputc(']', out);
    if (valued) {
        fputc(':', out);
        completion_quoted(row->value, special, out);
        fputc(':', out);
        if (row->kind == OPTION_CHOICE) {
            fputc('(', out);
            for (int i = 0; row->choices[i]; i++)
                fprintf(out, "%s%s", i ? " " : "", row->choices[i]);
            fputc(')', out);
        } else {
            complete_kind(completion_value_kind(row), out);
        }
    }
    fputc('\'', out);
}

void completion_zsh_command(const struct command *command,
                            const struct option_row *rows,
                            void *file)
{
    enum completion_kind kind = completion_argument_kind(command);
    FILE *out = file;

    fprintf(out, "    %s)\n        _arguments -s", command->name);
    for (; rows->name; rows++)
        if (option_is_listed(rows))
            print_option(rows, out);
    if (command->choices) {
        fputs(" \\\n        '1:action:(", out);
        for (const char *const *choice = command->choices; *choice; choice++)
            fprintf(out, "%s%s", choice == command->choices ? "" : " ", *choice);
        fputs(")'", out);
    }
    if (kind != COMPLETION_NONE) {
        fputs(" \\\n        '*:argument:", out);
        complete_kind(kind, out);
        fputc('\'', out);
    }
    fputs("\n        ;;\n", out);
}

void completion_zsh_tail(FILE *out)
{
    fputs("    esac\n}\n"
          "if [ \"$funcstack[1]\" = _muster ]; then _muster \"$@\"; "
          "else compdef _muster muster muster-worker muster-coordinator; fi\n",
          out);
}
