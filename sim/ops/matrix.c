#include "matrix.h"

#include <stdlib.h>
#include <string.h>

#include "program.h"

const char *const matrix_types[] = {"fp16", "bf16", NULL};

float matrix_value(uint32_t salt, uint32_t row, uint32_t column)
{
    uint32_t x = (row + 1) * 2654435761u + (column + 1) * 40503u + salt * 2246822519u;

    x ^= x >> 15;
    x *= 2246822519u;
    return (float)((x >> 16) % 5) - 2.0f;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Converts integers up to 2048 without rounding. */
static uint16_t half_of(float value)
{
    uint32_t bits = bits_of(value);

    if (value == 0)
        return 0;
    return (uint16_t)((bits >> 16 & 0x8000) | (((bits >> 23 & 0xFF) - 112) << 10) |
                      (bits >> 13 & 0x3FF));
}

static float float_of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;

    if (exponent == 0) {
        float small = (float)fraction / 16777216.0f; /* 2^-24 */

        return sign ? -small : small;
    }
    if (exponent == 31)
        return float_of(sign | 0x7F800000u | fraction << 13);
    return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

void matrix_open(struct matrix *matrix,
                 enum matrix_type type,
                 uint32_t rows,
                 uint32_t columns,
                 uint32_t salt)
{
    int64_t dims[2];
    size_t size = (size_t)rows * columns * sizeof(uint16_t);

    matrix->type = type;
    matrix->rows = rows;
    matrix->columns = columns;
    matrix->host = (uint16_t *)program_alloc(size);
    for (uint32_t row = 0; salt && row < rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            float value = matrix_value(salt, row, column);

            matrix->host[(size_t)row * columns + column] =
                type == MATRIX_BF16 ? (uint16_t)(bits_of(value) >> 16) : half_of(value);
        }
    matrix->device = program_upload(salt ? matrix->host : NULL, size);
    dims[0] = rows;
    dims[1] = columns;
    matrix->tensor =
        aclCreateTensor(dims, 2, type == MATRIX_BF16 ? ACL_BF16 : ACL_FLOAT16, NULL, 0,
                        ACL_FORMAT_ND, dims, 2, matrix->device);
}

void matrix_download(struct matrix *matrix)
{
    program_download(matrix->host, matrix->device,
                     (size_t)matrix->rows * matrix->columns * sizeof(uint16_t));
}

float matrix_at(const struct matrix *matrix, uint32_t row, uint32_t column)
{
    uint16_t bits = matrix->host[(size_t)row * matrix->columns + column];

    return matrix->type == MATRIX_BF16 ? float_of((uint32_t)bits << 16)
                                       : float_of_half(bits);
}

int matrix_is_close(enum matrix_type type,
                    float value,
                    double exact,
                    double magnitude,
                    uint32_t roundings)
{
    double unit = type == MATRIX_BF16 ? 1.0 / 256
                                      : 1.0 / 2048; /* half a unit in the last place */
    double off = value > exact ? value - exact : exact - value;

    return off <= unit * magnitude * roundings;
}

void matrix_close(struct matrix *matrix)
{
    aclDestroyTensor(matrix->tensor);
    CHECK(aclrtFree(matrix->device));
    free(matrix->host);
}

uint64_t matrix_checksum(const struct matrix *matrix)
{
    return program_checksum(matrix->host,
                            (size_t)matrix->rows * matrix->columns * sizeof(uint16_t));
}

void matrix_add_product(struct matrix_sum *sums,
                        uint32_t left_rank,
                        uint32_t row,
                        uint32_t right_rank,
                        uint32_t k,
                        uint32_t n)
{
    for (uint32_t i = 0; i < k; i++) {
        double left = matrix_value(MATRIX_LEFT(left_rank), row, i);

        for (uint32_t j = 0; j < n; j++) {
            double one = left * matrix_value(MATRIX_RIGHT(right_rank), i, j);

            sums[j].value += one;
            sums[j].size += one > 0 ? one : -one;
        }
    }
}

void matrix_add_row(struct matrix_sum *sums,
                    const double *left,
                    uint32_t k,
                    uint32_t salt,
                    uint32_t first,
                    uint32_t n)
{
    for (uint32_t l = 0; l < k; l++)
        for (uint32_t j = 0; j < n; j++) {
            double term = left[l] * (double)matrix_value(salt, first + l, j);

            sums[j].value += term;
            sums[j].size += term < 0 ? -term : term;
        }
}

size_t matrix_count_wrong(const struct matrix *matrix,
                          uint32_t row,
                          const struct matrix_sum *sums,
                          uint32_t roundings)
{
    size_t wrong = 0;

    for (uint32_t j = 0; j < matrix->columns; j++)
        wrong += !matrix_is_close(matrix->type, matrix_at(matrix, row, j),
                                  sums[j].value, sums[j].size, roundings);
    return wrong;
}

void stack_open(struct stack *stack,
                enum matrix_type type,
                uint32_t count,
                uint32_t rows,
                uint32_t columns,
                uint32_t salt)
{
    int64_t dims[3];

    dims[0] = count;
    dims[1] = rows;
    dims[2] = columns;
    matrix_open(&stack->matrix, type, count * rows, columns, salt);
    stack->tensor =
        aclCreateTensor(dims, 3, type == MATRIX_BF16 ? ACL_BF16 : ACL_FLOAT16, NULL, 0,
                        ACL_FORMAT_ND, dims, 3, stack->matrix.device);
}

void stack_close(struct stack *stack)
{
    NCHECK(aclDestroyTensor(stack->tensor));
    matrix_close(&stack->matrix);
}

void buffer_open(struct buffer *buffer,
                 aclDataType type,
                 size_t size,
                 const int64_t *dims,
                 uint64_t count,
                 const void *host)
{
    buffer->bytes = size;
    for (uint64_t i = 0; i < count; i++)
        buffer->bytes *= (size_t)dims[i];
    CHECK(aclrtMalloc(&buffer->device, buffer->bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    if (host)
        CHECK(aclrtMemcpy(buffer->device, buffer->bytes, host, buffer->bytes,
                          ACL_MEMCPY_HOST_TO_DEVICE));
    else
        CHECK(aclrtMemset(buffer->device, buffer->bytes, 0, buffer->bytes));
    buffer->tensor = aclCreateTensor(dims, count, type, NULL, 0, ACL_FORMAT_ND, dims,
                                     count, buffer->device);
}

void buffer_close(struct buffer *buffer)
{
    NCHECK(aclDestroyTensor(buffer->tensor));
    CHECK(aclrtFree(buffer->device));
}

void matrix_check(aclnnStatus status, const char *call)
{
    program_check(status, call);
}
