/* init.c - writes a job file for a program or a kernel file */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "cli/app/job_template.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

const struct command command_init;

static int write_file(const char *path, const char *yaml, struct err *err)
{
    FILE *file = fopen(path, "wx");

    if (!file && errno == EEXIST)
        return err_set(err, ERR_INPUT,
                       "%s exists and is not replaced; name another file with --to",
                       path);
    if (!file)
        return err_errno(err, "creating %s", path);
    bool written = fputs(yaml, file) >= 0;
    if (fclose(file) != 0 || !written) {
        err_errno(err, "writing %s", path);
        unlink(path);
        return -1;
    }
    return 0;
}

/* A relative path in a job file starts at the folder of the file, so a file in another
 * folder needs the absolute path. The caller frees it. */
static char *path_for(const char *file, const char *path)
{
    char *absolute =
        strchr(file, '/') && strchr(path, '/') ? realpath(path, NULL) : NULL;

    return absolute ? absolute : xstrdup(path);
}

static int init(const struct job_template *job, const char *path, struct err *err)
{
    struct job_file checked = {0};
    char *yaml = job_template_write(job);
    int result = job_file_from_text(&checked, yaml, path, err);

    job_file_clear(&checked);
    if (result == 0)
        result = write_file(path, yaml, err);
    free(yaml);
    if (result < 0)
        return -1;
    puts(path);
    if (job->kernel && !(job->words && *job->words))
        fprintf(stderr,
                "muster init: replace args in %s by the parameters of the kernel\n",
                path);
    fprintf(stderr, "next: muster validate %s; muster run %s\n", path, path);
    return EXIT_GOOD;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    struct job_template job = {.folder = ".", .commented = true, .ranks = 1};
    const char *path = "job.yaml";
    char **args;
    const struct option_row rows[] = {
        {"kernel", 'k', OPTION_TEXT, &job.kernel, "FILE",
         "Kernel file to run instead of a program; the arguments are its parameters "
         "(default: a program)",
         NULL},
        {"to", 0, OPTION_TEXT, &path, "FILE", "File to write (default: job.yaml)",
         NULL},
        {"metrics", 'm', OPTION_TEXT, &job.metrics, "LIST",
         "Metrics to measure, divided by commas (default: Default)", NULL},
        {"ranks", 0, OPTION_COUNT, &job.ranks, "N",
         "Cards of a task, with one process each (default: 1)", NULL},
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_init, rows, &options, argc, argv, &args,
                                       0, SIZE_MAX, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (*args && !job.kernel && text_has_suffix(*args, ".o"))
        return err_set(err, ERR_INPUT,
                       "%s is a kernel file; pass --kernel %s and its parameters, such "
                       "as 'in fp32 ${n}'",
                       *args, *args);
    char *program = path_for(path, *args ? *args : "");
    char *kernel = job.kernel ? path_for(path, job.kernel) : NULL;
    if (*args && !kernel)
        *args = program;
    job.words = args;
    job.kernel = kernel;
    int result = init(&job, path, err);
    free(program);
    free(kernel);
    return result;
}

const struct command command_init = {
    .name = "init",
    .args = "[OPTIONS] [-- PROGRAM [ARGS...]]",
    .summary = "Write a job file with comments for a program or a kernel file",
    .details = "A word with ${n} makes n an axis of the sweep. Without a program the "
               "file runs\n"
               "a sample of the simulated NPU. An existing file is not replaced.\n\n"
               "  muster init -- ./matmul --m '${m}' --k 512\n"
               "  muster init --kernel add.o 'in fp32 ${n}' 'out fp32 ${n}'\n"
               "  muster init --ranks 4 --to gang.yaml -- ./all_reduce",
    .run = run,
};
