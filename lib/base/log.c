#include "lib/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"

const char *const log_levels[] = {"error", "warning", "info", "debug", NULL};
const char *const log_formats[] = {"text", "json", "journal", NULL};

static const char *name = "muster";
static enum log_level threshold = LOG_INFO;
static enum log_format form = LOG_AS_TEXT;

void log_open(const char *program, enum log_level up_to)
{
    name = program;
    threshold = up_to;
}

void log_as(enum log_format format)
{
    form = format;
}

/* Writes a line with one call, so that lines of several processes do not mix. */
static void put(const char *line, size_t length)
{
    if (write(STDERR_FILENO, line, length) < 0)
        return; /* standard error is closed; there is no other place to report it */
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Returns the length of a key at the start of a word that begins with `key=`, or 0. */
static size_t key_length(const char *word)
{
    size_t length = 0;

    while (is_name(word[length]))
        length++;
    return word[length] == '=' ? length : 0;
}

/* Returns the end of the value: before the next key, or before text after a colon. */
static const char *value_end(const char *value)
{
    for (const char *at = value; *at; at++) {
        if (*at == ' ' && key_length(at + 1))
            return at;
        if (*at == ':' && at[1] == ' ')
            return at;
    }
    return value + strlen(value);
}

/* Writes `event: key=value key=value: text`; all parts but the event are optional. */
static void write_fields(struct json_write *json, const char *message)
{
    const char *at = strstr(message, ": ");

    json_write_key(json, "event");
    json_write_bytes(json, message, at ? (size_t)(at - message) : strlen(message));
    at = at ? at + 2 : "";
    json_write_key(json, "fields");
    json_write_object(json);
    for (size_t length; (length = key_length(at));) {
        const char *value = at + length + 1, *end = value_end(value);

        json_write_key_bytes(json, at, length);
        json_write_bytes(json, value, (size_t)(end - value));
        at = end + (*end == ':') + (*end != '\0');
    }
    json_write_object_end(json);
    if (*at) {
        json_write_key(json, "text");
        json_write_text(json, at);
    }
}

static void put_json(enum log_level level, const char *message)
{
    struct text line = {0};
    struct json_write json = {0};
    char when[32];

    json_write_to_text(&json, &line);
    json_write_object(&json);
    json_write_key(&json, "time");
    json_write_text(&json, clock_format(when, clock_wall_ns()));
    json_write_key(&json, "level");
    json_write_text(&json, log_levels[level]);
    json_write_key(&json, "program");
    json_write_text(&json, name);
    json_write_key(&json, "pid");
    json_write_i64(&json, getpid());
    write_fields(&json, message);
    json_write_object_end(&json);
    json_write_clear(&json);
    text_add_char(&line, '\n');
    put(line.bytes, line.length);
    text_clear(&line);
}

void log_line(enum log_level level, const char *fmt, ...)
{
    static const int journal[] = {3, 4, 6, 7}; /* levels of syslog */
    char line[1024], when[32];
    va_list args;
    int used = 0;

    if (level > threshold)
        return;
    if (form == LOG_AS_TEXT)
        used = snprintf(line, sizeof(line),
                        "%s %s[%d] %s: ", clock_format(when, clock_wall_ns()), name,
                        (int)getpid(), log_levels[level]);
    if (form == LOG_AS_JOURNAL)
        used = snprintf(line, sizeof(line), "<%d>", journal[level]);
    va_start(args, fmt);
    vsnprintf(line + used, sizeof(line) - (size_t)used - 1, fmt, args);
    va_end(args);
    size_t length = strlen(line);
    for (size_t i = 0; i < length; i++) /* one event is one line */
        if ((unsigned char)line[i] < ' ')
            line[i] = ' ';
    if (form == LOG_AS_JSON) {
        put_json(level, line);
        return;
    }
    line[length++] = '\n';
    put(line, length);
}
