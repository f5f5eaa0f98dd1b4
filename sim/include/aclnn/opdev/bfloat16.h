/* bfloat16.h - op::bfloat16: a float of 16 bits with the exponent of a 32-bit float */
#ifndef OPDEV_BFLOAT16_H
#define OPDEV_BFLOAT16_H

#include <stdint.h>

#ifdef __cplusplus

#include <cstring>

namespace op
{

struct bfloat16 {
    uint16_t value;

    bfloat16() : value(0)
    {
    }
    bfloat16(float number) : value(0)
    {
        uint32_t bits;

        std::memcpy(&bits, &number, sizeof(bits));
        value = number != number
                    ? static_cast<uint16_t>(0x7FC0)
                    : static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }
    operator float() const
    {
        uint32_t bits = static_cast<uint32_t>(value) << 16;
        float number;

        std::memcpy(&number, &bits, sizeof(number));
        return number;
    }
};

} // namespace op

#endif

#endif
