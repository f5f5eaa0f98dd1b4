#include "parsers/run/child_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"

enum {
    READ_BYTES = 64 * 1024,
    HEARD_MAX = 64 << 20, /* who says more of one piece is out of its mind */
    NO_PIECE = 0,
};

/* Seen by all: who is where. */
struct child_pool_place {
    _Atomic size_t piece; /* its index + 1; NO_PIECE: between two */
    _Atomic uint64_t since_ms;
    _Atomic uint32_t step;
};

struct board {
    _Atomic size_t next; /* piece that nobody has taken yet */
    struct child_pool_place places[CHILD_POOL_MAX];
};

struct frame { /* in front of what a child says */
    uint64_t index;
    uint64_t size;
    uint32_t is_error; /* then it is the text of an error, and the end */
    uint32_t code;
};

struct member {
    pid_t pid; /* 0: none */
    int fd;
    bool late; /* ended by us: out of time */
    struct text heard;
};

struct answer {
    bool is_there;
    struct text said;
};

struct child_pool {
    const struct child_pool_work *work;
    struct board *board;
    struct member members[CHILD_POOL_MAX];
    struct answer *answers; /* a piece each */
    size_t handed;          /* pieces that the caller has heard of */
    struct err *err;
    bool failed;
};

void child_pool_at(struct child_pool_place *place, uint32_t step)
{
    atomic_store(&place->step, step);
}

size_t child_pool_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > CHILD_POOL_MAX ? CHILD_POOL_MAX : (size_t)count;
}

/* All of it, or this child has nobody to work for. */
static void tell(int fd, const struct frame *frame, const char *bytes)
{
    if (fd_write_all(fd, frame, sizeof(*frame)) < 0 ||
        fd_write_all(fd, bytes, frame->size) < 0)
        _exit(1);
}

static void do_piece(const struct child_pool *crew,
                     size_t index,
                     struct child_pool_place *place,
                     int fd,
                     struct text *said)
{
    struct err err = {0};

    text_reset(said);
    atomic_store(&place->step, 0);
    atomic_store(&place->since_ms, clock_mono_ms());
    atomic_store(&place->piece, index + 1);
    if (crew->work->run(index, place, said, crew->work->arg, &err) < 0) {
        tell(fd,
             &(struct frame){
                 .size = strlen(err.text), .is_error = 1, .code = (uint32_t)err.code},
             err.text);
        _exit(0);
    }
    tell(fd, &(struct frame){.index = index, .size = said->length}, text_get(said));
    atomic_store(&place->piece, NO_PIECE);
}

/* First the piece that was lost, if any, then whatever nobody has taken. */
static void be_member(const struct child_pool *crew, size_t slot, size_t again, int fd)
{
    struct child_pool_place *place = &crew->board->places[slot];
    struct text said = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < CHILD_POOL_MAX; i++)
        if (crew->members[i].pid && i != slot)
            close(crew->members[i].fd);
    if (again != NO_PIECE)
        do_piece(crew, again - 1, place, fd, &said);
    for (;;) {
        size_t index = atomic_fetch_add(&crew->board->next, 1);

        if (index >= crew->work->count)
            _exit(0);
        do_piece(crew, index, place, fd, &said);
    }
}

static int start(struct child_pool *crew, size_t slot, size_t again, struct err *err)
{
    struct member *member = &crew->members[slot];
    pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_errno(err, "a pipe to a child");
    atomic_store(&crew->board->places[slot].piece, again);
    atomic_store(&crew->board->places[slot].since_ms, clock_mono_ms());
    member->pid = fork();
    if (member->pid == 0) {
        close(ends[0]);
        if (getppid() == parent)
            be_member(crew, slot, again, ends[1]);
        _exit(1);
    }
    close(ends[1]);
    if (member->pid < 0) {
        member->pid = 0;
        close(ends[0]);
        return err_errno(err, "starting a child");
    }
    member->fd = ends[0];
    member->late = false;
    return 0;
}

static void fail(struct child_pool *crew, const struct err *err)
{
    if (!crew->failed)
        *crew->err = *err;
    crew->failed = true;
}

/* In order: as far as all are there. */
static void hand_over(struct child_pool *crew)
{
    for (; crew->handed < crew->work->count && crew->answers[crew->handed].is_there;
         crew->handed++) {
        struct text *said = &crew->answers[crew->handed].said;

        crew->work->said(crew->handed, text_get(said), said->length, crew->work->arg);
        text_clear(said);
    }
}

static void
take_error(struct child_pool *crew, const struct frame *frame, const char *text)
{
    struct err err;

    err_set(&err, (enum err_code)frame->code, "%.*s", (int)frame->size, text);
    fail(crew, &err);
}

/* Every whole answer in what was heard. */
static void take_answers(struct child_pool *crew, struct member *member)
{
    size_t at = 0;

    while (member->heard.length - at >= sizeof(struct frame)) {
        struct frame frame;
        const char *bytes = member->heard.bytes + at + sizeof(frame);

        memcpy(&frame, member->heard.bytes + at, sizeof(frame));
        if (member->heard.length - at - sizeof(frame) < frame.size)
            break;
        if (frame.is_error) {
            take_error(crew, &frame, bytes);
        } else if (frame.index < crew->work->count) {
            text_add_bytes(&crew->answers[frame.index].said, bytes, frame.size);
            crew->answers[frame.index].is_there = true;
        }
        at += sizeof(frame) + frame.size;
    }
    memmove(member->heard.bytes, member->heard.bytes + at, member->heard.length - at);
    member->heard.length -= at;
}

