/* completion_fish.c - writes one `complete` line per option for fish */
#include "cli/shell/completion_internal.h"

void completion_fish_head(FILE *out)
{
    fputs("# completion of muster for fish; made by `muster completion fish`\n"
          "function __muster_jobs\n"
          "    muster list --output csv 2>/dev/null | sed 1d | cut -d, -f2\n"
          "end\n"
          "complete -c muster -f\n",
          out);
    for (const struct command *const *it = command_all(); *it; it++) {
        fprintf(out, "complete -c muster -n __fish_use_subcommand -a %s -d '",
                (*it)->name);
        completion_quoted((*it)->summary, "\\", out);
        fputs("'\n", out);
    }
}

static void begin_line(const struct command *command, FILE *out)
{
    fprintf(out, "complete -c muster -n '__fish_seen_subcommand_from %s'",
            command->name);
}

static void print_option(const struct option_row *row, FILE *out)
{
    fprintf(out, " -l %s", row->name);
    if (row->letter)
        fprintf(out, " -s %c", row->letter);
    switch (completion_value_kind(row)) {
    case COMPLETION_NONE:
        break;
    case COMPLETION_WORDS:
        fputs(" -x -a '", out);
        for (int i = 0; row->choices[i]; i++)
            fprintf(out, "%s%s", i ? " " : "", row->choices[i]);
        fputc('\'', out);
        break;
    case COMPLETION_FILE:
        fputs(" -r -F", out);
        break;
    case COMPLETION_FOLDER:
        fputs(" -x -a '(__fish_complete_directories)'", out);
        break;
    default:
        fputs(" -x", out);
    }
    fputs(" -d '", out);
    completion_quoted(row->help, "\\", out);
    fputs("'\n", out);
}

void completion_fish_command(const struct command *command,
                             const struct option_row *rows,
                             void *file)
{
    FILE *out = file;

    for (; rows->name; rows++) {
        if (!option_is_listed(rows))
            continue;
        begin_line(command, out);
        print_option(rows, out);
    }
    if (command->choices) {
        begin_line(command, out);
        fputs(" -a '", out);
        for (const char *const *choice = command->choices; *choice; choice++)
            fprintf(out, "%s%s", choice == command->choices ? "" : " ", *choice);
        fputs("'\n", out);
    }
    switch (completion_argument_kind(command)) {
    case COMPLETION_FILE:
        begin_line(command, out);
        fputs(" -F\n", out);
        break;
    case COMPLETION_FOLDER:
        begin_line(command, out);
        fputs(" -a '(__fish_complete_directories)'\n", out);
        break;
    case COMPLETION_JOB:
        begin_line(command, out);
        fputs(" -a '(__muster_jobs)'\n", out);
        break;
    case COMPLETION_COMMAND:
        begin_line(command, out);
        fputs(" -a '", out);
        for (const struct command *const *it = command_all(); *it; it++)
            fprintf(out, "%s%s", it == command_all() ? "" : " ", (*it)->name);
        fputs("'\n", out);
        break;
    default:
        break;
    }
}

void completion_fish_tail(FILE *out)
{
    fputs("complete -c muster-worker -w 'muster worker'\n"
          "complete -c muster-coordinator -w 'muster coordinator'\n",
          out);
}
