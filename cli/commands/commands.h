/* commands.h - the descriptors of all commands, one per file NAME.c of this folder */
#ifndef CLI_COMMANDS_COMMANDS_H
#define CLI_COMMANDS_COMMANDS_H

#include "cli/app/command.h"

extern const struct command command_alloc;
extern const struct command command_analyze;
extern const struct command command_baseline;
extern const struct command command_cancel;
extern const struct command command_capture;
extern const struct command command_compare;
extern const struct command command_completion;
extern const struct command command_config;
extern const struct command command_confirm;
extern const struct command command_coordinator;
extern const struct command command_drain;
extern const struct command command_events;
extern const struct command command_expand;
extern const struct command command_explain;
extern const struct command command_export;
extern const struct command command_fetch;
extern const struct command command_fsck;
extern const struct command command_gang;
extern const struct command command_gate;
extern const struct command command_help;
extern const struct command command_import;
extern const struct command command_init;
extern const struct command command_inspect;
extern const struct command command_keygen;
extern const struct command command_list;
extern const struct command command_logs;
extern const struct command command_reparse;
extern const struct command command_prune;
extern const struct command command_report;
extern const struct command command_results;
extern const struct command command_resume;
extern const struct command command_retry;
extern const struct command command_run;
extern const struct command command_selftest;
extern const struct command command_serve;
extern const struct command command_show;
extern const struct command command_submit;
extern const struct command command_trend;
extern const struct command command_undrain;
extern const struct command command_validate;
extern const struct command command_version;
extern const struct command command_wait;
extern const struct command command_watch;
extern const struct command command_worker;

#endif
