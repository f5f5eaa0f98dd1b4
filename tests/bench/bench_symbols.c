/* bench_symbols.c - speed of finding function, file, line and inlined frames of
 * addresses
 *
 * Compared with one process of binutils' addr2line for the same addresses, and with two
 * seconds for a million addresses. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/code/code_map.h"
#include "tests/bench/ratio.h"

enum { ADDRESSES = 50000, MANY = 1000000, FRAMES = 8, ELF_MAX = 256 << 20 };

struct input {
    char path[64]; /* this program, with the debug information of all its libraries */
    char *elf;
    size_t size;
    uint64_t *addresses;
    size_t count;
    int list; /* file with the same addresses as text */
};

static volatile uint64_t sink;

static void die(const char *why)
{
    fprintf(stderr, "bench_symbols: %s\n", why);
    exit(1);
}

static struct code_map *open_map(const struct input *input)
{
    struct code_map *map;
    struct err err;

    if (code_map_open(&map, input->elf, input->size, &err) < 0)
        die(err.text);
    return map;
}

/* Fills the list with random addresses in random functions. */
static void choose_addresses(struct input *input, size_t wanted)
{
    struct code_map *map = open_map(input);
    size_t count;
    const struct code_function *all = code_map_functions(map, &count);
    uint64_t random = 1;

    if (count == 0)
        die("this program has no function symbols");
    input->addresses = xcalloc(wanted, sizeof(input->addresses[0]));
    for (; input->count < wanted; input->count++) {
        const struct code_function *function;

        random = random * 6364136223846793005u + 1442695040888963407u;
        function = &all[(random >> 33) % count];
        input->addresses[input->count] =
            function->address + (random >> 20) % (function->size + 1);
    }
    code_map_close(map);
}

static void look_up(const struct input *input, size_t count)
{
    struct code_map *map = open_map(input);
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        struct code_frame frames[FRAMES];
        size_t found = code_map_find(map, input->addresses[i], frames, FRAMES);

        if (found > 0)
            sum += frames[0].line + found;
    }
    sink = sum;
    code_map_close(map);
}

static double ours(void *arg)
{
    uint64_t start = clock_mono_ns();

    look_up(arg, ADDRESSES);
    return (double)(clock_mono_ns() - start);
}

static double by_addr2line(void *arg)
{
    const struct input *input = arg;
    uint64_t start = clock_mono_ns();
    char command[256], *line = NULL;
    size_t room = 0, lines = 0;
    FILE *peer;

    snprintf(command, sizeof(command), "addr2line -fi -e %s </proc/%d/fd/%d",
             input->path, (int)getpid(), input->list);
    peer = popen(command, "r");
    while (peer && getline(&line, &room, peer) > 0)
        lines++;
    free(line);
    if (!peer || pclose(peer) != 0 || lines < 2 * ADDRESSES)
        die("addr2line printed nothing");
    return (double)(clock_mono_ns() - start);
}

static double many(void *arg)
{
    uint64_t start = clock_mono_ns();

    look_up(arg, MANY);
    return (double)(clock_mono_ns() - start);
}

static double two_seconds(void *arg)
{
    (void)arg;
    return 2e9;
}

int main(void)
{
    struct input input = {.list = memfd_create("addresses", 0)};
    struct err err;
    double ratio;

    snprintf(input.path, sizeof(input.path), "/proc/%d/exe", (int)getpid());
    if (input.list < 0 ||
        file_read(&input.elf, &input.size, input.path, ELF_MAX, &err) < 0)
        die("cannot read the file of this program");
    choose_addresses(&input, MANY);
    for (size_t i = 0; i < ADDRESSES; i++)
        dprintf(input.list, "0x%" PRIx64 "\n", input.addresses[i]);
    if (system("command -v addr2line >/dev/null") == 0) {
        ratio = ratio_median(ours, by_addr2line, &input);
        ratio_print("address_to_line", ratio, "one process of addr2line", "<= 0.2",
                    ratio <= 0.2);
    }
    ratio = ratio_median(many, two_seconds, &input);
    ratio_print("million_addresses_to_lines", ratio, "two seconds", "<= 1", ratio <= 1);
    free(input.addresses);
    free(input.elf);
    return 0;
}
