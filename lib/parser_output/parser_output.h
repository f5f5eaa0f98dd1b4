/* parser_output.h - reads one line of the output of muster-parser
 *
 *     {"launch":1,"kernel":"add","device":0,"metric":"duration_us","value":9.5,"unit":"us"}
 *     {"launch":1,"kernel":"add","device":0,"code_hash":"00a1...","tick_ns":20,
 *      "group_found":"AI CPU task","restored":"all","advice":"memory bound\\n",
 *      "notes":"the ranks share the counter passes\\n"}
 *     {"launch":1,"kernel":"add","device":0,"replay":2,"pass":1,"duration_ns":9500,...}
 *     {"measurement":"1.1","chip":"Ascend910B1","cann":"8.3.RC1","driver":"25.2.1",...}
 *     {"output":"node/device0/add/1/visualize_data.bin"}
 *     {"error":"launch 1: pass 3 is missing","block":12}
 *
 * Unknown keys are skipped. */
#ifndef LIB_PARSER_OUTPUT_PARSER_OUTPUT_H
#define LIB_PARSER_OUTPUT_PARSER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum { PARSER_ADVICE_BYTES = 4096, PARSER_NOTES_BYTES = PARSER_ADVICE_BYTES };

enum parser_output_kind {
    PARSER_METRIC,
    PARSER_LAUNCH,      /* facts of a launch */
    PARSER_REPLAY,      /* times of one replay of a launch */
    PARSER_ENVIRONMENT, /* of the rank */
    PARSER_OUTPUT,
    PARSER_ERROR,
};

struct parser_output {
    enum parser_output_kind kind;
    uint64_t launch;
    uint64_t device;
    double value;
    bool simulated;
    char kernel[256];
    char metric[64];
    char unit[16];
    char code_hash[17];
    double tick_ns;
    char group_found[32], restored[32];
    char advice[PARSER_ADVICE_BYTES]; /* a line for each */
    char notes[PARSER_NOTES_BYTES];   /* as before */
    char measurement[32], chip[64], cann[128], driver[128], firmware[128];
    char host_kernel[128];
    uint64_t hbm_maker;
    uint64_t replay, pass;
    /* of the replay; -1: unknown */
    int64_t started_ns, duration_ns, arrived_ns, released_ns, uncertainty_ns;
    char text[1024]; /* the path of an output, or the error */
};

/* The problems of a parse in one text: the first ones, and the number of the others. */
enum { PARSER_PROBLEMS_NAMED = 3, PARSER_PROBLEMS_BYTES = 1200 };

/* All zero: no problem. */
struct parser_problems {
    size_t count, named;
    char text[PARSER_PROBLEMS_BYTES];
};

void parser_problems_add(struct parser_problems *problems, const char *problem);
/* Adds the number of problems that are not named. Call it after the last problem. */
void parser_problems_finish(struct parser_problems *problems);

/* ERR_INPUT: a field is wrong or missing; the error names it. */
int parser_output_read(struct parser_output *out,
                       const char *line,
                       size_t size,
                       struct err *err);

#endif
