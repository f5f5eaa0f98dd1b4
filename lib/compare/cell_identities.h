/* cell_identities.h - numbers the identities of cells
 *
 * An identity consists of the numbers of its texts (figure.h), so it needs no memory
 * for a text and is compared without reading one. */
#ifndef LIB_COMPARE_CELL_IDENTITIES_H
#define LIB_COMPARE_CELL_IDENTITIES_H

#include <stdbool.h>
#include <stdint.h>

struct cell_identity {
    uint32_t point, kernel, metric, card;
    uint64_t rank;
};

struct cell_identities;

#define CELL_IDENTITY_NONE UINT32_MAX

struct cell_identities *cell_identities_create(void);
void cell_identities_destroy(struct cell_identities *identities); /* NULL is allowed */

/* Returns the number of the identity; they are numbered from 0 without gaps. */
uint32_t cell_identities_add(struct cell_identities *identities,
                             const struct cell_identity *identity);
/* Returns CELL_IDENTITY_NONE when the identity was never added. */
uint32_t cell_identities_find(const struct cell_identities *identities,
                              const struct cell_identity *identity);
uint32_t cell_identities_count(const struct cell_identities *identities);

#endif
