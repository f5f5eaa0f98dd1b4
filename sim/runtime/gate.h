/* gate.h - shares pages of a memory file with other processes, and controls the access
 *
 * A key contains the exporting process and its descriptor of the file. The file has no
 * name in the file system, so nothing remains after a crash. The last page of the file
 * is the gate: the data that controls the access. */
#ifndef SIM_RUNTIME_GATE_H
#define SIM_RUNTIME_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GATE_PAGE     4096u
#define GATE_KEY_SIZE 65
#define GATE_PIDS_MAX 256

enum gate_kind { GATE_MEMORY = 0x49504331, GATE_NOTIFY = 0x49504e31 };

struct gate {
    uint32_t kind;
    uint32_t card;
    uint64_t nonce;
    uint64_t size; /* bytes of the pages before the gate */
    uint32_t open; /* 0: the key was closed */
    uint32_t any_process;
    uint32_t pid_count;
    int32_t pids[GATE_PIDS_MAX];
};

/* Creates a file of `size` bytes, in whole pages, with a closed gate after them.
 * Returns its descriptor, or -1. */
int gate_create(size_t size, enum gate_kind kind, struct gate **out);
/* Opens the gate and writes the key, GATE_KEY_SIZE bytes. any_process: every process
 * with the key may map the pages. */
void gate_open(struct gate *gate, int fd, uint32_t card, bool any_process, char *key);
bool gate_admit(struct gate *gate,
                const int32_t *pids,
                size_t count); /* false: the list of processes is full */
/* Refuses new mappings of the pages. Existing mappings stay valid. */
void gate_close(struct gate *gate, int fd);

/* Opens the file of a key and copies its gate. Returns -1 when the key has another kind
 * or its process has ended. */
int gate_find(const char *key, enum gate_kind kind, struct gate *out);
bool gate_admits_us(const struct gate *gate);

#endif
