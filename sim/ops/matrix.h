/* matrix.h - 16-bit matrices of the samples: made, put on the card, compared */
#ifndef SIM_OPS_MATRIX_H
#define SIM_OPS_MATRIX_H

#include <aclnn/acl_meta.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum matrix_type { MATRIX_FP16, MATRIX_BF16 };
extern const char *const matrix_types[]; /* for program_word() */

struct matrix {
    enum matrix_type type;
    uint32_t rows, columns;
    uint16_t *host;
    void *device;
    aclTensor *tensor;
};

/* The value at a place, the same for who computes with it and for who checks: a small
 * whole number, which both types hold exactly. */
float matrix_value(uint32_t salt, uint32_t row, uint32_t column);

/* Filled with the values of its salt and put on the card; not filled: salt 0. */
void matrix_open(struct matrix *matrix,
                 enum matrix_type type,
                 uint32_t rows,
                 uint32_t columns,
                 uint32_t salt);
void matrix_download(struct matrix *matrix);
float matrix_at(const struct matrix *matrix, uint32_t row, uint32_t column);
/* Whether a value that was rounded `roundings` times on its way, with sums of this
 * size, may be the exact one. */
int matrix_is_close(enum matrix_type type,
                    float value,
                    double exact,
                    double magnitude,
                    uint32_t roundings);
void matrix_close(struct matrix *matrix);
uint64_t matrix_checksum(const struct matrix *matrix);

/* The left and the right factor of a rank are filled with these salts. */
#define MATRIX_LEFT(rank)  (1 + 2 * (rank))
#define MATRIX_RIGHT(rank) (2 + 2 * (rank))
/* What an element is made of: its exact value, and the sum of the sizes. */
struct matrix_sum {
    double value, size;
};
/* Adds a row of left x right, rows and columns k, to n sums: the straightforward way.
 */
void matrix_add_product(struct matrix_sum *sums,
                        uint32_t left_rank,
                        uint32_t row,
                        uint32_t right_rank,
                        uint32_t k,
                        uint32_t n);
/* How many of a row's elements are not what they should be. */
size_t matrix_count_wrong(const struct matrix *matrix,
                          uint32_t row,
                          const struct matrix_sum *sums,
                          uint32_t roundings);

void matrix_check(aclnnStatus status, const char *call);
#define NCHECK(call) matrix_check(call, #call)

#ifdef __cplusplus
}
#endif

#endif
