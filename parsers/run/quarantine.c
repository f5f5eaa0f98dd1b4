#include "parsers/run/quarantine.h"

#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/log.h"

static void write_json(const struct source_launch *launch,
                       const char *parser,
                       const char *why,
                       struct json_write *json)
{
    json_write_object(json);
    json_write_key(json, "parser");
    json_write_text(json, parser);
    json_write_key(json, "why");
    json_write_text(json, why);
    json_write_key(json, "kernel");
    json_write_text(json, launch->kernel);
    json_write_key(json, "launch");
    json_write_u64(json, launch->launch);
    json_write_key(json, "shard");
    json_write_u64(json, launch->shard);
    if (launch->folder) {
        json_write_key(json, "input");
        json_write_text(json, launch->folder);
    } else {
        json_write_key(json, "first_block");
        json_write_u64(json, launch->first_block);
        json_write_key(json, "last_block");
        json_write_u64(json, launch->last_block);
    }
    json_write_object_end(json);
    json_write_line(json);
}

void quarantine_write(const char *folder,
                      const struct source_launch *launch,
                      const char *parser,
                      const char *why)
{
    struct text bytes = {0}, path = {0};
    struct json_write json;
    struct err err;

    json_write_to_text(&json, &bytes);
    write_json(launch, parser, why, &json);
    json_write_finish(&json, &err); /* writing to memory cannot fail */
    text_printf(&path, "%s/" QUARANTINE_FILE, folder);
    if (folder_create(folder, &err) < 0 ||
        file_write(text_get(&path), text_get(&bytes), bytes.length, &err) < 0)
        log_line(LOG_WARNING, "quarantine file not written: reason=\"%s\"", err.text);
    text_clear(&path);
    text_clear(&bytes);
}
