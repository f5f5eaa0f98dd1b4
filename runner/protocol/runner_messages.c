#include "runner/protocol/runner_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/mem.h"

enum { MAGIC = 0x4e55524d /* "MRUN" */, TYPE_POINT = 1, TYPE_END = 2 };

struct head {
    uint32_t magic;
    uint16_t type;
    uint16_t count; /* words, without the folder before them */
    uint64_t number;
    int64_t exit_code;
    uint64_t left_bytes, began_wall_ns, ended_wall_ns;
    uint32_t damaged;
    uint32_t bytes; /* size of folder and words, each with its NUL */
};

struct runner_messages {
    int fd;
    const char *words[RUNNER_MESSAGES_WORDS_MAX + 1];
    union {
        struct head head;
        char bytes[RUNNER_MESSAGES_BYTES_MAX + 1];
    } in, out;
};

union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int runner_messages_pair(int ends[2], struct err *err)
{
    const int room = 2 * RUNNER_MESSAGES_BYTES_MAX;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_errno(err, "creating a socket for the runner");
    for (int i = 0; i < 2; i++)
        setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    return 0;
}

struct runner_messages *runner_messages_open(int fd)
{
    struct runner_messages *messages = xcalloc(1, sizeof(*messages));

    messages->fd = fd;
    return messages;
}

void runner_messages_close(struct runner_messages *messages)
{
    if (!messages)
        return;
    close(messages->fd);
    free(messages);
}

int runner_messages_fd(const struct runner_messages *messages)
{
    return messages->fd;
}

/* Sends a message. Returns 1, 0 when the socket is full and `flags` forbid to wait, or
 * -1. */
static int send_message(struct runner_messages *messages,
                        const void *bytes,
                        size_t size,
                        int inject_fd,
                        int flags,
                        struct err *err)
{
    union control control = {0};
    struct iovec piece = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    ssize_t sent;

    if (inject_fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.head), &inject_fd, sizeof(int));
    }
    sent = sendmsg(messages->fd, &message, flags | MSG_NOSIGNAL);
    if (sent < 0 && flags && (errno == EAGAIN || errno == ENOBUFS))
        return 0;
    return sent == (ssize_t)size
               ? 1
               : err_errno(err, "sending a message between worker and runner");
}

static bool put(char *bytes, size_t *at, const char *word)
{
    size_t size = strlen(word) + 1;

    if (size > RUNNER_MESSAGES_BYTES_MAX - *at)
        return false;
    memcpy(bytes + *at, word, size);
    *at += size;
    return true;
}

static int pack_and_send_point(struct runner_messages *messages,
                               const struct runner_messages_point *point,
                               int flags,
                               struct err *err)
{
    struct head *head = &messages->out.head;
    size_t at = sizeof(*head);
    bool fits = point->count <= RUNNER_MESSAGES_WORDS_MAX &&
                put(messages->out.bytes, &at, point->cwd);

    for (size_t i = 0; fits && i < point->count; i++)
        fits = put(messages->out.bytes, &at, point->words[i]);
    if (!fits)
        return err_set(err, ERR_LIMIT,
                       "the words of the operator exceed %d bytes or %d words; "
                       "shorten args in the job file",
                       RUNNER_MESSAGES_BYTES_MAX, RUNNER_MESSAGES_WORDS_MAX);
    *head = (struct head){.magic = MAGIC,
                          .type = TYPE_POINT,
                          .count = (uint16_t)point->count,
                          .number = point->number,
                          .bytes = (uint32_t)(at - sizeof(*head))};
    return send_message(messages, messages->out.bytes, at, point->inject_fd, flags,
                        err);
}

int runner_messages_send_point(struct runner_messages *messages,
                               const struct runner_messages_point *point,
                               struct err *err)
{
    return pack_and_send_point(messages, point, 0, err) < 0 ? -1 : 0;
}

int runner_messages_try_send_point(struct runner_messages *messages,
                                   const struct runner_messages_point *point,
                                   struct err *err)
{
    return pack_and_send_point(messages, point, MSG_DONTWAIT, err);
}

