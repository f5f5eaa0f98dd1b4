/* viewer_messages.c - a client of the viewer library, for tests
 *
 * usage: viewer_messages [SHOWN=PATH...]
 *
 * Reads one request per line from standard input and writes each message of the viewer
 * as one line. A line that begins with ! is a command: "!session N" continues with
 * session N,
 * "!close N" ends it, "!wait" reads all timelines, "!copy FROM TO" writes the bytes of
 * a file over another file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/viewer/viewer.h"

enum { SESSIONS = 16, FILE_MAX = 1 << 28 };

static struct viewer *viewer;
static struct viewer_session *sessions[SESSIONS];
static int current;

static void print(void *ctx, const char *text, size_t size, bool is_last)
{
    (void)ctx;
    fwrite(text, 1, size, stdout);
    if (is_last)
        fputc('\n', stdout);
    fflush(stdout);
}

static void stop(const char *what)
{
    fprintf(stderr, "viewer_messages: %s\n", what);
    exit(2);
}

static void read_timelines(void)
{
    for (int i = 0; i < SESSIONS; i++)
        while (sessions[i] && viewer_continue(sessions[i], print, NULL))
            continue;
}

/* Overwrites a file in place, so that it stays the same file. */
static void overwrite(const char *from, const char *to)
{
    struct err err;
    size_t size;
    char *bytes;
    int fd;

    if (file_read(&bytes, &size, from, FILE_MAX, &err) < 0)
        stop(err.text);
    fd = open(to, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || fd_write_all(fd, bytes, size) < 0 || close(fd) < 0)
        stop("cannot write");
    free(bytes);
}

static void run_command(char *line)
{
    char from[512], to[512];
    int number;

    if (sscanf(line, "!session %d", &number) == 1 && number >= 0 && number < SESSIONS) {
        current = number;
        if (!sessions[current])
            sessions[current] = viewer_session_create(viewer);
    } else if (sscanf(line, "!close %d", &number) == 1 && number >= 0 &&
               number < SESSIONS) {
        viewer_session_destroy(sessions[number]);
        sessions[number] = NULL;
    } else if (strncmp(line, "!wait", 5) == 0) {
        read_timelines();
    } else if (sscanf(line, "!copy %511s %511s", from, to) == 2) {
        overwrite(from, to);
    } else {
        stop("unknown command");
    }
}

static void set_files(char **args, size_t count)
{
    struct viewer_file *files = xcalloc(count, sizeof(*files));
    struct err err;

    for (size_t i = 0; i < count; i++) {
        char *sign = strchr(args[i], '=');

        if (!sign)
            stop("a file must be SHOWN=PATH");
        *sign = '\0';
        files[i] = (struct viewer_file){args[i], sign + 1};
    }
    if (viewer_set_files(viewer, files, count, &err) < 0)
        stop(err.text);
    free(files);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    viewer = viewer_create();
    set_files(argv + 1, (size_t)argc - 1);
    sessions[0] = viewer_session_create(viewer);
    while ((length = getline(&line, &room, stdin)) > 0) {
        if (line[length - 1] == '\n')
            line[--length] = '\0';
        if (*line == '!') {
            run_command(line);
            continue;
        }
        if (!sessions[current])
            stop("this session is closed");
        viewer_answer(sessions[current], line, (size_t)length, print, NULL);
        while (viewer_is_answering(sessions[current]))
            viewer_continue(sessions[current], print, NULL);
    }
    for (int i = 0; i < SESSIONS; i++)
        viewer_session_destroy(sessions[i]);
    viewer_destroy(viewer);
    free(line);
    return 0;
}
