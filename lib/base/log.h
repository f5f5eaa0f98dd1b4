/* log.h - what the top of a program tells its keeper, on stderr
 *
 * A line is a phrase, a colon, and fields that a machine can cut:
 * `lease expired: run=17 host=gpu-04 silent_ms=30012`. Lower floors return errors.
 *
 * The same can be had as an object a line, for whoever collects logs: the phrase is
 * "event", what is cut are "fields"; and for the journal, which knows time, name and
 * number itself, with its own mark of the level in front. */
#ifndef LIB_BASE_LOG_H
#define LIB_BASE_LOG_H

enum log_level {
    LOG_ERROR,   /* someone must act */
    LOG_WARNING, /* someone should look */
    LOG_INFO,    /* a job or a node changed its life */
    LOG_DEBUG,
};

enum log_format { LOG_AS_TEXT, LOG_AS_JSON, LOG_AS_JOURNAL };

/* Their words, for the table of options; ended by NULL. */
extern const char *const log_levels[];
extern const char *const log_formats[];

/* `program` stands at the head of each line; borrowed for ever. */
void log_open(const char *program, enum log_level up_to);
void log_as(enum log_format format);

void log_line(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define log_error(...)   log_line(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_WARNING, __VA_ARGS__)
#define log_info(...)    log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...)   log_line(LOG_DEBUG, __VA_ARGS__)

#endif
