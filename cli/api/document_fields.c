#include "cli/api/document_fields.h"

#include <assert.h>
#include <string.h>

#include "lib/base/mem.h"

/* Members are NAME:TYPE, or NAME~:TYPE for one that may be missing. Types are s (text),
 * w (text of digits), u (integer), n (number), b (true or false), [TYPE] for a list,
 * {MEMBERS} for an object, and {*TYPE} for an object with any names. A scalar is null
 * where it does not apply. Each answer also has the member `schema`. */
#define COMMAND_HEAD "state:s exit~:u verdicts~:{*u} note~:s "
#define TRACE_HEAD   "state:s done:u total:u "
#define SLICE        "id:u lane:u row:u name:s start_ns:u duration_ns:u"

static const struct {
    const char *schema, *members;
} documents[] = {
    {"muster.source.v1", "rows:[{source:s version:s}]"},
    {"muster.queue.v1", "rows:[{job_id:u job_key:s user:s state:s waiting:u running:u "
                        "reason:s}]"},
    {"muster.card-history.v1",
     "rows:[{job_id:u job_key:s ended_wall_ns:w ranks:u failed:u points:u percent:n "
     "simulated:b}]"},
    {"muster.fleet-cards.v1", "rows:[{host:s card:u model:s serial:s simulated:b "
                              "ranks:u failed:u last_job_id:u}]"},
    {"muster.heat.v2",
     "metric:s kernel:s unit:s simulated:b measured:b cards:[{host:s card:u}] "
     "rows:[{shape:s kernel:s point:u median:n spread:n "
     "fields:[{card:u point:u median:n values:u failed:u}]}]"},
    {"muster.job-metrics.v1", "rows:[{kernel:s metric:s unit:s}]"},
    {"muster.files.v1", "rows:[{id:s path:s rank:u size:u}]"},
    {"muster.compare.v2", COMMAND_HEAD
     "rows:[{verdict:s point:s kernel:s rank:u card:s metric:s base:n new:n unit:s "
     "change_percent:n low_percent:n high_percent:n p:n p_adjusted:n n_base:u n_new:u "
     "missing:u reason:s leaning:s more_repeats:u nights:u night_noise_percent:n "
     "quarantine:s simulated:b environment_changed:b}]"},
    {"muster.trend.v3", COMMAND_HEAD
     "rows:[{point:s kernel:s rank:u card:s metric:s unit:s nights:u level:n "
     "noise_percent:n change_percent:n direction:s change_job:s change_state:s "
     "changes:s spikes:s drift_percent:n simulated:b environment_changes:s "
     "anchor_percent:n anchor_verdict:s drifts:b night_values:s night_jobs:s}]"},
    {"muster.gate-lines.v1", COMMAND_HEAD "rows:[{text:s}]"},
    {"muster.output-lines.v1", COMMAND_HEAD "rows:[{text:s}]"},
    {"muster.arrival.v1", COMMAND_HEAD
     "rows:[{point:s kernel:s launch:u collectives:u verdict:s duration_us:n skew_us:n "
     "transfer_us:n calibrated_us:n uncertainty_us:n skew_share:n transfer_share:n "
     "last_rank:u last_card:s times_last:u p_last:n}]"},
    {"muster.overlap.v1", COMMAND_HEAD
     "rows:[{series:s rank:u card:s repeats:u left_out:u fused_us:n compute_us:n "
     "communication_us:n serial_us:n efficiency:n efficiency_low:n efficiency_high:n "
     "attained:n attained_low:n attained_high:n}]"},
    {"muster.scaling.v1", COMMAND_HEAD
     "rows:[{series:s ranks:u repeats:u time_us:n speedup:n predicted:n sigma:n "
     "kappa:n best_ranks:n bend:b loss_percent:n cause:s cards:s}]"},
    {"muster.collectives.v1", COMMAND_HEAD
     "rows:[{series:s kernel:s algorithm:s ranks:u sizes:u alpha_us:n link_gb_per_s:n "
     "largest_bytes:u largest_us:n bus_gb_per_s:n model_percent:n}]"},
    {"muster.cards.v1", COMMAND_HEAD "rows:[{series:s kernel:s rank:u card:s values:u "
                                     "effect_percent:n noise_percent:n verdict:s}]"},
    {"muster.links.v1", COMMAND_HEAD "rows:[{series:s from:s to:s values:u "
                                     "transfer_us:n verdict:s slower_percent:n}]"},
    {"muster.trace-lanes.v1", TRACE_HEAD
     "kernel~:s ranks~:s clock_uncertainty_ns~:u release_skew_ns~:u aligned~:b "
     "simulated~:b path~:s length_ns~:u slices~:u arrow_ends~:u "
     "rows:[{process:s lane:s depth:u slices:u}]"},
    {"muster.trace-window.v1", TRACE_HEAD "names~:[s] rows:[{lane:u slices:[[u]]}]"},
    {"muster.trace-arrows.v1",
     TRACE_HEAD "rows:[{name:s category:s from_lane:u from_ns:u to_lane:u to_ns:u}]"},
    {"muster.trace-slice.v1", TRACE_HEAD "rows:[{" SLICE " self_ns:u args:s}]"},
    {"muster.trace-search.v1", TRACE_HEAD "rows:[{" SLICE "}]"},
    {"muster.rooflines.v1",
     TRACE_HEAD "advice~:s rows:[{title:s roofs:[{path:s bandwidth:n unit:s peak:n "
                "ratio:n intensity:n performance:n}]}]"},
};

