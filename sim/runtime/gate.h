/* gate.h - what one process shows another: pages of a memory file, and who may map them
 *
 * A key names the process that shows them and its descriptor of the file, so nothing
 * has a name that could stay behind. The file's last page is the gate. */
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
    uint64_t size; /* of the pages before it */
    uint32_t open; /* 0: the key was closed */
    uint32_t anybody;
    uint32_t pid_count;
    int32_t pids[GATE_PIDS_MAX];
};

/* A file of that many bytes, whole pages, and a gate behind them that nobody can enter
 * yet. -1 when there is none to be had. */
int gate_create(size_t size, enum gate_kind kind, struct gate **out);
/* From now on the key, of GATE_KEY_SIZE bytes, leads in. */
void gate_open(struct gate *gate, int fd, uint32_t card, bool anybody, char *key);
bool gate_admit(struct gate *gate, const int32_t *pids, size_t count); /* false: full */
/* Nobody can map the pages any more; who did keeps them. */
void gate_close(struct gate *gate, int fd);

/* The file behind a key, and a copy of its gate; -1 where the key is none of that kind,
 * or its process is no more. */
int gate_find(const char *key, enum gate_kind kind, struct gate *out);
bool gate_admits_us(const struct gate *gate);

#endif