static uint64_t number_of_next(int runner_fd, int flags)
{
    struct head head;
    ssize_t size;

    do
        size = recv(runner_fd, &head, sizeof(head), flags | MSG_DONTWAIT);
    while (size < 0 && errno == EINTR);
    return size == sizeof(head) && head.magic == MAGIC ? head.number : 0;
}

/* The runner can read a point between the two calls, but then it reads the first one,
 * which is not `keep`. */
uint64_t runner_messages_recall(int runner_fd, uint64_t keep)
{
    uint64_t next = number_of_next(runner_fd, MSG_PEEK);

    return next == 0 || next == keep ? 0 : number_of_next(runner_fd, 0);
}

int runner_messages_send_end(struct runner_messages *messages,
                             const struct runner_messages_end *end,
                             struct err *err)
{
    const struct head head = {.magic = MAGIC,
                              .type = TYPE_END,
                              .number = end->number,
                              .exit_code = end->exit_code,
                              .left_bytes = end->left_bytes,
                              .damaged = end->damaged,
                              .began_wall_ns = end->began_wall_ns,
                              .ended_wall_ns = end->ended_wall_ns};

    return send_message(messages, &head, sizeof(head), -1, 0, err) < 0 ? -1 : 0;
}

/* Receives a message. Returns its size, 0 at the end or for an oversized one, -1 with
 * errno. */
static ssize_t receive(struct runner_messages *messages, int flags, int *fd)
{
    union control control = {0};
    struct iovec piece = {messages->in.bytes, RUNNER_MESSAGES_BYTES_MAX};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    ssize_t size;

    *fd = -1;
    do
        size = recvmsg(messages->fd, &message, flags | MSG_CMSG_CLOEXEC);
    while (size < 0 && errno == EINTR);
    if (size <= 0)
        return size;
    if (message.msg_controllen >= CMSG_LEN(sizeof(int)) &&
        control.head.cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(&control.head), sizeof(int));
    messages->in.bytes[size] = '\0';
    return message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? 0 : size;
}

static bool is_head(const struct runner_messages *messages, ssize_t size, uint16_t type)
{
    const struct head *head = &messages->in.head;

    return size >= (ssize_t)sizeof(*head) && head->magic == MAGIC &&
           head->type == type && head->bytes == (size_t)size - sizeof(*head);
}

/* Splits the bytes into the folder and the announced number of words. Returns false
 * when they do not match or the last word is not terminated. */
static bool split_words(struct runner_messages *messages,
                        struct runner_messages_point *point)
{
    const struct head *head = &messages->in.head;
    const char *at = messages->in.bytes + sizeof(*head), *end = at + head->bytes;

    if (head->count == 0 || head->count > RUNNER_MESSAGES_WORDS_MAX || at == end ||
        end[-1])
        return false;
    point->cwd = at;
    at += strlen(at) + 1;
    for (point->count = 0; at < end && point->count < head->count;) {
        messages->words[point->count++] = at;
        at += strlen(at) + 1;
    }
    messages->words[point->count] = NULL;
    point->words = messages->words;
    return at == end && point->count == head->count;
}

bool runner_messages_receive_point(struct runner_messages *messages,
                                   struct runner_messages_point *point)
{
    ssize_t size = receive(messages, 0, &point->inject_fd);

    if (is_head(messages, size, TYPE_POINT) && split_words(messages, point)) {
        point->number = messages->in.head.number;
        return true;
    }
    if (point->inject_fd >= 0)
        close(point->inject_fd);
    return false;
}

int runner_messages_receive_end(struct runner_messages *messages,
                                struct runner_messages_end *end)
{
    const struct head *head = &messages->in.head;
    int fd;
    ssize_t size = receive(messages, MSG_DONTWAIT, &fd);

    if (fd >= 0)
        close(fd); /* END carries no descriptor */
    if (size < 0 && errno == EAGAIN)
        return 0;
    if (!is_head(messages, size, TYPE_END))
        return -1;
    *end = (struct runner_messages_end){.number = head->number,
                                        .exit_code = head->exit_code,
                                        .left_bytes = head->left_bytes,
                                        .damaged = head->damaged != 0,
                                        .began_wall_ns = head->began_wall_ns,
                                        .ended_wall_ns = head->ended_wall_ns};
    return 1;
}
