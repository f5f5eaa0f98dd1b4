#include "lib/html/plot.h"

#include "lib/base/text.h"
#include "lib/html/data.h"

static struct json_write *
begin(struct html_data *data, struct text *page, const char *kind, const char *id)
{
    html_data_begin(data, page, kind, id);
    json_write_object(&data->json);
    return &data->json;
}

static void end(struct html_data *data)
{
    json_write_object_end(&data->json);
    html_data_end(data);
}

static void write_flag(struct json_write *json, const char *key, bool value)
{
    if (!value)
        return;
    json_write_key(json, key);
    json_write_bool(json, true);
}

static void write_number(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    json_write_double(json, value);
}

static void
write_axis(struct json_write *json, const char *key, const struct html_axis *axis)
{
    static const char *const scales[] = {"linear", "log", "time"};

    json_write_key(json, key);
    json_write_object(json);
    html_data_text(json, "name", axis->name);
    html_data_text(json, "scale", scales[axis->scale]);
    json_write_object_end(json);
}

static void write_series(struct json_write *json, const struct html_series *series)
{
    json_write_object(json);
    html_data_text(json, "name", series->name);
    html_data_numbers(json, "x", series->x, series->count);
    html_data_numbers(json, "y", series->y, series->count);
    if (series->low && series->high) {
        html_data_numbers(json, "low", series->low, series->count);
        html_data_numbers(json, "high", series->high, series->count);
    }
    if (series->tips)
        html_data_texts(json, "tips", series->tips, series->count);
    write_flag(json, "line", series->has_line);
    write_flag(json, "points", series->has_points);
    write_flag(json, "hollow", series->is_hollow);
    write_flag(json, "soft", series->is_soft);
    json_write_object_end(json);
}

void html_plot_xy(struct text *page, const struct html_xy *plot)
{
    struct html_data data;
    struct json_write *json = begin(&data, page, "xy", plot->id);

    html_data_text(json, "label", plot->label);
    write_axis(json, "x", &plot->x);
    write_axis(json, "y", &plot->y);
    json_write_key(json, "series");
    json_write_array(json);
    for (size_t i = 0; i < plot->series_count; i++)
        write_series(json, &plot->series[i]);
    json_write_array_end(json);
    json_write_key(json, "marks");
    json_write_array(json);
    for (size_t i = 0; i < plot->mark_count; i++) {
        json_write_object(json);
        html_data_text(json, "name", plot->marks[i].name);
        write_number(json, "at", plot->marks[i].at);
        write_flag(json, "vertical", plot->marks[i].is_vertical);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    end(&data);
}

static void write_head(struct json_write *json,
                       const char *label,
                       const char *unit,
                       unsigned decimals)
{
    html_data_text(json, "label", label);
    html_data_text(json, "unit", unit);
    json_write_key(json, "decimals");
    json_write_u64(json, decimals);
}

/* Writes one array for each row. */
static void write_matrix(struct json_write *json,
                         const double *values,
                         size_t rows,
                         size_t columns,
                         unsigned decimals)
{
    json_write_key(json, "values");
    json_write_array(json);
    for (size_t row = 0; row < rows; row++) {
        json_write_array(json);
        for (size_t i = 0; i < columns; i++)
            json_write_fixed(json, values[row * columns + i], decimals);
        json_write_array_end(json);
    }
    json_write_array_end(json);
}

void html_plot_heat(struct text *page, const struct html_heat *plot)
{
    struct html_data data;
    struct json_write *json = begin(&data, page, "heat", plot->id);

    write_head(json, plot->label, plot->unit, plot->decimals);
    html_data_text(json, "colors",
                   plot->colors == HTML_HEAT_CHANGE ? "change" : "share");
    write_number(json, "full", plot->full);
    html_data_texts(json, "rows", plot->rows, plot->row_count);
    html_data_texts(json, "columns", plot->columns, plot->column_count);
    write_matrix(json, plot->values, plot->row_count, plot->column_count,
                 plot->decimals);
    end(&data);
}

void html_plot_strips(struct text *page, const struct html_strips *plot)
{
    struct html_data data;
    struct json_write *json = begin(&data, page, "strips", plot->id);

    write_head(json, plot->label, plot->unit, plot->decimals);
    write_flag(json, "zero", plot->has_zero);
    json_write_key(json, "rows");
    json_write_array(json);
    for (size_t i = 0; i < plot->row_count; i++) {
        json_write_object(json);
        html_data_text(json, "name", plot->rows[i].name);
        if (plot->rows[i].note)
            html_data_text(json, "note", plot->rows[i].note);
        json_write_key(json, "values");
        json_write_array(json);
        for (size_t j = 0; j < plot->rows[i].count; j++)
            json_write_fixed(json, plot->rows[i].values[j], plot->decimals);
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    end(&data);
}

void html_plot_bars(struct text *page, const struct html_bars *plot)
{
    struct html_data data;
    struct json_write *json = begin(&data, page, "bars", plot->id);

    write_head(json, plot->label, plot->unit, plot->decimals);
    html_data_texts(json, "rows", plot->rows, plot->row_count);
    html_data_texts(json, "parts", plot->parts, plot->part_count);
    write_matrix(json, plot->values, plot->row_count, plot->part_count, plot->decimals);
    end(&data);
}

static void write_lane(struct json_write *json, const struct html_lane *lane)
{
    json_write_object(json);
    html_data_text(json, "name", lane->name);
    write_flag(json, "gap", lane->is_gap);
    json_write_key(json, "spans");
    json_write_array(json);
    for (size_t i = 0; i < lane->count; i++) {
        const struct html_span *span = &lane->spans[i];

        json_write_array(json);
        json_write_fixed(json, span->start, 6);
        json_write_fixed(json, span->end, 6);
        if (span->tip)
            json_write_text(json, span->tip);
        json_write_array_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

void html_plot_lanes(struct text *page, const struct html_lanes *plot)
{
    struct html_data data;
    struct json_write *json = begin(&data, page, "lanes", plot->id);

    html_data_text(json, "label", plot->label);
    html_data_text(json, "unit", plot->unit);
    write_number(json, "decimals", plot->decimals);
    write_number(json, "end", plot->end);
    json_write_key(json, "lanes");
    json_write_array(json);
    for (size_t i = 0; i < plot->lane_count; i++)
        write_lane(json, &plot->lanes[i]);
    json_write_array_end(json);
    end(&data);
}
