/* train_like.c - a training program that profiles itself
 *
 * It writes the files that the profiler of a framework writes, with the times of
 * train_model.h. Faults are planted by options, so that an analysis of the files can be
 * compared with what is true. With RANK_ID in the environment it writes the folder of
 * that rank only, otherwise those of all ranks. No card is used. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"
#include "sim/training/train_files.h"

static struct train_model model = {.options = {.ranks = 4,
                                               .steps = 3,
                                               .layers = 4,
                                               .seed = 1,
                                               .fault_rank = 1,
                                               .gap_us = 5000,
                                               .aicpu_us = 400,
                                               .slow_percent = 100,
                                               .link_percent = 100}};

static void read_words(char **argv)
{
    static const char *const places[] = {"none", "start", "middle", "end", NULL};
    static const char *const causes[] = {"untraced", "copy", "launch", "collective",
                                         NULL};
    static const char *const hidden[] = {"none", "exposed", "partly", "masked", NULL};
    static const char *const shapes[] = {"equal", "varied", NULL};
    uint32_t varied = 0;

    program_word("train_like", "--gap", places, &model.options.gap, argv);
    program_word("train_like", "--cause", causes, &model.options.cause, argv);
    program_word("train_like", "--aicpu", hidden, &model.options.aicpu, argv);
    program_word("train_like", "--shapes", shapes, &varied, argv);
    model.options.varies_shapes = varied;
}

static int read_rank(uint32_t *rank)
{
    const char *text = getenv("RANK_ID");
    char *end = NULL;
    unsigned long value;

    *rank = TRAIN_NO_RANK;
    if (!text)
        return 0;
    value = strtoul(text, &end, 10);
    if (end == text || *end || value >= model.options.ranks) {
        fprintf(stderr,
                "train_like: RANK_ID=%s is not the number of one of %" PRIu32
                " ranks\n",
                text, model.options.ranks);
        return -1;
    }
    *rank = (uint32_t)value;
    return 0;
}

int main(int argc, char **argv)
{
    struct train_options *options = &model.options;
    const struct option_row rows[] = {
        {"--ranks", &options->ranks, 1, TRAIN_RANKS_MAX, "ranks of the program"},
        {"--steps", &options->steps, 1, 1000, "steps of the capture"},
        {"--layers", &options->layers, 1, 1000, "layers of the network"},
        {"--seed", &options->seed, 0, UINT32_MAX, "seed of the noise"},
        {"--fault-rank", &options->fault_rank, 0, TRAIN_RANKS_MAX - 1,
         "rank with the idle gap, the AI CPU kernel and the varied shapes"},
        {"--gap-us", &options->gap_us, 0, 1000000, "length of the idle gap in us"},
        {"--gap-step", &options->gap_step, 0, 1000, "step with the gap; 0: each"},
        {"--aicpu-us", &options->aicpu_us, 1, 400, "time of the AI CPU kernel in us"},
        {"--slow-rank", &options->slow_rank, 0, TRAIN_RANKS_MAX - 1,
         "rank whose kernels are slow"},
        {"--slow-percent", &options->slow_percent, 100, 10000,
         "time of these kernels in percent"},
        {"--slow-link", &options->slow_link, 0, TRAIN_RANKS_MAX - 1,
         "rank whose link to the next rank is slow"},
        {"--link-percent", &options->link_percent, 100, 10000,
         "time of transfers on that link in percent"},
    };
    const char *folder = program_text("--out", argv);
    uint32_t only, written = 0;

    (void)argc;
    read_words(argv);
    program_options(
        "train_like",
        "Writes the profile of a training program with faults. Words: --out DIR "
        "(where; "
        "default: .)\n--gap none|start|middle|end, --cause "
        "untraced|copy|launch|collective, --aicpu none|exposed|partly|masked,\n"
        "--shapes equal|varied",
        rows, sizeof(rows) / sizeof(rows[0]), argv);
    if (read_rank(&only) < 0)
        return 2;
    train_model_run(&model);
    for (uint32_t i = 0; i < options->ranks; i++) {
        if (only != TRAIN_NO_RANK && only != i)
            continue;
        if (train_files_write(&model, i, folder ? folder : ".") < 0)
            return 1;
        written++;
    }
    printf("train_like ranks=%" PRIu32 " steps=%" PRIu32 " kernels=%zu written=%" PRIu32
           " result=ok\n",
           options->ranks, options->steps, model.ranks[0].task_count, written);
    train_model_clear(&model);
    return 0;
}