static void why_lost(char out[64], const struct member *member, int status)
{
    if (member->late)
        snprintf(out, 64, "out of time");
    else if (WIFSIGNALED(status))
        snprintf(out, 64, "signal %d", WTERMSIG(status));
    else
        snprintf(out, 64, "exit code %d", WEXITSTATUS(status));
}

/* The child is gone. What it was at is lost, unless it had said all of it. */
static void bury(struct child_pool *crew, size_t slot)
{
    struct member *member = &crew->members[slot];
    struct child_pool_place *place = &crew->board->places[slot];
    size_t piece = atomic_load(&place->piece);
    size_t again = NO_PIECE;
    char why[64];
    struct err err;
    int status = 0;

    while (waitpid(member->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(member->fd);
    member->pid = 0;
    text_clear(&member->heard);
    if (crew->failed)
        return;
    if (piece != NO_PIECE && !crew->answers[piece - 1].is_there) {
        why_lost(why, member, status);
        if (crew->work->lost(piece - 1, atomic_load(&place->step), why,
                             &crew->answers[piece - 1].said, crew->work->arg))
            again = piece;
        else
            crew->answers[piece - 1].is_there = true;
    }
    if ((again != NO_PIECE || atomic_load(&crew->board->next) < crew->work->count) &&
        start(crew, slot, again, &err) < 0)
        fail(crew, &err);
}

static void hear(struct child_pool *crew, size_t slot)
{
    struct member *member = &crew->members[slot];
    ssize_t got =
        read(member->fd, text_reserve(&member->heard, READ_BYTES), READ_BYTES);

    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0) {
        bury(crew, slot);
        return;
    }
    member->heard.length += (size_t)got;
    take_answers(crew, member);
    if (member->heard.length > HEARD_MAX)
        kill(member->pid, SIGKILL);
}

/* Ends who is at one piece for too long; until when the others may take. */
static int look_at_clock(struct child_pool *crew)
{
    uint64_t now = clock_mono_ms(), limit = crew->work->limit_ms;
    uint64_t wait = INT32_MAX;

    if (!limit)
        return -1;
    for (size_t i = 0; i < CHILD_POOL_MAX; i++) {
        struct member *member = &crew->members[i];
        struct child_pool_place *place = &crew->board->places[i];
        uint64_t since = atomic_load(&place->since_ms);
        uint64_t spent = now > since ? now - since : 0;

        if (!member->pid)
            continue;
        if (atomic_load(&place->piece) == NO_PIECE)
            spent = 0;
        if (spent >= limit && !member->late) {
            member->late = true;
            kill(member->pid, SIGKILL);
        } else if (!member->late && limit - spent < wait) {
            wait = limit - spent;
        }
    }
    return (int)wait;
}

static size_t
list_members(const struct child_pool *crew, struct pollfd *list, size_t *slots)
{
    size_t count = 0;

    for (size_t i = 0; i < CHILD_POOL_MAX; i++)
        if (crew->members[i].pid) {
            list[count] = (struct pollfd){crew->members[i].fd, POLLIN, 0};
            slots[count++] = i;
        }
    return count;
}

static void listen_to_all(struct child_pool *crew)
{
    struct pollfd list[CHILD_POOL_MAX];
    size_t slots[CHILD_POOL_MAX], count;

    while ((count = list_members(crew, list, slots))) {
        if (crew->failed)
            for (size_t i = 0; i < count; i++)
                kill(crew->members[slots[i]].pid, SIGKILL);
        if (poll(list, count, look_at_clock(crew)) < 0)
            continue; /* interrupted */
        for (size_t i = 0; i < count; i++)
            if (list[i].revents)
                hear(crew, slots[i]);
        hand_over(crew);
    }
}

int child_pool_run(const struct child_pool_work *work, struct err *err)
{
    struct child_pool crew = {.work = work, .err = err};
    size_t most = work->parallel < 1                ? 1
                  : work->parallel > CHILD_POOL_MAX ? CHILD_POOL_MAX
                                                    : work->parallel;
    struct err problem;

    if (!work->count)
        return 0;
    crew.board = mmap(NULL, sizeof(*crew.board), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (crew.board == MAP_FAILED)
        return err_errno(err, "memory that children share");
    crew.answers = xcalloc(work->count, sizeof(*crew.answers));
    for (size_t i = 0; i < most && i < work->count; i++)
        if (start(&crew, i, NO_PIECE, &problem) < 0) {
            if (i == 0)
                fail(&crew, &problem);
            break; /* fewer do it, too */
        }
    listen_to_all(&crew);
    /* one that was taken by a child that died before it could say so */
    while (!crew.failed && crew.handed < work->count) {
        if (start(&crew, 0, crew.handed + 1, &problem) < 0)
            fail(&crew, &problem);
        listen_to_all(&crew);
    }
    munmap(crew.board, sizeof(*crew.board));
    for (size_t i = 0; i < work->count; i++)
        text_clear(&crew.answers[i].said);
    free(crew.answers);
    return crew.failed ? -1 : 0;
}
