/* gang_json.h - the analyses of a job on several cards, in report.json */
#ifndef PARSERS_GANG_REPORT_GANG_JSON_H
#define PARSERS_GANG_REPORT_GANG_JSON_H

struct gang_figures;
struct json_write;

/* Writes the member `gang`, with a list of rows for each analysis that has any. */
void gang_json_write(const struct gang_figures *figures, struct json_write *json);

#endif
