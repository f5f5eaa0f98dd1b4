/* matrix.h - tensors of the samples: create, upload, compare
 *
 * A matrix and a stack of matrices have 16-bit elements and known values; a buffer has
 * elements of any type. */
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

/* Returns the value of an element, for the computation and for its check: a small
 * integer that both types represent exactly. */
float matrix_value(uint32_t salt, uint32_t row, uint32_t column);

/* Allocates the matrix on the card, filled with the values of its salt; salt 0: not
 * filled. */
void matrix_open(struct matrix *matrix,
                 enum matrix_type type,
                 uint32_t rows,
                 uint32_t columns,
                 uint32_t salt);
void matrix_download(struct matrix *matrix);
float matrix_at(const struct matrix *matrix, uint32_t row, uint32_t column);
/* Returns true when `value` can result from the exact one with `roundings` roundings
 * and sums of this magnitude. */
int matrix_is_close(enum matrix_type type,
                    float value,
                    double exact,
                    double magnitude,
                    uint32_t roundings);
void matrix_close(struct matrix *matrix);
uint64_t matrix_checksum(const struct matrix *matrix);

/* Salts of the left and the right factor of a rank. */
#define MATRIX_LEFT(rank)  (1 + 2 * (rank))
#define MATRIX_RIGHT(rank) (2 + 2 * (rank))
/* The exact value of an element, and the sum of the magnitudes of its terms. */
struct matrix_sum {
    double value, size;
};
/* Adds a row of left x right, rows and columns of length k, to n sums, without
 * blocking. */
void matrix_add_product(struct matrix_sum *sums,
                        uint32_t left_rank,
                        uint32_t row,
                        uint32_t right_rank,
                        uint32_t k,
                        uint32_t n);
/* Adds the row `left` x the rows of the matrix with this salt from `first` on. */
void matrix_add_row(struct matrix_sum *sums,
                    const double *left,
                    uint32_t k,
                    uint32_t salt,
                    uint32_t first,
                    uint32_t n);
/* Returns how many elements of a row are wrong. */
size_t matrix_count_wrong(const struct matrix *matrix,
                          uint32_t row,
                          const struct matrix_sum *sums,
                          uint32_t roundings);

/* Matrices of one size, one below the other, as a tensor of three dimensions. */
struct stack {
    struct matrix matrix; /* of all rows */
    aclTensor *tensor;
};
/* Like matrix_open(); element (i, j) of matrix b has the value of row b * rows + i. */
void stack_open(struct stack *stack,
                enum matrix_type type,
                uint32_t count,
                uint32_t rows,
                uint32_t columns,
                uint32_t salt);
void stack_close(struct stack *stack);

struct buffer {
    void *device;
    aclTensor *tensor;
    size_t bytes;
};
/* Allocates a tensor on the card with elements of `size` bytes. It has the bytes of
 * `host`, or zeros when `host` is NULL. */
void buffer_open(struct buffer *buffer,
                 aclDataType type,
                 size_t size,
                 const int64_t *dims,
                 uint64_t count,
                 const void *host);
void buffer_close(struct buffer *buffer);

void matrix_check(aclnnStatus status, const char *call);
#define NCHECK(call) matrix_check(call, #call)

#ifdef __cplusplus
}
#endif

#endif
