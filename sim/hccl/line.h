/* line.h - one connection between two ranks of different hosts
 *
 * Messages are a head and a body that goes straight to its place. Any thread may send,
 * one at a time; one thread receives. A line that failed in the middle of a message is
 * broken and closed for both. */
#ifndef SIM_HCCL_LINE_H
#define SIM_HCCL_LINE_H

#include <acl/acl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_HEAD 32

struct message {
    uint32_t kind;
    uint32_t more; /* of what the kind says */
    uint64_t number;
    uint64_t total;
    uint64_t bytes; /* of the body */
};

/* Asked now and then by who waits; other than 0 ends the wait. */
struct patience {
    aclError (*check)(void *arg);
    void *arg;
};

struct line {
    int fd; /* -1: there is none */
    pthread_mutex_t sending;
    bool broken;
    unsigned char head[LINE_HEAD];
    size_t have; /* bytes of it */
    struct message message;
    char *body;
    uint64_t left;
};

/* What is done with messages; false or NULL where one is not as it should be. */
struct line_reader {
    char *(*place)(void *arg, const struct message *message); /* for its body */
    bool (*end)(void *arg, const struct message *message);
    void *arg;
};

void line_init(struct line *line, int fd); /* takes the descriptor */
void line_clear(struct line *line);
/* 0, what patience said, or -1 with errno. `followed`: another message comes at once.
 */
int line_send(struct line *line,
              const struct message *message,
              const void *body,
              bool followed,
              const struct patience *patience);
/* Sends what has no body if the line takes it now. */
void line_try(struct line *line, const struct message *message);
/* Reads what there is, up to a bound. -1 with errno: it ended, 0 in good order. */
int line_receive(struct line *line, const struct line_reader *reader);

#endif