static void member(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

static const char *write_type(struct json_write *json, const char *at);

/* Reads one member; `at` is its name. */
static const char *write_member(struct json_write *json, const char *at)
{
    size_t length = strcspn(at, "~:");

    json_write_key_bytes(json, at, length);
    at += length + (at[length] == '~');
    assert(*at == ':');
    return write_type(json, at + 1);
}

/* Returns the place behind the type at `at`. */
static const char *skip_type(const char *at)
{
    int depth = 0;

    do {
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    } while (depth);
    return at;
}

/* Writes the names of the members that always exist. */
static void write_required(struct json_write *json, const char *at, bool is_answer)
{
    json_write_key(json, "required");
    json_write_array(json);
    if (is_answer)
        json_write_text(json, "schema");
    while (*at && *at != '}') {
        size_t length = strcspn(at, "~:");

        if (at[length] == ':')
            json_write_bytes(json, at, length);
        at = skip_type(at + length + (at[length] == '~') + 1);
        at += *at == ' ';
    }
    json_write_array_end(json);
}

/* Writes the members of an open schema, up to the end of the text or of the object. */
static const char *
write_members(struct json_write *json, const char *at, bool is_answer)
{
    member(json, "type", "object");
    write_required(json, at, is_answer);
    json_write_key(json, "additionalProperties");
    json_write_bool(json, false);
    json_write_key(json, "properties");
    json_write_object(json);
    if (is_answer)
        write_member(json, "schema:s");
    while (*at && *at != '}') {
        at = write_member(json, at);
        at += *at == ' ';
    }
    json_write_object_end(json);
    return at;
}

static void write_scalar(struct json_write *json, char type)
{
    member(json, "type",
           type == 'u'   ? "integer"
           : type == 'n' ? "number"
           : type == 'b' ? "boolean"
                         : "string");
    json_write_key(json, "nullable"); /* null: the value does not apply */
    json_write_bool(json, true);
    if (type == 'w')
        member(json, "pattern", "^[0-9]+$");
}

static const char *write_type(struct json_write *json, const char *at)
{
    json_write_object(json);
    if (*at == '[') {
        member(json, "type", "array");
        json_write_key(json, "items");
        at = write_type(json, at + 1);
    } else if (at[0] == '{' && at[1] == '*') {
        member(json, "type", "object");
        json_write_key(json, "additionalProperties");
        at = write_type(json, at + 2);
    } else if (*at == '{') {
        at = write_members(json, at + 1, false);
    } else {
        write_scalar(json, *at);
    }
    json_write_object_end(json);
    return at + 1;
}

bool document_fields_write(struct json_write *json, const char *schema)
{
    for (size_t i = 0; i < COUNT(documents); i++) {
        if (strcmp(documents[i].schema, schema) != 0)
            continue;
        json_write_object(json);
        write_members(json, documents[i].members, true);
        json_write_object_end(json);
        return true;
    }
    return false;
}
