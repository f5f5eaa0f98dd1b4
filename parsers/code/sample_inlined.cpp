// sample_inlined.cpp - a library with inlined calls, in which the tests look up
// addresses
namespace sample
{
struct square {
    static inline int of(int value)
    {
        return value * value;
    }
};

template <typename T> static inline T sum_of_squares(const T *values, int count)
{
    T sum = 0;

    for (int i = 0; i < count; i++)
        sum += square::of(values[i]);
    return sum;
}

__attribute__((noinline)) int length(const int *values, int count)
{
    return sum_of_squares(values, count);
}

__attribute__((noinline)) double length(const double *values, int count)
{
    return sum_of_squares(values, count) + 1;
}
} // namespace sample

extern "C" int sample_total(const int *values, int count)
{
    int total = 0;

    for (int i = 0; i + 2 < count; i++)
        total ^= sample::length(values + i, 3) + sample::square::of(i);
    return total;
}
