/* kernel.c - a binary with debug lines, which visualize.sh compiles */
int first(int value);
int second(const int *values, int count);

int first(int value)
{
    int sum = value;

    for (int i = 0; i < value; i++)
        sum += i * value;
    return sum;
}

int second(const int *values, int count)
{
    int most = 0;

    for (int i = 0; i < count; i++) {
        if (values[i] > most)
            most = values[i];
        most -= first(values[i] & 7);
    }
    return most;
}
