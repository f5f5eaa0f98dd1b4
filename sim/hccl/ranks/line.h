/* line.h - one TCP connection between two ranks on different hosts
 *
 * A message is a head and a body; the body is received directly into its destination.
 * Any thread may send, one at a time; one thread receives. A connection that fails in
 * the middle of a message is closed for both sides. */
#ifndef SIM_HCCL_RANKS_LINE_H
#define SIM_HCCL_RANKS_LINE_H

#include <acl/acl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_HEAD 32

struct message {
    uint32_t kind;
    uint32_t more; /* meaning depends on the kind */
    uint64_t number;
    uint64_t total;
    uint64_t bytes; /* of the body */
};

/* Called repeatedly during a wait; a result other than 0 ends the wait. */
struct wait_check {
    aclError (*check)(void *arg);
    void *arg;
};

struct line {
    int fd; /* -1: no connection */
    pthread_mutex_t sending;
    bool broken;
    unsigned char head[LINE_HEAD];
    size_t have; /* received bytes of the head */
    struct message message;
    char *body;
    uint64_t left;
};

/* Handlers of received messages. They return NULL or false for an invalid message. */
struct line_reader {
    char *(*place)(
        void *arg,
        const struct message *message); /* returns the destination of the body */
    bool (*end)(void *arg, const struct message *message);
    void *arg;
};

void line_init(struct line *line, int fd); /* takes over the descriptor */
void line_clear(struct line *line);
/* Sends a message. Returns 0, the result of wait_check, or -1 with errno. `followed`:
 * another message is sent right after it. */
int line_send(struct line *line,
              const struct message *message,
              const void *body,
              bool followed,
              const struct wait_check *wait_check);
/* Sends a message without a body, if the connection accepts it without waiting. */
void line_try(struct line *line, const struct message *message);
/* Reads what has arrived, up to a bound. Returns -1 with errno when the connection
 * ended; errno is 0 after an orderly end. */
int line_receive(struct line *line, const struct line_reader *reader);

#endif
