#include "runner/protocol/runner_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/mem.h"

enum { MAGIC = 0x4e55524d /* "MRUN" */, SAYS_POINT = 1, SAYS_OVER = 2 };

struct head {
    uint32_t magic;
    uint16_t says;
    uint16_t count; /* of words, the folder before them not counted */
    uint64_t number;
    int64_t exit_code;
    uint64_t left_bytes, began_wall_ns, ended_wall_ns;
    uint32_t spoilt;
    uint32_t bytes; /* of the words, each with its NUL */
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
        return err_errno(err, "a socket for the runner");
    for (int i = 0; i < 2; i++)
        setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    return 0;
}

struct runner_messages *runner_messages_open(int fd)
{
    struct runner_messages *talk = xcalloc(1, sizeof(*talk));

    talk->fd = fd;
    return talk;
}

void runner_messages_close(struct runner_messages *talk)
{
    if (!talk)
        return;
    close(talk->fd);
    free(talk);
}

int runner_messages_fd(const struct runner_messages *talk)
{
    return talk->fd;
}

/* 1, 0 when there is no room and `flags` say not to wait for it, -1. */
static int say(struct runner_messages *talk,
               const void *bytes,
               size_t size,
               int their_end,
               int flags,
               struct err *err)
{
    union control control = {0};
    struct iovec piece = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    ssize_t said;

    if (their_end >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.head), &their_end, sizeof(int));
    }
    said = sendmsg(talk->fd, &message, flags | MSG_NOSIGNAL);
    if (said < 0 && flags && (errno == EAGAIN || errno == ENOBUFS))
        return 0;
    return said == (ssize_t)size ? 1 : err_errno(err, "talking to the other side");
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

static int say_point(struct runner_messages *talk,
                     const struct runner_messages_point *point,
                     int flags,
                     struct err *err)
{
    struct head *head = &talk->out.head;
    size_t at = sizeof(*head);
    bool fits = point->count <= RUNNER_MESSAGES_WORDS_MAX &&
                put(talk->out.bytes, &at, point->cwd);

    for (size_t i = 0; fits && i < point->count; i++)
        fits = put(talk->out.bytes, &at, point->words[i]);
    if (!fits)
        return err_set(err, ERR_LIMIT,
                       "the operator's words take more than %d bytes, or are more "
                       "than %d",
                       RUNNER_MESSAGES_BYTES_MAX, RUNNER_MESSAGES_WORDS_MAX);
    *head = (struct head){.magic = MAGIC,
                          .says = SAYS_POINT,
                          .count = (uint16_t)point->count,
                          .number = point->number,
                          .bytes = (uint32_t)(at - sizeof(*head))};
    return say(talk, talk->out.bytes, at, point->their_end, flags, err);
}

int runner_messages_say_point(struct runner_messages *talk,
                              const struct runner_messages_point *point,
                              struct err *err)
{
    return say_point(talk, point, 0, err) < 0 ? -1 : 0;
}

int runner_messages_try_point(struct runner_messages *talk,
                              const struct runner_messages_point *point,
                              struct err *err)
{
    return say_point(talk, point, MSG_DONTWAIT, err);
}

static uint64_t number_of_next(int their_end, int flags)
{
    struct head head;
    ssize_t size;

    do
        size = recv(their_end, &head, sizeof(head), flags | MSG_DONTWAIT);
    while (size < 0 && errno == EINTR);
    return size == sizeof(head) && head.magic == MAGIC ? head.number : 0;
}

/* Whatever the runner takes between the two looks, it is not `but`. */
uint64_t runner_messages_take_back(int their_end, uint64_t but)
{
    uint64_t next = number_of_next(their_end, MSG_PEEK);

    return next == 0 || next == but ? 0 : number_of_next(their_end, 0);
}

int runner_messages_say_over(struct runner_messages *talk,
                             const struct runner_messages_over *over,
                             struct err *err)
{
    const struct head head = {.magic = MAGIC,
                              .says = SAYS_OVER,
                              .number = over->number,
                              .exit_code = over->exit_code,
                              .left_bytes = over->left_bytes,
                              .spoilt = over->spoilt,
                              .began_wall_ns = over->began_wall_ns,
                              .ended_wall_ns = over->ended_wall_ns};

    return say(talk, &head, sizeof(head), -1, 0, err) < 0 ? -1 : 0;
}

/* The size, 0 at the end, -1 with errno. */
static ssize_t hear(struct runner_messages *talk, int flags, int *fd)
{
    union control control = {0};
    struct iovec piece = {talk->in.bytes, RUNNER_MESSAGES_BYTES_MAX};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    ssize_t size;

    *fd = -1;
    do
        size = recvmsg(talk->fd, &message, flags | MSG_CMSG_CLOEXEC);
    while (size < 0 && errno == EINTR);
    if (size <= 0)
        return size;
    if (message.msg_controllen >= CMSG_LEN(sizeof(int)) &&
        control.head.cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(&control.head), sizeof(int));
    talk->in.bytes[size] = '\0';
    return message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? 0 : size;
}

static bool is_head(const struct runner_messages *talk, ssize_t size, uint16_t says)
{
    const struct head *head = &talk->in.head;

    return size >= (ssize_t)sizeof(*head) && head->magic == MAGIC &&
           head->says == says && head->bytes == (size_t)size - sizeof(*head);
}

/* The folder and exactly so many words, the last one ended. */
static bool cut_words(struct runner_messages *talk, struct runner_messages_point *point)
{
    const struct head *head = &talk->in.head;
    const char *at = talk->in.bytes + sizeof(*head), *end = at + head->bytes;

    if (head->count == 0 || head->count > RUNNER_MESSAGES_WORDS_MAX || at == end ||
        end[-1])
        return false;
    point->cwd = at;
    at += strlen(at) + 1;
    for (point->count = 0; at < end && point->count < head->count;) {
        talk->words[point->count++] = at;
        at += strlen(at) + 1;
    }
    talk->words[point->count] = NULL;
    point->words = talk->words;
    return at == end && point->count == head->count;
}

bool runner_messages_hear_point(struct runner_messages *talk,
                                struct runner_messages_point *point)
{
    ssize_t size = hear(talk, 0, &point->their_end);

    if (is_head(talk, size, SAYS_POINT) && cut_words(talk, point)) {
        point->number = talk->in.head.number;
        return true;
    }
    if (point->their_end >= 0)
        close(point->their_end);
    return false;
}

int runner_messages_hear_over(struct runner_messages *talk,
                              struct runner_messages_over *over)
{
    const struct head *head = &talk->in.head;
    int fd;
    ssize_t size = hear(talk, MSG_DONTWAIT, &fd);

    if (fd >= 0)
        close(fd); /* nobody asked for one */
    if (size < 0 && errno == EAGAIN)
        return 0;
    if (!is_head(talk, size, SAYS_OVER))
        return -1;
    *over = (struct runner_messages_over){.number = head->number,
                                          .exit_code = head->exit_code,
                                          .left_bytes = head->left_bytes,
                                          .spoilt = head->spoilt != 0,
                                          .began_wall_ns = head->began_wall_ns,
                                          .ended_wall_ns = head->ended_wall_ns};
    return 1;
}
