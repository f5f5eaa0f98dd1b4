#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

static const char *const words[] = {"error", "warning", "info", "debug"};
static const char *name = "muster";
static enum log_level threshold = LOG_INFO;

void log_open(const char *program, enum log_level up_to)
{
    name = program;
    threshold = up_to;
}

bool log_level_parse(const char *word, enum log_level *level)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (strcmp(word, words[i]) == 0) {
            *level = (enum log_level)i;
            return true;
        }
    return false;
}

void log_line(enum log_level level, const char *fmt, ...)
{
    char line[1024], when[32];
    va_list args;

    if (level > threshold)
        return;
    int used = snprintf(line, sizeof(line),
                        "%s %s[%d] %s: ", clock_format(when, clock_wall_ns()), name,
                        (int)getpid(), words[level]);
    va_start(args, fmt);
    vsnprintf(line + used, sizeof(line) - (size_t)used - 1, fmt, args);
    va_end(args);
    size_t length = strlen(line);
    for (size_t i = 0; i < length; i++) /* one event, one line, whatever is in it */
        if ((unsigned char)line[i] < ' ')
            line[i] = ' ';
    line[length++] = '\n';
    /* one write, so that lines of several processes do not mix */
    if (write(STDERR_FILENO, line, length) < 0)
        return; /* nobody is left to tell */
}
