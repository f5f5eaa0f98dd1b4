/* parser_output.h - one line of what muster-parser says on stdout
 *
 *     {"launch":1,"kernel":"add","device":0,"metric":"duration_us","value":9.5,"unit":"us"}
 *     {"output":"node/device0/add/1/visualize_data.bin"}
 *     {"error":"launch 1: pass 3 is missing","block":12}
 *
 * Keys that are not known are skipped. */
#ifndef COORDINATOR_PARSE_PARSER_OUTPUT_H
#define COORDINATOR_PARSE_PARSER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum parser_output_kind { PARSER_METRIC, PARSER_OUTPUT, PARSER_ERROR };

struct parser_output {
    enum parser_output_kind kind;
    uint64_t launch;
    uint64_t device;
    double value;
    bool simulated;
    char kernel[256];
    char metric[64];
    char unit[16];
    char text[1024]; /* the path, or the error */
};

/* ERR_INPUT names the field that is wrong or missing. */
int parser_output_read(struct parser_output *word,
                       const char *line,
                       size_t size,
                       struct err *err);

#endif
