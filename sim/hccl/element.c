#include "sim/hccl/element.h"

#include <string.h>

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

float element_from_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;

    if (exponent == 0x1F)
        return float_of(sign | 0x7F800000 | fraction << 13);
    if (exponent == 0) { /* zero, or a number below the smallest normal one */
        float value = (float)fraction / 16777216.0f;

        return sign ? -value : value;
    }
    return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t element_to_half(float value)
{
    uint32_t bits = bits_of(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t rest = bits & 0x7FFFFFFF;

    if (rest > 0x7F800000)
        return sign | 0x7E00;
    if (rest >= 0x477FF000) /* 65520: rounds to infinity */
        return sign | 0x7C00;
    if (rest < 0x38800000) { /* below 2^-14: adding 0.5 rounds at the right place */
        float shifted = float_of(rest) + 0.5f;

        return sign | (uint16_t)(bits_of(shifted) - 0x3F000000);
    }
    rest += 0xFFF + (rest >> 13 & 1);
    return sign | (uint16_t)((rest - 0x38000000) >> 13);
}

float element_from_bfloat(uint16_t value)
{
    return float_of((uint32_t)value << 16);
}

uint16_t element_to_bfloat(float value)
{
    uint32_t bits = bits_of(value);

    if ((bits & 0x7FFFFFFF) > 0x7F800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/* `wide` is the type of the arithmetic: unsigned for integers, which wrap */
#define REDUCE(name, type, wide)                                                       \
    static void reduce_##name(HcclReduceOp op, type *into, const type *from,           \
                              uint64_t count)                                          \
    {                                                                                  \
        for (uint64_t i = 0; i < count; i++)                                           \
            into[i] = op == HCCL_REDUCE_SUM    ? (type)((wide)into[i] + (wide)from[i]) \
                      : op == HCCL_REDUCE_PROD ? (type)((wide)into[i] * (wide)from[i]) \
                      : op == HCCL_REDUCE_MAX                                          \
                          ? (from[i] > into[i] ? from[i] : into[i])                    \
                          : (from[i] < into[i] ? from[i] : into[i]);                   \
    }

REDUCE(int8, int8_t, uint64_t)
REDUCE(int16, int16_t, uint64_t)
REDUCE(int32, int32_t, uint64_t)
REDUCE(int64, int64_t, uint64_t)
REDUCE(uint8, uint8_t, uint64_t)
REDUCE(uint16, uint16_t, uint64_t)
REDUCE(uint32, uint32_t, uint64_t)
REDUCE(uint64, uint64_t, uint64_t)
REDUCE(fp32, float, float)
REDUCE(fp64, double, double)

#define REDUCE_SHORT(name, read, write)                                                \
    static void reduce_##name(HcclReduceOp op, uint16_t *into, const uint16_t *from,   \
                              uint64_t count)                                          \
    {                                                                                  \
        for (uint64_t i = 0; i < count; i++) {                                         \
            float value = read(into[i]), other = read(from[i]);                        \
                                                                                       \
            reduce_fp32(op, &value, &other, 1);                                        \
            into[i] = write(value);                                                    \
        }                                                                              \
    }

REDUCE_SHORT(fp16, element_from_half, element_to_half)
REDUCE_SHORT(bfp16, element_from_bfloat, element_to_bfloat)

static const uint8_t sizes[] = {
    [HCCL_DATA_TYPE_INT8] = 1,    [HCCL_DATA_TYPE_INT16] = 2,
    [HCCL_DATA_TYPE_INT32] = 4,   [HCCL_DATA_TYPE_FP16] = 2,
    [HCCL_DATA_TYPE_FP32] = 4,    [HCCL_DATA_TYPE_INT64] = 8,
    [HCCL_DATA_TYPE_UINT64] = 8,  [HCCL_DATA_TYPE_UINT8] = 1,
    [HCCL_DATA_TYPE_UINT16] = 2,  [HCCL_DATA_TYPE_UINT32] = 4,
    [HCCL_DATA_TYPE_FP64] = 8,    [HCCL_DATA_TYPE_BFP16] = 2,
    [HCCL_DATA_TYPE_INT128] = 16, [HCCL_DATA_TYPE_HIF8] = 1,
    [HCCL_DATA_TYPE_FP8E4M3] = 1, [HCCL_DATA_TYPE_FP8E5M2] = 1,
    [HCCL_DATA_TYPE_FP8E8M0] = 1,
};

uint32_t element_size(HcclDataType type)
{
    return (unsigned)type < sizeof(sizes) ? sizes[type] : 0;
}

bool element_can_reduce(HcclDataType type)
{
    return (unsigned)type <= HCCL_DATA_TYPE_BFP16;
}

#define CASE(TYPE, name)                                                               \
    case HCCL_DATA_TYPE_##TYPE:                                                        \
        reduce_##name(op, into, from, count);                                          \
        break;

void element_reduce(HcclDataType type,
                    HcclReduceOp op,
                    void *into,
                    const void *from,
                    uint64_t bytes)
{
    uint64_t count = bytes / element_size(type);

    switch (type) {
        CASE(INT8, int8)
        CASE(INT16, int16)
        CASE(INT32, int32)
        CASE(INT64, int64)
        CASE(UINT8, uint8)
        CASE(UINT16, uint16)
        CASE(UINT32, uint32)
        CASE(UINT64, uint64)
        CASE(FP16, fp16)
        CASE(FP32, fp32)
        CASE(FP64, fp64)
        CASE(BFP16, bfp16)
    default:
        break;
    }
}
