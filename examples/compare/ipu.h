/* SPDX-License-Identifier: MIT */
/* What the IPU's programs of this folder share: arrays of .npy files as variables, the run, the result as a file. */
#include <stdlib.h>
#include <string.h>
#include <tilewright/npy.h>
#include <tilewright/tilewright.h>

static tw_npy *read_array(const char *path)
{
    tw_npy *array = tw_npy_read(path);
    if (!array) fprintf(stderr, "%s\n", tw_error_message()), exit(1);
    return array;
}

/* A chip by its name in `tilewright info targets`, or what `tilewright run --device` says. */
static tw_device *open_chip(const char *name)
{
    tw_device *device = tw_device_by_name("ipu-model", strcmp(name, "ipu1") == 0 ? TW_MK1 : TW_MK2, 1);
    if (!device) fprintf(stderr, "%s\n", tw_error_message()), exit(1);
    return device;
}

/* A variable that the host writes under this name; the caller maps it. */
static tw_tensor add_input(tw_graph *g, const char *name, const tw_npy *array)
{
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, array->rank, array->shape, name);
    tw_graph_create_host_write(g, name, t);
    return t;
}

/* Runs the program on inputs, a list of pairs of name and array that ends with NULL; writes `out` as a file. */
static int run_and_write(tw_device *device, tw_graph *g, tw_program program, tw_tensor out, const char *path,
                         const char *const *names, tw_npy *const *arrays)
{
    tw_npy result = { .descr = "<f4", .item = sizeof(float), .rank = tw_tensor_rank(g, out) };
    result.count = tw_tensor_elements(g, out);
    for (unsigned d = 0; d < result.rank; d++) result.shape[d] = tw_tensor_dim(g, out, d);
    tw_graph_create_host_read(g, "out", out);
    tw_engine *e = tw_engine_new(g, program, NULL);
    int failed = tw_engine_load(e, device) != TW_OK;
    for (; *names && !failed; names++, arrays++)
        failed = tw_engine_write(e, *names, (*arrays)->data, (*arrays)->count * (*arrays)->item) != TW_OK;
    failed = failed || tw_engine_run(e, 0) != TW_OK || !(result.data = malloc(result.count * sizeof(float))) ||
             tw_engine_read(e, "out", result.data, result.count * sizeof(float)) != TW_OK;
    if (failed) tw_engine_report_error(stderr, e);
    if (!failed && (failed = tw_npy_write(path, &result) != TW_OK)) fprintf(stderr, "%s\n", tw_error_message());
    free(result.data);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
    return failed;
}
