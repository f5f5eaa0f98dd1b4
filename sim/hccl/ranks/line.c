#include "sim/hccl/ranks/line.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLICE_MS 20
#define AT_ONCE  (4u << 20) /* bytes read before other connections are served */
/* A peer whose host is down does not answer. The connection fails after about ten
 * seconds. */
#define SILENCE_MS 10000
#define IDLE_S     4
#define PROBE_S    2
#define PROBES     3

static void set(int fd, int level, int name, int value)
{
    setsockopt(fd, level, name, &value, sizeof(value));
}

void line_init(struct line *line, int fd)
{
    memset(line, 0, sizeof(*line));
    line->fd = fd;
    pthread_mutex_init(&line->sending, NULL);
    if (fd < 0)
        return;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, SILENCE_MS);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_S);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
}

void line_clear(struct line *line)
{
    if (line->fd >= 0)
        close(line->fd);
    line->fd = -1;
    pthread_mutex_destroy(&line->sending);
}

static void pack(unsigned char *head, const struct message *message)
{
    uint32_t words[2] = {htole32(message->kind), htole32(message->more)};
    uint64_t longs[3] = {htole64(message->number), htole64(message->total),
                         htole64(message->bytes)};

    memcpy(head, words, sizeof(words));
    memcpy(head + sizeof(words), longs, sizeof(longs));
}

static void unpack(struct message *message, const unsigned char *head)
{
    uint32_t words[2];
    uint64_t longs[3];

    memcpy(words, head, sizeof(words));
    memcpy(longs, head + sizeof(words), sizeof(longs));
    *message = (struct message){le32toh(words[0]), le32toh(words[1]), le64toh(longs[0]),
                                le64toh(longs[1]), le64toh(longs[2])};
}

/* Removes the sent bytes from the front of the pieces; returns false when nothing is
 * left. */
static bool advance(struct msghdr *out, size_t sent)
{
    while (out->msg_iovlen > 0 && sent >= out->msg_iov->iov_len) {
        sent -= out->msg_iov->iov_len;
        out->msg_iov++;
        out->msg_iovlen--;
    }
    if (out->msg_iovlen == 0)
        return false;
    out->msg_iov->iov_base = (char *)out->msg_iov->iov_base + sent;
    out->msg_iov->iov_len -= sent;
    return true;
}

static int send_all(struct line *line,
                    struct msghdr *out,
                    int flags,
                    const struct wait_check *wait_check)
{
    for (;;) {
        ssize_t sent = sendmsg(line->fd, out, MSG_NOSIGNAL | flags);
        struct pollfd ready = {.fd = line->fd, .events = POLLOUT};
        int error;

        if (sent >= 0 && !advance(out, (size_t)sent))
            return 0;
        if (sent >= 0 || errno == EINTR)
            continue;
        if (errno != EAGAIN)
            return -1;
        if (poll(&ready, 1, SLICE_MS) > 0)
            continue;
        error = wait_check->check(wait_check->arg);
        if (error)
            return error;
    }
}

/* Called locked. Closes the connection after an incomplete message, so that the peer
 * does not read later data as its rest. */
static void close_broken(struct line *line)
{
    line->broken = true;
    shutdown(line->fd, SHUT_RDWR);
}

int line_send(struct line *line,
              const struct message *message,
              const void *body,
              bool followed,
              const struct wait_check *wait_check)
{
    unsigned char head[LINE_HEAD];
    struct iovec pieces[2] = {{head, sizeof(head)}, {(void *)body, message->bytes}};
    struct msghdr out = {.msg_iov = pieces, .msg_iovlen = message->bytes ? 2 : 1};
    int result;

    pack(head, message);
    pthread_mutex_lock(&line->sending);
    if (line->broken) {
        result = -1;
        errno = EPIPE;
    } else {
        result = send_all(line, &out, followed ? MSG_MORE : 0, wait_check);
        if (result) {
            int error = errno;

            close_broken(line);
            errno = error;
        }
    }
    pthread_mutex_unlock(&line->sending);
    return result;
}

void line_try(struct line *line, const struct message *message)
{
    unsigned char head[LINE_HEAD];

    pack(head, message);
    pthread_mutex_lock(&line->sending);
    if (!line->broken &&
        send(line->fd, head, sizeof(head), MSG_NOSIGNAL) != (ssize_t)sizeof(head))
        close_broken(line);
    pthread_mutex_unlock(&line->sending);
}

/* Reads once into the head or the body; returns the result of read(). */
static ssize_t read_some(struct line *line)
{
    ssize_t got;

    if (line->have < LINE_HEAD) {
        got = read(line->fd, line->head + line->have, LINE_HEAD - line->have);
        if (got > 0)
            line->have += (size_t)got;
    } else {
        got = read(line->fd, line->body, line->left);
        if (got > 0) {
            line->body += got;
            line->left -= (uint64_t)got;
        }
    }
    return got;
}

static bool begin_body(struct line *line, const struct line_reader *reader)
{
    unpack(&line->message, line->head);
    line->left = line->message.bytes;
    line->body = NULL;
    if (line->left > 0)
        line->body = reader->place(reader->arg, &line->message);
    return line->left == 0 || line->body;
}

static int protocol_error(void)
{
    errno = EPROTO;
    return -1;
}

int line_receive(struct line *line, const struct line_reader *reader)
{
    size_t total = 0;

    while (total < AT_ONCE) {
        bool had_head = line->have == LINE_HEAD;
        ssize_t got = read_some(line);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno == EAGAIN ? 0 : -1;
        if (got == 0) {
            errno = 0;
            return -1;
        }
        total += (size_t)got;
        if (line->have < LINE_HEAD)
            continue;
        if (!had_head && !begin_body(line, reader))
            return protocol_error();
        if (line->left > 0)
            continue;
        line->have = 0;
        if (!reader->end(reader->arg, &line->message))
            return protocol_error();
    }
    return 0;
}
