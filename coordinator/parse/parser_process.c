#include "coordinator/parse/parser_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/spawn.h"
#include "lib/store/captures.h"

enum { ARGUMENTS = 24 };

/* Fills the arguments; the caller frees each of them. */
static void make_arguments(const struct parse_options *options,
                           const struct parse_request *request,
                           char *argv[ARGUMENTS])
{
    static const char *const kind_names[] = {
        [PARSE_RANK] = "rank", [PARSE_MERGE] = "merge", [PARSE_REPORT] = "report"};
    size_t n = 0;

    argv[n++] = xstrdup(options->program);
    argv[n++] = xstrdup(kind_names[request->kind]);
    if (request->kind == PARSE_REPORT) {
        argv[n++] = xstrdup("--store");
        argv[n++] = xstrdup(options->store);
        argv[n++] = xstrdup("--job");
        argv[n++] = xasprintf("%" PRIu64, request->job_id);
    } else {
        char path[4096];

        captures_path(path, sizeof(path), options->store, request->job_id);
        argv[n++] = xstrdup("--capture");
        argv[n++] = xstrdup(path);
        argv[n++] = xstrdup("--run");
        argv[n++] = xasprintf("%" PRIu64, request->run_id);
        argv[n++] = xstrdup(request->kind == PARSE_MERGE ? "--ranks" : "--rank");
        argv[n++] = xasprintf("%" PRIu32, request->rank);
    }
    if (request->kind ==
        PARSE_RANK) { /* only the parse of a rank uses several processors */
        argv[n++] = xstrdup("--jobs");
        argv[n++] = xasprintf("%zu", request->processors);
        if (request->custom_input && *request->custom_input) {
            argv[n++] = xstrdup("--custom-input-text");
            argv[n++] = xstrdup(request->custom_input);
        }
        if (request->is_partial)
            argv[n++] = xstrdup("--complete-only");
        if (request->is_repeated)
            argv[n++] = xstrdup("--stop-when-killed");
    }
    argv[n++] = xstrdup("--out");
    argv[n++] = xstrdup(request->out);
    argv[n++] = xstrdup("--parent");
    argv[n++] = xasprintf("%d", (int)getpid());
    argv[n] = NULL;
}

/* Sets the limits from the parent right after the start, which needs no code between
 * fork and exec. */
static void limit(pid_t pid, const struct parse_options *options)
{
    struct rlimit cpu = {.rlim_cur = options->time_limit_ms / 1000 + 1,
                         .rlim_max = options->time_limit_ms / 1000 + 2};
    struct rlimit memory = {.rlim_cur = options->memory_bytes,
                            .rlim_max = options->memory_bytes};

    prlimit(pid, RLIMIT_CPU, &cpu, NULL);
#if !defined(__SANITIZE_ADDRESS__) /* its shadow memory exceeds any limit */
    if (options->memory_bytes)
        prlimit(pid, RLIMIT_AS, &memory, NULL);
#else
    (void)memory;
#endif
}

static int spawn(pid_t *pid, char *const *argv, int pipe_end)
{
    posix_spawn_file_actions_t actions;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe_end, 1);
    int number = spawn_in_group(pid, argv, &actions);
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

int parser_process_start(pid_t *pid,
                         int *output_fd,
                         const struct parse_options *options,
                         const struct parse_request *request)
{
    char *argv[ARGUMENTS];
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return errno;
    fcntl(ends[1], F_SETFL, 0); /* the end of the child blocks */
    make_arguments(options, request, argv);
    int number = spawn(pid, argv, ends[1]);
    for (size_t i = 0; argv[i]; i++)
        free(argv[i]);
    close(ends[1]);
    if (number) {
        close(ends[0]);
        return number;
    }
    limit(*pid, options);
    *output_fd = ends[0];
    return 0;
}
