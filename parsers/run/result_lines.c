#include "parsers/run/result_lines.h"

static void write_text(struct json_write *lines, const char *key, const char *text)
{
    json_write_key(lines, key);
    json_write_text(lines, text);
}

static void write_line(struct json_write *lines, const char *key, const char *text)
{
    json_write_object(lines);
    write_text(lines, key, text);
    json_write_object_end(lines);
    json_write_line(lines);
}

void result_error(struct json_write *lines, const char *text)
{
    write_line(lines, "error", text);
}

void result_output(struct json_write *lines, const char *path)
{
    write_line(lines, "output", path);
}

static void begin(struct json_write *lines, const struct result_launch *launch)
{
    json_write_object(lines);
    json_write_key(lines, "launch");
    json_write_u64(lines, launch->launch);
    write_text(lines, "kernel", launch->kernel);
    json_write_key(lines, "device");
    json_write_u64(lines, launch->device);
}

static void end(struct json_write *lines)
{
    json_write_object_end(lines);
    json_write_line(lines);
}

void result_launch(struct json_write *lines, const struct result_launch *launch)
{
    begin(lines, launch);
    write_text(lines, "code_hash", "");
    if (launch->notes && *launch->notes)
        write_text(lines, "notes", launch->notes);
    end(lines);
}

void result_figure(struct json_write *lines,
                   const struct result_launch *launch,
                   const char *metric,
                   double value,
                   const char *unit)
{
    begin(lines, launch);
    write_text(lines, "metric", metric);
    json_write_key(lines, "value");
    json_write_double(lines, value);
    write_text(lines, "unit", unit);
    end(lines);
}
