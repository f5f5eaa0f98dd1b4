#include "lib/html/data.h"

#include <string.h>

#include "lib/base/text.h"
#include "lib/html/escape.h"

void html_data_begin(struct html_data *data,
                     struct text *page,
                     const char *kind,
                     const char *id)
{
    *data = (struct html_data){.page = page};
    text_printf(page, "<div class=\"draw %s\" data-kind=\"%s\"", kind, kind);
    if (id) {
        text_add(page, " id=\"");
        html_escape(page, id);
        text_add(page, "\"");
    }
    text_add(page, "><script type=\"application/json\">");
    data->start = page->length;
    json_write_to_text(&data->json, page);
}

/* Replaces each < from `start` on by \u003c. In JSON it can only be in a text. */
static void hide_markup(struct text *page, size_t start)
{
    static const char escaped[] = "\\u003c";
    struct text copy = {0};
    const char *at = page->bytes + start, *end = page->bytes + page->length;

    if (!memchr(at, '<', (size_t)(end - at)))
        return;
    for (const char *next; at < end; at = next) {
        const char *found = memchr(at, '<', (size_t)(end - at));

        text_add_bytes(&copy, at, (size_t)((found ? found : end) - at));
        if (found)
            text_add_bytes(&copy, escaped, sizeof(escaped) - 1);
        next = found ? found + 1 : end;
    }
    page->length = start;
    text_add_bytes(page, copy.bytes, copy.length);
    text_clear(&copy);
}

void html_data_end(struct html_data *data)
{
    struct err err;

    json_write_finish(&data->json, &err); /* writing to memory cannot fail */
    hide_markup(data->page, data->start);
    text_add(data->page, "</script></div>\n");
}

void html_data_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

void html_data_texts(struct json_write *json,
                     const char *key,
                     const char *const *values,
                     size_t count)
{
    json_write_key(json, key);
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_text(json, values[i]);
    json_write_array_end(json);
}

void html_data_numbers(struct json_write *json,
                       const char *key,
                       const double *values,
                       size_t count)
{
    json_write_key(json, key);
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_double(json, values[i]);
    json_write_array_end(json);
}
