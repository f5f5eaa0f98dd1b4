/* fp16_t.h - op::fp16_t: a 16-bit float for host code
 *
 * A uint16_t that constructs a value gives its bits; all other numbers, and every
 * assignment, give the number, rounded to nearest even. */
#ifndef OPDEV_FP16_T_H
#define OPDEV_FP16_T_H

#include <math.h>
#include <stdint.h>

#ifdef __cplusplus

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "aclnn/opdev/bfloat16.h"

namespace op
{

typedef struct tagFp16 {
    uint16_t val;

    constexpr tagFp16() : val(0)
    {
    }
    constexpr tagFp16(const uint16_t &bits) : val(bits)
    {
    }
    tagFp16(const tagFp16 &other) = default;
    tagFp16(const bfloat16 &other) : val(round(static_cast<float>(other)))
    {
    }
    template <typename T,
              typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    tagFp16(const T &number) : val(round(static_cast<double>(number)))
    {
    }

    tagFp16 &operator=(const tagFp16 &other) = default;
    template <typename T,
              typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    tagFp16 &operator=(const T &number)
    {
        val = round(static_cast<double>(number));
        return *this;
    }

    float toFloat() const
    {
        uint32_t exponent = val >> 10 & 0x1F, fraction = val & 0x3FF;
        float number = exponent == 0   ? std::ldexp(static_cast<float>(fraction), -24)
                       : exponent < 31 ? std::ldexp(static_cast<float>(fraction + 1024),
                                                    static_cast<int>(exponent) - 25)
                       : fraction      ? NAN
                                       : INFINITY;

        return val & 0x8000 ? -number : number;
    }
    double toDouble() const
    {
        return toFloat();
    }
    int8_t toInt8() const
    {
        return static_cast<int8_t>(limited(-128, 127));
    }
    uint8_t toUInt8() const
    {
        return static_cast<uint8_t>(limited(0, 255));
    }
    int16_t toInt16() const
    {
        return static_cast<int16_t>(limited(-32768, 32767));
    }
    uint16_t toUInt16() const
    {
        return static_cast<uint16_t>(limited(0, 65535));
    }
    int32_t toInt32() const
    {
        return static_cast<int32_t>(limited(-65504, 65504));
    }
    uint32_t toUInt32() const
    {
        return static_cast<uint32_t>(limited(0, 65504));
    }
    int IsInf() const
    {
        return val == 0x7C00 ? 1 : val == 0xFC00 ? -1 : 0;
    }

    operator float() const
    {
        return toFloat();
    }

    tagFp16 &operator+=(const tagFp16 &other)
    {
        return *this = *this + other;
    }
    tagFp16 &operator-=(const tagFp16 &other)
    {
        return *this = *this - other;
    }
    tagFp16 &operator*=(const tagFp16 &other)
    {
        return *this = *this * other;
    }
    tagFp16 &operator/=(const tagFp16 &other)
    {
        return *this = *this / other;
    }
    tagFp16 operator+(const tagFp16 &other) const
    {
        return of(toFloat() + other.toFloat());
    }
    tagFp16 operator-(const tagFp16 &other) const
    {
        return of(toFloat() - other.toFloat());
    }
    tagFp16 operator*(const tagFp16 &other) const
    {
        return of(toFloat() * other.toFloat());
    }
    tagFp16 operator/(const tagFp16 &other) const
    {
        return of(toFloat() / other.toFloat());
    }
    bool operator==(const tagFp16 &other) const
    {
        return toFloat() == other.toFloat();
    }
    bool operator!=(const tagFp16 &other) const
    {
        return toFloat() != other.toFloat();
    }
    bool operator<(const tagFp16 &other) const
    {
        return toFloat() < other.toFloat();
    }
    bool operator<=(const tagFp16 &other) const
    {
        return toFloat() <= other.toFloat();
    }
    bool operator>(const tagFp16 &other) const
    {
        return toFloat() > other.toFloat();
    }
    bool operator>=(const tagFp16 &other) const
    {
        return toFloat() >= other.toFloat();
    }

  private:
    static tagFp16 of(float number)
    {
        tagFp16 result;

        result.val = round(static_cast<double>(number));
        return result;
    }
    double limited(double least, double most) const
    {
        double number = toFloat();

        return number != number
                   ? 0
                   : std::min(std::max(std::nearbyint(number), least), most);
    }
    /* Returns the bits of the nearest value, ties to even. */
    static uint16_t round(double number)
    {
        const uint16_t sign = std::signbit(number) ? 0x8000 : 0;
        const double size = std::fabs(number);
        int exponent;
        double steps;

        if (number != number)
            return static_cast<uint16_t>(sign | 0x7E00);
        if (size >= 65520)
            return static_cast<uint16_t>(sign | 0x7C00);
        if (size == 0)
            return sign;
        std::frexp(size, &exponent);
        exponent = std::max(exponent - 11, -24);
        steps = std::nearbyint(std::ldexp(size, -exponent));
        /* 2048 steps carry into the exponent by themselves */
        return static_cast<uint16_t>(sign |
                                     (static_cast<uint32_t>(exponent + 24) * 1024 +
                                      static_cast<uint32_t>(steps)));
    }
} fp16_t;

static_assert(sizeof(fp16_t) == 2, "layout");

} // namespace op

namespace std
{
inline bool isnan(const op::fp16_t &number)
{
    return (number.val & 0x7FFF) > 0x7C00;
}
inline op::fp16_t abs(const op::fp16_t &number)
{
    op::fp16_t result(number);

    result.val = static_cast<uint16_t>(number.val & 0x7FFF);
    return result;
}
} // namespace std

#endif

#endif
