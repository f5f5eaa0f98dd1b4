/* completion_bash.c - writes a function that bash calls with the words on the line */
#include "cli/shell/completion_internal.h"

void completion_bash_head(FILE *out)
{
    fputs(
        "# completion of muster for bash; made by `muster completion bash`\n"
        "_muster_words() { mapfile -t COMPREPLY < <(compgen -W \"$*\" -- \"$cur\"); }\n"
        "_muster_files() { mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\"); }\n"
        "_muster_jobs() {\n"
        "    _muster_words \"$(muster list --output csv 2>/dev/null |"
        " sed 1d | cut -d, -f2)\"\n"
        "}\n"
        "_muster() {\n"
        "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "    local command=${COMP_WORDS[1]:-}\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        _muster_words '",
        out);
    for (const struct command *const *it = command_all(); *it; it++)
        fprintf(out, "%s%s", it == command_all() ? "" : " ", (*it)->name);
    fputs("'\n        return\n    fi\n    case $command in\n", out);
}

static void complete_value(const struct option_row *row, FILE *out)
{
    fprintf(out, "        --%s", row->name);
    if (row->letter)
        fprintf(out, " | -%c", row->letter);
    fputs(") ", out);
    switch (completion_value_kind(row)) {
    case COMPLETION_WORDS:
        fputs("_muster_words '", out);
        for (int i = 0; row->choices[i]; i++)
            fprintf(out, "%s%s", i ? " " : "", row->choices[i]);
        fputs("'; ", out);
        break;
    case COMPLETION_FILE:
        fputs("_muster_files -f; ", out);
        break;
    case COMPLETION_FOLDER:
        fputs("_muster_files -d; ", out);
        break;
    default: /* no suggestions for other values */
        break;
    }
    fputs("return ;;\n", out);
}

static void complete_argument(const struct command *command, FILE *out)
{
    switch (completion_argument_kind(command)) {
    case COMPLETION_FILE:
        fputs("        _muster_files -f\n", out);
        break;
    case COMPLETION_FOLDER:
        fputs("        _muster_files -d\n", out);
        break;
    case COMPLETION_JOB:
        fputs("        _muster_jobs\n", out);
        break;
    case COMPLETION_COMMAND:
        fputs("        _muster_words '", out);
        for (const struct command *const *it = command_all(); *it; it++)
            fprintf(out, "%s%s", it == command_all() ? "" : " ", (*it)->name);
        fputs("'\n", out);
        break;
    default:
        break;
    }
}

void completion_bash_command(const struct command *command,
                             const struct option_row *rows,
                             void *file)
{
    FILE *out = file;

    fprintf(out, "    %s)\n        case $before in\n", command->name);
    for (const struct option_row *row = rows; row->name; row++)
        if (row->kind != OPTION_FLAG && option_is_listed(row))
            complete_value(row, out);
    fputs(
        "        esac\n        case $cur in\n        -*)\n            _muster_words '",
        out);
    for (const struct option_row *row = rows; row->name; row++) {
        if (!option_is_listed(row))
            continue;
        fprintf(out, "%s--%s", row == rows ? "" : " ", row->name);
        if (row->letter)
            fprintf(out, " -%c", row->letter);
    }
    fputs("'\n            return ;;\n        esac\n", out);
    if (command->choices) {
        fputs("        if [ \"$COMP_CWORD\" -eq 2 ]; then\n            _muster_words '",
              out);
        for (const char *const *choice = command->choices; *choice; choice++)
            fprintf(out, "%s%s", choice == command->choices ? "" : " ", *choice);
        fputs("'\n            return\n        fi\n", out);
    }
    complete_argument(command, out);
    fputs("        ;;\n", out);
}

void completion_bash_tail(FILE *out)
{
    /* muster-worker completes as `muster worker` does. */
    fputs("    esac\n}\n"
          "_muster_program() {\n"
          "    COMP_WORDS=(muster \"${1##*muster-}\" \"${COMP_WORDS[@]:1}\")\n"
          "    COMP_CWORD=$((COMP_CWORD + 1))\n"
          "    _muster\n"
          "}\n"
          "complete -o filenames -F _muster muster\n"
          "complete -o filenames -F _muster_program muster-worker muster-coordinator\n",
          out);
}
