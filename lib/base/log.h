/* log.h - log lines on standard error
 *
 * A line is an event, a colon and fields that a program can split:
 * `lease expired: run=17 host=gpu-04 silent_ms=30012`. Lower levels do not log; they
 * return errors.
 *
 * LOG_AS_JSON writes one object per line, with "event" and "fields", for log
 * collectors. LOG_AS_JOURNAL writes the level in the form of systemd's journal, which
 * adds time and program itself. */
#ifndef LIB_BASE_LOG_H
#define LIB_BASE_LOG_H

enum log_level {
    LOG_ERROR,   /* an administrator must act */
    LOG_WARNING, /* an administrator should look */
    LOG_INFO,    /* a job or a card changed its state */
    LOG_DEBUG,
};

enum log_format { LOG_AS_TEXT, LOG_AS_JSON, LOG_AS_JOURNAL };

/* Names of the values above, for option tables; ended by NULL. */
extern const char *const log_levels[];
extern const char *const log_formats[];

/* Each line begins with `program`, which must stay valid. */
void log_open(const char *program, enum log_level up_to);
void log_as(enum log_format format);

void log_line(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define log_error(...)   log_line(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_WARNING, __VA_ARGS__)
#define log_info(...)    log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...)   log_line(LOG_DEBUG, __VA_ARGS__)

#endif
