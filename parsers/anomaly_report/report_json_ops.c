#include "parsers/anomaly_report/report_json_internal.h"

enum { TOP_OPS = 10 };

static void write_op(struct json_write *json,
                     const struct analysis *analysis,
                     const struct step *step,
                     const struct op *op)
{
    const struct names *names = analysis->input->names;
    double calls = (double)op->calls;
    size_t ranks = op->total_rank > op->duration_rank
                       ? op->total_rank - op->duration_rank
                       : op->duration_rank - op->total_rank;

    json_write_object(json);
    json_put_text(json, "step_id", names_text(names, step->window.name));
    json_put_text(json, "op_name", names_text(names, op->name));
    json_put_text(json, "task_type", names_text(names, op->unit));
    json_put_text(json, "input_shapes", names_text(names, op->shapes));
    json_put_count(json, "call_count", op->calls);
    json_put_ratio(json, "duration_us_avg", (double)op->duration / calls / 1000);
    json_put_us(json, "duration_us_total", op->duration);
    json_put_ratio(json, "wait_us_avg", (double)op->wait / calls / 1000);
    json_put_ratio(json, "total_cost_us_avg",
                   (double)(op->duration + op->wait) / calls / 1000);
    json_put_ratio(json, "wait_ratio", op_wait_ratio(op));
    json_put_ms(json, "total_cost_ms", op->duration + op->wait);
    json_put_count(json, "call_cost_rank", op->cost_rank);
    json_put_count(json, "total_cost_rank", op->total_rank);
    json_put_count(json, "duration_rank", op->duration_rank);
    json_put_bool(json, "ranks_differ", ranks >= 5);
    if (op->judgement != OP_NOT_SMALL)
        json_put_text(json, "judgement", op_judgement_name(op->judgement));
    json_put_bool(json, "wait_not_reliable_for_rootcause", op->is_polluted);
    if (op->aicpu != AICPU_NONE) {
        json_put_text(json, "aicpu_class", aicpu_class_name(op->aicpu));
        json_put_ratio(json, "masked_ratio",
                       op->duration > 0 ? 1 - (double)op->exposed / (double)op->duration
                                        : 0);
    }
    json_write_object_end(json);
}

void json_write_ops(struct json_write *json,
                    const struct analysis *analysis,
                    bool aicpu)
{
    json_write_array(json);
    for (size_t i = 0; i < analysis->step_count; i++)
        for (size_t j = 0; j < analysis->steps[i].ops.count; j++) {
            const struct op *op = &analysis->steps[i].ops.rows[j];

            if (aicpu ? op->aicpu != AICPU_NONE
                      : op->total_rank <= TOP_OPS || op->duration_rank <= TOP_OPS)
                write_op(json, analysis, &analysis->steps[i], op);
        }
    json_write_array_end(json);
}

void json_write_host_ops(struct json_write *json, const struct analysis *analysis)
{
    const struct host_ops *ops = &analysis->input->host_ops;

    json_write_array(json);
    for (size_t i = 0; i < ops->count && i < TOP_OPS; i++) {
        json_write_object(json);
        json_put_text(json, "op_name", names_text(ops->names, ops->rows[i].name));
        json_put_count(json, "call_count", ops->rows[i].calls);
        json_put_ratio(json, "host_self_us", ops->rows[i].host_us);
        json_put_ratio(json, "device_self_us", ops->rows[i].device_us);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}
