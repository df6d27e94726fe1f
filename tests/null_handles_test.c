// null_handles_test.c - every public function that takes a pointer, with NULL for each: no crash, and
// E_INVALID with a text where there is a status. tools/check_abi.py looks here for every exported function.
// Left out: weft_load_f64, weft_load_i64, weft_load_u64, weft_store_f64, weft_store_i64 and weft_store_u64,
// whose pointers are data and stand in the innermost loops.
#include "check.h"
#include "run_util.h"
#include "weft/weft.h"

// Sessions say E_STATE, as weft/session.h tells.
static void check_refused(weft_status s, const weft_diag *d, const char *call, int line) {
  if (s != WEFT_E_INVALID && s != WEFT_E_STATE)
    check_failed(__FILE__, line, "%s gave %s", call, weft_status_name(s));
  if (d && (!d->length || d->status != s))
    check_failed(__FILE__, line, "%s has no text", call);
}
#define REFUSED(call)                                   \
  do {                                                  \
    weft_diag d = {0};                                  \
    weft_status refused_status = (call);                \
    check_refused(refused_status, &d, #call, __LINE__); \
  } while (0)
#define REFUSED_BARE(call) check_refused((call), NULL, #call, __LINE__)
#define REFUSED_VALUE(call)                       \
  do {                                            \
    weft_diag d = {0};                            \
    CHECK(!(call));                               \
    check_refused(d.status, &d, #call, __LINE__); \
  } while (0)

TEST(base_h) {
  weft_diag_clear(NULL);
  CHECK(!weft_fail(NULL, WEFT_OK, "x"));
  weft_note(NULL, "x");
  (void)weft_name_distance(NULL, 0, NULL, 0);
}

TEST(file_h) {
  REFUSED(weft_file_create(NULL, NULL, &d));
  REFUSED_BARE(weft_file_write(NULL, NULL, 0));
  CHECK(!weft_file_finish(NULL, WEFT_OK, NULL));
}

TEST(dtype_h) {
  (void)weft_dtype_parse(NULL, 0);
  (void)weft_dtype_set_text(0, NULL, 0);
}

TEST(format_h) {
  (void)weft_format_text(0, NULL, 0);
  (void)weft_format_parse(NULL, 0);
  REFUSED(weft_format_storage_shape(NULL, 0, 0, 0, NULL, &d));
  REFUSED(weft_format_permute_shape(NULL, 0, 0, NULL, &d));
  REFUSED(weft_format_convert(NULL, 0, 0, NULL, 0, 0, NULL, 0, 0, &d));
}

TEST(shape_h) {
  REFUSED_BARE(weft_shape_init(NULL, NULL, 0));
  weft_shape_copy(NULL, NULL);
  weft_shape_set_scalar(NULL);
  weft_shape_set_unknown_rank(NULL);
  (void)weft_shape_is_unknown_rank(NULL);
  (void)weft_shape_is_known(NULL);
  (void)weft_shape_dim(NULL, 0);
  REFUSED_BARE(weft_shape_set_dim(NULL, 0, 0));
  REFUSED_BARE(weft_shape_set_rank(NULL, 0));
  REFUSED_BARE(weft_shape_append(NULL, 0));
  (void)weft_shape_equal(NULL, NULL);
  REFUSED_BARE(weft_shape_elems(NULL, NULL));
  (void)weft_shape_text(NULL, NULL, NULL, 0);
  weft_difference_add(NULL, NULL, NULL);
  (void)weft_difference_text(NULL, NULL, 0);
  (void)weft_mul_size(0, 0, NULL);
  (void)weft_add_size(0, 0, NULL);
  REFUSED_BARE(weft_symbols_create(NULL, NULL));
  weft_symbols_destroy(NULL);
  (void)weft_dim_symbol(NULL, NULL, 0, 0, 0);
  (void)weft_dim_add(NULL, 0, 0);
  (void)weft_dim_sub(NULL, 0, 0);
  (void)weft_dim_mul(NULL, 0, 0);
  (void)weft_dim_floordiv(NULL, 0, 0);
  (void)weft_dim_ceildiv(NULL, 0, 0);
  (void)weft_dim_div_exact(NULL, 0, 0);
  (void)weft_dim_max(NULL, 0, 0);
  (void)weft_dim_min(NULL, 0, 0);
  weft_dim_bounds(NULL, 0, NULL, NULL);
  (void)weft_dim_text(NULL, 0, NULL, 0);
  REFUSED(weft_dim_parse(NULL, NULL, 0, NULL, &d));
}

TEST(tensor_h) {
  weft_desc_init_sized(NULL, 0);
  REFUSED_BARE(weft_desc_set(NULL, 0, 0, NULL, 0));
  REFUSED(weft_desc_set_range(NULL, NULL, NULL, &d));
  weft_desc_normalise(NULL);
  (void)weft_desc_equal(NULL, NULL);
  REFUSED_BARE(weft_desc_compatible(NULL, NULL, 0, NULL));
  CHECK_INT(weft_desc_elems(NULL), -1);
  CHECK_INT(weft_desc_bytes(NULL), -1);
  (void)weft_desc_text(NULL, NULL, 0);
  REFUSED(weft_desc_save(NULL, 0, NULL, 0, NULL, &d));
  REFUSED(weft_desc_load_sized(NULL, 0, NULL, 0, NULL, NULL, &d));
  weft_tensor_init(NULL, NULL);
  weft_tensor_deinit(NULL);
  REFUSED(weft_tensor_alloc(NULL, 0, NULL, 0, &d));
  REFUSED(weft_tensor_alloc_layout(NULL, 0, NULL, 0, 0, &d));
  REFUSED(weft_tensor_borrow(NULL, 0, NULL, 0, NULL, 0, &d));
  REFUSED(weft_tensor_copy(NULL, NULL, &d));
  REFUSED(weft_tensor_copy_plain(NULL, NULL, &d));
  (void)weft_tensor_elems(NULL);
  weft_tensor_describe_sized(NULL, NULL, 0);
  CHECK(!weft_tensor_i32(NULL));
  CHECK(!weft_tensor_i64(NULL));
  CHECK(!weft_tensor_f32(NULL));
  REFUSED(weft_tensor_set_strings(NULL, NULL, 0, NULL, NULL, &d));
  REFUSED(weft_tensor_string(NULL, 0, NULL, NULL, &d));
  REFUSED(weft_tensor_compare(NULL, NULL, 0, 0, &d));
  REFUSED(weft_tensor_parse(NULL, 0, NULL, NULL, NULL, &d));
  REFUSED_BARE(weft_tensor_print(NULL, 0, NULL, NULL));
  REFUSED(weft_npy_read(NULL, 0, NULL, &d));
  REFUSED(weft_npy_write(NULL, NULL, NULL, &d));
  REFUSED(weft_npy_load(NULL, NULL, &d));
  REFUSED(weft_npy_save(NULL, NULL, &d));
  REFUSED(weft_npz_open(NULL, NULL, &d));
  REFUSED(weft_npz_read(NULL, 0, NULL, &d));
  weft_npz_close(NULL);
  (void)weft_npz_count(NULL);
  (void)weft_npz_name(NULL, 0);
  (void)weft_npz_find(NULL, NULL, NULL);
  REFUSED(weft_npz_get(NULL, 0, NULL, &d));
  weft_npz_set_limit(NULL, 0);
  REFUSED(weft_npz_set_plugin_folder(NULL, NULL, &d));
  REFUSED(weft_npz_write(NULL, NULL, 0, NULL, NULL, &d));
  REFUSED(weft_npz_save(NULL, NULL, NULL, 0, &d));
}

TEST(attr_h) {
  (void)weft_attr_type_parse(NULL, 0);
  (void)weft_attr_equal(NULL, NULL);
  REFUSED(weft_attr_get_int(NULL, NULL, &d));
  REFUSED(weft_attr_get_float(NULL, NULL, &d));
  REFUSED(weft_attr_get_bool(NULL, NULL, &d));
  REFUSED(weft_attr_get_str(NULL, NULL, &d));
  REFUSED(weft_attr_get_ints(NULL, NULL, &d));
  REFUSED(weft_attr_parse(0, NULL, 0, NULL, NULL, NULL, &d));
  REFUSED_BARE(weft_attr_print(NULL, NULL, NULL));
  REFUSED_BARE(weft_attr_copy(NULL, NULL, NULL));
  REFUSED_BARE(weft_attr_pool_create(NULL, NULL));
  weft_attr_pool_destroy(NULL);
  REFUSED(weft_attr_pool_parse(NULL, NULL, NULL, NULL, &d));
}

TEST(env_h_1) {
  REFUSED(weft_env_create(NULL, NULL, &d));
  weft_env_destroy(NULL);
  CHECK(!weft_env_allocator(NULL));
  weft_env_log(NULL, 0, "x");
  CHECK(!weft_env_host(NULL));
  REFUSED(weft_register(NULL, NULL, 0, &d));
  REFUSED(weft_register_kernel(NULL, NULL, &d));
  REFUSED(weft_unregister(NULL, NULL, &d));
  CHECK(!weft_find(NULL, NULL));
  REFUSED(weft_get(NULL, NULL, NULL, &d));
  CHECK(!weft_proto_op(NULL));
  (void)weft_proto_source(NULL);
  (void)weft_proto_origin(NULL);
  (void)weft_proto_n_in(NULL);
  (void)weft_proto_n_out(NULL);
  (void)weft_proto_n_attr(NULL);
  CHECK(!weft_proto_in(NULL, 0));
  CHECK(!weft_proto_out(NULL, 0));
  CHECK(!weft_proto_attr(NULL, 0));
  CHECK(!weft_proto_default(NULL, 0));
  (void)weft_proto_dtypes(NULL, NULL);
  (void)weft_proto_find_in(NULL, NULL);
  (void)weft_proto_find_out(NULL, NULL);
  (void)weft_proto_find_attr(NULL, NULL);
  (void)weft_proto_missing(NULL);
  (void)weft_proto_warnings(NULL);
  (void)weft_proto_equal(NULL, NULL);
  CHECK(!weft_proto_at(NULL, 0, false));
  (void)weft_proto_count(NULL, false);
  REFUSED(weft_load_package(NULL, NULL, &d));
  REFUSED(weft_load_packages(NULL, NULL, &d));
  (void)weft_package_count(NULL);
  REFUSED(weft_plugin_load(NULL, 0, NULL, &d));
  weft_package_at_sized(NULL, 0, NULL, 0);
  CHECK(!weft_builder_create(NULL, NULL));
  weft_builder_destroy(NULL);
  CHECK(!weft_builder_input(NULL, NULL, 0));
  CHECK(!weft_builder_output(NULL, NULL, 0));
  CHECK(!weft_builder_dtypes(NULL, 0, NULL));
  CHECK(!weft_builder_formats(NULL, 0, NULL));
  CHECK(!weft_builder_value_depend(NULL, 0));
}

TEST(env_h_2) {
  CHECK(!weft_builder_follow(NULL, NULL, 0));
  CHECK(!weft_builder_attr(NULL, NULL, NULL, NULL, NULL));
  CHECK(!weft_builder_infer_shape(NULL, NULL));
  CHECK(!weft_builder_infer_dtype(NULL, NULL));
  CHECK(!weft_builder_infer_range(NULL, NULL));
  CHECK(!weft_builder_ref(NULL, NULL));
  CHECK(!weft_builder_execute(NULL, NULL));
  CHECK(!weft_builder_tiling(NULL, NULL));
  CHECK(!weft_builder_target(NULL, NULL));
  CHECK(!weft_builder_kernel(NULL, NULL));
  CHECK(!weft_builder_traits(NULL, 0));
  REFUSED(weft_builder_register(NULL, 0, &d));
  REFUSED(weft_infer_op_sized(NULL, NULL, NULL, NULL, 0, NULL, 0, 0, &d));
  REFUSED(weft_run_op(NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, &d));
}

TEST(laws_h) {
  REFUSED(weft_op_laws(NULL, NULL, NULL, NULL, &d));
  REFUSED(weft_op_kernel_laws(NULL, NULL, NULL, NULL, &d));
  REFUSED(weft_op_example(NULL, NULL, NULL, &d));
}

TEST(project_h) {
  REFUSED(weft_op_project(NULL, NULL, 0, NULL, NULL, NULL, NULL, &d));
}

TEST(graph_h_1) {
  REFUSED(weft_graph_create(NULL, NULL, NULL, &d));
  weft_graph_destroy(NULL);
  CHECK(!weft_graph_env(NULL));
  (void)weft_graph_name(NULL);
  CHECK(!weft_graph_symbols(NULL));
  REFUSED_VALUE(weft_graph_input(NULL, NULL, 0, NULL, 0, &d));
  REFUSED_VALUE(weft_graph_input_desc(NULL, NULL, NULL, &d));
  REFUSED(weft_graph_input_reshape(NULL, NULL, &d));
  REFUSED_VALUE(weft_graph_const(NULL, NULL, NULL, 0, &d));
  REFUSED_BARE(weft_graph_keep(NULL, NULL, NULL));
  REFUSED(weft_graph_output(NULL, NULL, &d));
  REFUSED(weft_graph_add_node(NULL, NULL, NULL, NULL, &d));
  REFUSED(weft_graph_add(NULL, NULL, NULL, NULL, 0, NULL, &d));
  REFUSED(weft_graph_op1(NULL, NULL, NULL, NULL, 0, NULL, &d));
  REFUSED(weft_node_connect(NULL, 0, NULL, &d));
  REFUSED(weft_graph_add_edge(NULL, NULL, 0, NULL, 0, &d));
  REFUSED(weft_graph_add_control(NULL, NULL, NULL, &d));
  REFUSED(weft_node_add_graph(NULL, 0, NULL, NULL, &d));
  REFUSED(weft_value_declare(NULL, NULL, &d));
  REFUSED(weft_node_set_origin(NULL, NULL, &d));
  CHECK(!weft_node_origin(NULL));
  REFUSED(weft_graph_set_meta(NULL, NULL, NULL, &d));
  (void)weft_graph_n_meta(NULL);
  (void)weft_graph_meta_at(NULL, 0);
  (void)weft_graph_find_meta(NULL, NULL);
  (void)weft_graph_n_nodes(NULL);
  CHECK(!weft_graph_first(NULL));
  CHECK(!weft_node_next(NULL));
  CHECK(!weft_graph_find_node(NULL, NULL));
  CHECK(!weft_graph_find_value(NULL, NULL));
  (void)weft_graph_n_inputs(NULL);
  CHECK(!weft_graph_input_at(NULL, 0));
  (void)weft_graph_n_outputs(NULL);
  CHECK(!weft_graph_output_at(NULL, 0));
  (void)weft_graph_n_consts(NULL);
  CHECK(!weft_graph_const_at(NULL, 0));
  CHECK_INT(weft_graph_find_input(NULL, NULL), -1);
  CHECK_INT(weft_graph_find_output(NULL, NULL), -1);
  CHECK(!weft_node_desc(NULL));
  CHECK(!weft_node_proto(NULL));
  CHECK(!weft_node_graph(NULL));
  (void)weft_node_name(NULL);
}

TEST(graph_h_2) {
  (void)weft_node_type(NULL);
  CHECK(!weft_node_in(NULL, 0));
  CHECK(!weft_node_out(NULL, 0));
  (void)weft_node_n_graphs(NULL);
  CHECK(!weft_node_graph_at(NULL, 0));
  CHECK(!weft_node_graph_slot(NULL, 0));
  (void)weft_node_n_controls(NULL);
  CHECK(!weft_node_control_at(NULL, 0));
  (void)weft_value_origin(NULL);
  (void)weft_value_name(NULL);
  CHECK(!weft_value_node(NULL, NULL));
  (void)weft_value_n_uses(NULL);
  weft_value_desc_sized(NULL, NULL, 0);
  weft_value_expected_sized(NULL, NULL, 0);
  (void)weft_value_dtype(NULL);
  CHECK(!weft_value_data(NULL));
  REFUSED(weft_node_set_attr(NULL, NULL, NULL, &d));
  CHECK(!weft_node_attr(NULL, NULL));
  CHECK_INT(weft_node_n_attrs(NULL), 0);
  CHECK(!weft_node_attr_at(NULL, 0, NULL));
  REFUSED(weft_node_set_in(NULL, 0, NULL, &d));
  REFUSED(weft_value_replace(NULL, NULL, &d));
  REFUSED(weft_node_remove(NULL, &d));
  REFUSED(weft_graph_sort(NULL, &d));
  REFUSED(weft_graph_verify(NULL, NULL, NULL, &d));
  REFUSED(weft_graph_compare(NULL, NULL, 0, &d));
  REFUSED_BARE(weft_graph_print(NULL, 0, NULL, NULL));
  REFUSED(weft_graph_parse(NULL, NULL, 0, NULL, NULL, &d));
  REFUSED_BARE(weft_graph_print_dot(NULL, NULL, NULL));
  REFUSED_BARE(weft_graph_print_json(NULL, NULL, NULL));
  REFUSED_BARE(weft_graph_dump(NULL, 0, NULL, NULL));
  REFUSED_BARE(weft_graph_print_table(NULL, NULL, NULL));
  REFUSED(weft_graph_save(NULL, NULL, NULL, &d));
  REFUSED(weft_graph_load(NULL, NULL, 0, NULL, &d));
}

TEST(infer_h) {
  REFUSED(weft_graph_infer(NULL, NULL, NULL, &d));
  REFUSED_BARE(weft_value_why(NULL, NULL, NULL));
  (void)weft_node_flops(NULL);
}

TEST(interp_h) {
  REFUSED(weft_interp_run(NULL, NULL, NULL, 0, NULL, 0, &d));
}

TEST(pass_h) {
  REFUSED(weft_graph_optimize(NULL, 0, NULL, NULL, &d));
  CHECK(!weft_pass_at(NULL, 0));
}

TEST(device_h) {
  CHECK(!weft_device_at(NULL, 0));
  CHECK(!weft_kernel_at(NULL, "Relu", "cpu", 0));
  CHECK(!weft_kernel_origin(NULL, NULL));
  CHECK(!weft_device_find(NULL, NULL));
}

TEST(program_h) {
  weft_program_retain(NULL);
  weft_program_release(NULL);
  REFUSED(weft_program_load(NULL, NULL, NULL, &d));
  REFUSED(weft_program_load_memory(NULL, NULL, 0, NULL, &d));
  REFUSED(weft_program_verify(NULL, &d));
  REFUSED(weft_program_save(NULL, NULL, NULL, &d));
  weft_program_keep_packed(NULL, false);
  REFUSED(weft_program_save_file(NULL, NULL, &d));
  CHECK(!weft_program_graph(NULL));
  (void)weft_program_name(NULL);
  (void)weft_program_target(NULL);
  (void)weft_program_n_inputs(NULL);
  (void)weft_program_n_outputs(NULL);
  (void)weft_program_input_sized(NULL, 0, NULL, 0);
  (void)weft_program_output_sized(NULL, 0, NULL, 0);
  (void)weft_program_find_input(NULL, NULL);
  (void)weft_program_find_output(NULL, NULL);
  CHECK(!weft_program_symbols(NULL));
}

TEST(run_h) {
  REFUSED(weft_exec_create(NULL, NULL, NULL, &d));
  weft_exec_destroy(NULL);
  REFUSED(weft_exec_run(NULL, NULL, 0, NULL, 0, &d));
  REFUSED(weft_exec_prepare(NULL, NULL, 0, NULL, &d));
  REFUSED(weft_exec_warm_up(NULL, &d));
  REFUSED(weft_exec_prepare_largest(NULL, NULL, &d));
  REFUSED(weft_exec_print_plan(NULL, NULL, NULL, &d));
  REFUSED(weft_exec_print_peak(NULL, NULL, NULL, &d));
  weft_exec_get_stats(NULL, NULL);
  (void)weft_exec_profile_sized(NULL, NULL, 0);
  REFUSED_BARE(weft_exec_write_trace(NULL, NULL, NULL));
}

TEST(session_h) {
  REFUSED(weft_session_create(NULL, NULL, NULL, &d));
  weft_session_destroy(NULL);
  REFUSED(weft_session_add(NULL, 0, NULL, &d));
  REFUSED(weft_session_remove(NULL, 0, &d));
  CHECK(!weft_session_program(NULL, 0));
  (void)weft_session_count(NULL);
  REFUSED(weft_session_run(NULL, 0, NULL, 0, NULL, 0, &d));
  REFUSED(weft_session_run_async(NULL, 0, NULL, 0, NULL, 0, NULL, &d));
  (void)weft_pending_finished(NULL);
  REFUSED(weft_pending_wait(NULL, &d));
  weft_pending_then(NULL, NULL, NULL);
}

TEST(state_h) {
  REFUSED_VALUE(weft_graph_state(NULL, "n", NULL, WEFT_CONST_COPY, &d));
  REFUSED(weft_graph_state_set(NULL, NULL, NULL, &d));
  REFUSED(weft_graph_states_out(NULL, &d));
  REFUSED(weft_graph_states_plain(NULL, &d));
  CHECK(!weft_session_states(NULL));
  CHECK(!weft_exec_states(NULL));
  CHECK(!weft_states_count(NULL));
  CHECK(!weft_states_at_sized(NULL, 0, NULL, 0));
  REFUSED(weft_states_read(NULL, "n", NULL, &d));
  REFUSED(weft_states_write(NULL, "n", NULL, &d));
  REFUSED(weft_states_reset(NULL, NULL, &d));
  REFUSED(weft_states_save(NULL, NULL, &d));
  REFUSED(weft_states_load(NULL, NULL, &d));
}

TEST(compile_h) {
  REFUSED(weft_compile(NULL, NULL, NULL, &d));
}

TEST(debug_h) {
  REFUSED(weft_bisect(NULL, NULL, NULL, 0, NULL, NULL, &d));
}

TEST(model_h) {
  REFUSED(weft_model_load(NULL, NULL, NULL, &d));
  REFUSED(weft_model_load_with(NULL, NULL, NULL, NULL, &d));
  REFUSED(weft_model_read(NULL, NULL, 0, NULL, NULL, &d));
}

TEST(onnx_h) {
  REFUSED(weft_onnx_load(NULL, NULL, NULL, &d));
  REFUSED(weft_onnx_read(NULL, NULL, 0, NULL, NULL, &d));
  REFUSED(weft_onnx_load_with(NULL, NULL, NULL, NULL, &d));
  REFUSED(weft_onnx_read_with(NULL, NULL, 0, NULL, NULL, NULL, &d));
  REFUSED(weft_onnx_read_tensor(NULL, 0, NULL, &d));
  REFUSED(weft_onnx_read_value(NULL, 0, NULL, NULL, &d));
  REFUSED(weft_onnx_write_tensor(NULL, NULL, NULL, NULL, &d));
  REFUSED(weft_onnx_write(NULL, NULL, NULL, &d));
  REFUSED(weft_weights_load(NULL, NULL, NULL, &d));
  REFUSED(weft_weights_save(NULL, NULL, &d));
  CHECK(weft_model_kind(NULL, 0, NULL));
}

TEST(simple_h) {
  REFUSED(weft_simple_read(NULL, NULL, 0, NULL, NULL, &d));
  REFUSED(weft_simple_load(NULL, NULL, NULL, &d));
}

TEST(convert_h) {
  REFUSED(weft_onnx_convert(NULL, NULL, 0, NULL, NULL, NULL, NULL, &d));
}

// ---- a handle that is there, and what else must be ----

static const char text[] = "graph \"g\" { input x: f32[4] node a: Relu(x) -> y output y }";

TEST(outputs_and_names) {
  run_fixture f;
  if (!run_open(&f, text, NULL, NULL))
    return;
  weft_env *e = f.r.env;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_diag fine = {0};
  REFUSED(weft_graph_create(e, "g", NULL, &d));
  REFUSED(weft_graph_parse(e, NULL, 9, NULL, &g, &d));
  REFUSED(weft_graph_parse(e, text, sizeof text - 1, NULL, NULL, &d));
  REFUSED(weft_model_load(e, NULL, &g, &d));
  REFUSED(weft_model_read(e, NULL, 9, NULL, &g, &d));
  REFUSED(weft_onnx_load(e, NULL, &g, &d));
  REFUSED(weft_program_load(e, NULL, &p, &d));
  REFUSED(weft_exec_create(f.p, NULL, NULL, &d));
  REFUSED(weft_exec_run(f.x, NULL, 1, NULL, 1, &d));
  REFUSED(weft_interp_run(f.g, NULL, NULL, 1, NULL, 1, &d));
  REFUSED(weft_get(e, NULL, NULL, &d));
  REFUSED(weft_register(e, NULL, 0, &d));
  REFUSED_VALUE(weft_graph_input(f.g, "z", WEFT_FLOAT, NULL, 2, &d));
  REFUSED_VALUE(weft_graph_input_desc(f.g, "z", NULL, &d));
  REFUSED(weft_graph_output(f.g, NULL, &d));
  REFUSED(weft_graph_add(f.g, "Relu", NULL, NULL, 1, NULL, &d));
  CHECK(!weft_find(e, NULL) && !weft_graph_find_node(f.g, NULL) && !weft_graph_find_meta(f.g, NULL));
  CHECK(!weft_graph_meta_at(f.g, 99).key);
  CHECK_OK(weft_graph_parse(e, text, sizeof text - 1, NULL, &g, &fine), &fine);
  REFUSED(weft_compile(g, NULL, NULL, &d));  // given away all the same
  weft_op_builder *b = weft_builder_create(e, "Mine");
  weft_builder_dtypes(weft_builder_input(b, NULL, WEFT_REQUIRED), 2, NULL);
  weft_builder_attr(weft_builder_follow(b, NULL, 1), NULL, NULL, NULL, NULL);
  REFUSED(weft_builder_register(b, 0, &d));
  weft_builder_destroy(b);
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
