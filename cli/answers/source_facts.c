#include "cli/answers/source_facts.h"

#include "cli/view/row_output.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

int source_facts_answer(struct row_source *source,
                        const struct http_request *request,
                        struct http_response *response,
                        struct err *err)
{
    static const char *const known[] = {NULL};
    static const struct row_output_column columns[] = {{"source", CELL_TEXT},
                                                       {"version", CELL_TEXT}};
    const struct cell cells[] = {
        {.kind = CELL_TEXT,
         .text = row_source_client(source) ? "coordinator" : "store"},
        {.kind = CELL_TEXT, .text = MUSTER_VERSION},
    };

    if (http_arguments_check(request, known, err) < 0)
        return -1;
    text_add(&response->body, "{\"schema\":\"muster.source.v1\",\"rows\":[");
    row_output_json(&response->body, columns, COUNT(columns), cells);
    text_add(&response->body, "]}\n");
    response->type = "application/json";
    response->rows = 1;
    response->has_rows = true;
    return 0;
}
