#include "cli/app/job_template.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"
#include "lib/job/job.h"

static char *const sample_program[] = {"sim/bin/add_custom", "--n", "${n}", NULL};
static char *const sample_args[] = {"in fp32 ${n}", "in fp32 ${n}", "out fp32 ${n}",
                                    "data u32 ${n}", NULL};

/* Writes a comment line when the file has comments. */
static void comment(struct text *out, const struct job_template *job, const char *line)
{
    if (job->commented)
        text_printf(out, "%s\n", line);
}

/* Writes the text as YAML in double quotes, which has the escapes of JSON. A `${` is a
 * plain text unless it makes an axis. */
static void add_quoted(struct text *out, const char *word, bool axes)
{
    struct json_write json;
    struct text plain = {0}, quoted = {0};

    for (const char *at = word; *at; at++) {
        if (!axes && text_has_prefix(at, "${"))
            text_add_char(&plain, '$');
        text_add_char(&plain, *at);
    }
    json_write_to_text(&json, &quoted);
    json_write_text(&json, text_get(&plain));
    text_add(out, text_get(&quoted));
    json_write_clear(&json);
    text_clear(&quoted);
    text_clear(&plain);
}

/* Writes the list of the axes in the words, each with two values: "n: [1024, 2048]". */
static void write_axes(struct text *out, char *const *words)
{
    struct text names = {0}, known = {0};

    for (; *words; words++)
        for (const char *at = *words; (at = strstr(at, "${")); at += 2) {
            int length = (int)strcspn(at + 2, "}");
            struct text key = {0};

            if (at > *words && at[-1] == '$')
                continue;
            text_printf(&key, ",%.*s,", length, at + 2);
            if (!strstr(text_get(&known), text_get(&key)))
                text_printf(&names, "%s%.*s: [65536, 262144]", names.length ? ", " : "",
                            length, at + 2);
            text_add(&known, text_get(&key));
            text_clear(&key);
        }
    if (names.length)
        text_printf(out, "  matrix: {%s}\n", text_get(&names));
    else
        text_add(out, "  # matrix: {n: [65536, 262144]}\n");
    text_clear(&names);
    text_clear(&known);
}

static void write_name(struct text *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    char part[256], name[JOB_NAME_MAX + 1];

    text_to_path_part(part, sizeof(part), slash ? slash + 1 : path);
    part[strcspn(part, ".")] = '\0';
    snprintf(name, sizeof(name), "%.*s", JOB_NAME_MAX, part);
    text_printf(out, "name: %s\n", text_is_path_part(name) ? name : "job");
}

static void
write_operator(struct text *out, const struct job_template *job, char *const *words)
{
    text_add(out, "operator:\n");
    if (job->kernel) {
        comment(out, job,
                "  # A path with a slash is relative to this file. The entry is the\n"
                "  # function in the file (default: the name of the file).");
        text_add(out, "  kernel: ");
        add_quoted(out, job->kernel, job->commented);
        comment(out, job, "\n  # entry: add_custom\n  blocks: 8");
        comment(out, job,
                "  # The parameters of the kernel, in order: in TYPE COUNT, out TYPE "
                "COUNT,\n  # inout TYPE COUNT, data TYPE VALUE..., value TYPE VALUE");
        text_add(out, "  args:\n");
        for (; *words; words++) {
            text_add(out, "    - ");
            add_quoted(out, *words, job->commented);
            text_add_char(out, '\n');
        }
        return;
    }
    comment(
        out, job,
        "  # Program and arguments. ${n} stands for a value of the sweep. A path with\n"
        "  # a slash is relative to this file; a name without one is found in PATH.");
    text_add(out, "  command: [");
    for (size_t i = 0; words[i]; i++) {
        text_add(out, i ? ", " : "");
        add_quoted(out, words[i], job->commented);
    }
    text_add(out, "]\n");
    comment(out, job,
            "  # Where the program runs: the folder of this file. Without this key it\n"
            "  # runs in an empty folder of the worker.");
    text_add(out, "  cwd: ");
    add_quoted(out, job->folder, false);
    text_add_char(out, '\n');
    if (job->ranks > 1 || job->commented)
        text_printf(out, "  ranks: %" PRIu64 "%s\n", job->ranks ? job->ranks : 1,
                    job->commented ? "  # cards of a task, with one process each" : "");
    comment(out, job, "  # env: {NAME: value}");
}

static void write_metrics(struct text *out, const struct job_template *job)
{
    const char *name;
    unsigned bits;

    text_add(out, "profile:\n");
    if (job->commented) {
        size_t column = 0;

        for (size_t i = 0; (name = metric_name(i, &bits)); i++) {
            if (bits & METRIC_SIMULATED)
                continue; /* of another tool */
            if (column == 0 || column + strlen(name) > 78) {
                text_add(out, column ? "\n  #" : "  # Metrics:");
                column = 12;
            }
            text_printf(out, " %s", name);
            column += strlen(name) + 1;
        }
        text_add_char(out, '\n');
    }
    text_printf(out, "  metrics: [%s]\n",
                job->metrics && *job->metrics ? job->metrics : "Default");
    comment(out, job,
            "  # kernel: \"Matmul*\"       # only kernels of these names\n"
            "  # launch: {count: all}    # all launches; the default is the first one\n"
            "  warmup: 5                 # executions before the first measured one");
}

char *job_template_write(const struct job_template *job)
{
    char *const *words = job->words && *job->words ? job->words
                         : job->kernel             ? sample_args
                                                   : sample_program;
    struct text out = {0};

    comment(&out, job,
            "# A job file of muster. docs/user/job-file.md explains all keys.\n"
            "#   muster validate FILE    checks it\n"
            "#   muster expand FILE      prints its points\n"
            "#   muster run FILE         runs it; --hardware uses the real cards");
    text_add(&out, "version: 1\n");
    write_name(&out, job->kernel ? job->kernel : words[0]);
    write_operator(&out, job, words);
    if (job->commented) {
        text_add(&out, "sweep:\n"
                       "  # Each combination of the values is a point.\n");
        write_axes(&out, words);
        text_add(&out, "  repeat: 3                 # measurements of each point\n");
    }
    write_metrics(&out, job);
    comment(&out, job,
            "# cards: {ids: [0, 1]}       # measure each point on each of these cards\n"
            "limits: {time: 10m}         # of a task; then it is stopped");
    return text_take(&out);
}
