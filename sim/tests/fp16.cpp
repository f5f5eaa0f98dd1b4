// fp16.cpp - checks op::fp16_t: bits, rounding, and the way back of all values
#include "aclnn/opdev/fp16_t.h"

#include <cstdio>
#include <vector>

static int bad;

static void expect(unsigned found, unsigned expected, const char *what)
{
    if (found == expected)
        return;
    std::printf("%s: %#x in place of %#x\n", what, found, expected);
    bad = 1;
}

int main()
{
    const std::vector<op::fp16_t> ones(4, 1);
    op::fp16_t assigned;

    assigned = uint16_t(5);
    expect(ones[3].val, 0x3C00, "a vector of ones");
    expect(op::fp16_t(uint16_t(5)).val, 5, "constructed from bits");
    expect(assigned.val, 0x4500, "assigned from a number");
    expect(op::fp16_t(0.1f).val, 0x2E66, "0.1");
    expect(op::fp16_t(2049.0f).val, 0x6800, "a tie to even, down");
    expect(op::fp16_t(2051.0f).val, 0x6802, "a tie to even, up");
    expect(op::fp16_t(65504.0f).val, 0x7BFF, "the largest value");
    expect(op::fp16_t(65520.0f).val, 0x7C00, "infinity");
    expect((op::fp16_t(1.5f) * op::fp16_t(-2.0f)).val, 0xC200, "a product");
    expect(op::fp16_t(-1.5f).toInt32() == -2, 1, "an integer");
    expect(op::bfloat16(1.01f).value, 0x3F81, "a bfloat");
    for (unsigned i = 0; i < 65536; i++) {
        const op::fp16_t value(static_cast<uint16_t>(i));

        if (!std::isnan(value))
            expect(op::fp16_t(value.toFloat()).val, i, "the way back");
    }
    return bad;
}
