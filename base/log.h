/* log.h - what the top of a program tells its keeper, on stderr
 *
 * A line is a phrase, a colon, and fields that a machine can cut:
 * `lease expired: run=17 host=gpu-04 silent_ms=30012`. Lower floors return errors. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

enum log_level {
    LOG_ERROR,   /* someone must act */
    LOG_WARNING, /* someone should look */
    LOG_INFO,    /* a job or a node changed its life */
    LOG_DEBUG,
};

/* `program` stands at the head of each line; borrowed for ever. */
void log_open(const char *program, enum log_level up_to);
bool log_level_parse(const char *word, enum log_level *level);

void log_line(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define log_error(...)   log_line(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_WARNING, __VA_ARGS__)
#define log_info(...)    log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...)   log_line(LOG_DEBUG, __VA_ARGS__)

#endif
