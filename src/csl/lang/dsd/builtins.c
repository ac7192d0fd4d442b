/* SPDX-License-Identifier: MIT */
/* The table of builtins of this folder. */
#include "csl/lang/dsd/local.h"

static const tw__csl_builtin_row rows[] = {
    { "get_dsd", tw__dsd_get },
    { "set_dsd_base_addr", tw__dsd_change },
    { "increment_dsd_offset", tw__dsd_change },
    { "set_dsd_length", tw__dsd_change },
    { "set_dsd_stride", tw__dsd_change },
    { "allocate_fifo", tw__dsd_allocate_fifo },
    { "set_fifo_read_length", tw__dsd_fifo_length },
    { "set_fifo_write_length", tw__dsd_fifo_length },
    { "get_dsr", tw__dsd_get_dsr },
    { "get_xdsr", tw__dsd_get_dsr },
    { "get_sr", tw__dsd_get_dsr },
    { "load_to_dsr", tw__dsd_load_dsr },
    { "load_to_dsr_xdsr", tw__dsd_load_dsr },
    { "load_to_dsr_xdsr_sr", tw__dsd_load_dsr },
    { "map", tw__dsd_map },
    { "get_color", tw__dsd_get_id },
    { "get_local_task_id", tw__dsd_get_id },
    { "get_data_task_id", tw__dsd_get_id },
    { "get_control_task_id", tw__dsd_get_id },
    { "get_input_queue", tw__dsd_get_id },
    { "get_output_queue", tw__dsd_get_id },
    { "get_ut_id", tw__dsd_get_id },
    { "bind_local_task", tw__dsd_bind_task },
    { "bind_data_task", tw__dsd_bind_task },
    { "bind_control_task", tw__dsd_bind_task },
    { "bind_rotating_tasks", tw__dsd_rotating },
    { "set_control_task_table", tw__dsd_control_table },
    { "activate", tw__dsd_activate },
    { "block", tw__dsd_activate },
    { "unblock", tw__dsd_activate },
    { "initialize_queue", tw__dsd_initialize_queue },
    { "set_empty_queue_handler", tw__dsd_queue_handler },
    { "queue_flush", tw__dsd_queue_flush },
#define X(name, builtin, dst, src0, src1, src2, forms) { builtin, tw__dsd_operation },
#include "csl/lang/code/dsd_ops.def"
};

const tw__csl_builtin_table tw__csl_dsd_builtins = { rows, sizeof rows / sizeof *rows };
