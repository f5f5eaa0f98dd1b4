#include "sim/runtime/gate.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct gate) <= GATE_PAGE, "the gate fits in one page");

int gate_create(size_t size, enum gate_kind kind, struct gate **out)
{
    int fd = memfd_create("npu_sim_ipc", MFD_CLOEXEC);

    if (fd < 0)
        return -1;
    *out = MAP_FAILED;
    if (ftruncate(fd, (off_t)(size + GATE_PAGE)) == 0)
        *out =
            mmap(NULL, GATE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)size);
    if (*out == MAP_FAILED) {
        close(fd);
        return -1;
    }
    (*out)->kind = kind;
    (*out)->size = size;
    return fd;
}

void gate_open(struct gate *gate, int fd, uint32_t card, bool any_process, char *key)
{
    gate->card = card;
    gate->any_process = any_process;
    if (getrandom(&gate->nonce, sizeof(gate->nonce), 0) != sizeof(gate->nonce))
        gate->nonce = (uintptr_t)gate;
    __atomic_store_n(&gate->open, 1, __ATOMIC_RELEASE);
    snprintf(key, GATE_KEY_SIZE, "npu_sim-%d-%d-%016" PRIx64, (int)getpid(), fd,
             gate->nonce);
}

bool gate_admit(struct gate *gate, const int32_t *pids, size_t count)
{
    if (count > GATE_PIDS_MAX - gate->pid_count)
        return false;
    memcpy(&gate->pids[gate->pid_count], pids, count * sizeof(*pids));
    __atomic_store_n(&gate->pid_count, gate->pid_count + (uint32_t)count,
                     __ATOMIC_RELEASE);
    return true;
}

void gate_close(struct gate *gate, int fd)
{
    __atomic_store_n(&gate->open, 0, __ATOMIC_RELEASE);
    munmap(gate, GATE_PAGE);
    close(fd);
}

int gate_find(const char *key, enum gate_kind kind, struct gate *out)
{
    struct stat stat;
    uint64_t nonce;
    char path[64];
    int pid, number, fd;

    if (sscanf(key, "npu_sim-%d-%d-%16" SCNx64, &pid, &number, &nonce) != 3)
        return -1;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, number);
    fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_size > GATE_PAGE &&
        pread(fd, out, sizeof(*out), stat.st_size - GATE_PAGE) == sizeof(*out) &&
        out->kind == (uint32_t)kind && out->nonce == nonce && out->open &&
        out->size == (uint64_t)stat.st_size - GATE_PAGE)
        return fd;
    close(fd);
    return -1;
}

bool gate_admits_us(const struct gate *gate)
{
    uint32_t count = __atomic_load_n(&gate->pid_count, __ATOMIC_ACQUIRE);

    if (gate->any_process)
        return true;
    for (uint32_t i = 0; i < count && i < GATE_PIDS_MAX; i++)
        if (gate->pids[i] == (int32_t)getpid())
            return true;
    return false;
}
