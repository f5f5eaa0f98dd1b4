/* iree_kind.h - recognises the files of IREE by their first bytes */
#ifndef PARSERS_IREE_IREE_KIND_H
#define PARSERS_IREE_IREE_KIND_H

#include <stdint.h>

enum iree_kind {
    IREE_NONE,       /* no file of IREE */
    IREE_DUMP,       /* IDB0: instrument data of dispatches */
    IREE_PROFILE,    /* IRPF: HAL profile (.ireeprof) */
    IREE_CAPTURE,    /* muster's own container, which may hold both */
    IREE_REPLAY,     /* IRRP: recorded calls, not read */
    IREE_PARAMETERS, /* IRPA: weights of a model, not read */
};

enum { IREE_KIND_BYTES = 4 };

enum iree_kind iree_kind_of(const uint8_t *bytes, uint64_t size);
/* Reads the first bytes of a file. A file that cannot be read is IREE_NONE: the reader
 * of that kind reports why. */
enum iree_kind iree_kind_of_file(const char *path);

#endif
