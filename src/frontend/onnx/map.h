// map.h - the functions of ONNX operators that are more than a line in the table (map_*.c), and the short
// forms that those with several primitives are written in (emit.c).
#pragma once
#include "frontend/onnx/import.h"

// ---- emit.c ----
// A failure is kept in o->failed; from then on nothing is done and values are NULL.
weft_value *onnx_arg(onnx_op *o, size_t i);  // a required input
int64_t onnx_int(onnx_op *o, const char *name, int64_t dflt);
float onnx_float(onnx_op *o, const char *name, float dflt);
bool onnx_is(onnx_op *o, const char *name, const char *dflt,
             const char *text);  // does the attribute say `text`?
weft_ints onnx_ints_of(onnx_op *o, const char *name);
void onnx_pass(onnx_op *o, const char *name);  // an attribute to the primitive as it is, when the node has it
void onnx_pass_bool(onnx_op *o, const char *name);      // the same of 0 and 1
int onnx_rank_needed(onnx_op *o, const weft_value *v);  // E_UNKNOWN
// An attribute in [-rank, most], made non-negative; most is rank - 1, or rank where one past the end is
// allowed.
int64_t onnx_axis(onnx_op *o, const char *name, int64_t dflt, int rank, int most);
// The first output of a primitive with the attributes set so far; inputs from the first NULL on are absent.
weft_value *onnx_do(onnx_op *o, const char *type, weft_value *a, weft_value *b, weft_value *c);
weft_value *onnx_num(onnx_op *o, weft_dtype t, double v);       // a scalar constant
weft_value *onnx_list(onnx_op *o, const int64_t *v, size_t n);  // INT64 [n]
weft_value *onnx_index(onnx_op *o, int64_t v);                  // INT64 []
weft_value *onnx_as(onnx_op *o, weft_value *v, weft_dtype t);   // v itself when it has that dtype
weft_value *onnx_shape_of(onnx_op *o, weft_value *v);           // INT64
weft_value *onnx_dims_of(onnx_op *o, weft_value *v, int64_t begin, int64_t end);  // [begin, end) of the shape
weft_value *onnx_reshaped(onnx_op *o, weft_value *v, const int64_t *dims,
                          size_t n);  // -1: the rest, 0: the same
weft_value *onnx_picked(onnx_op *o, weft_value *v, int64_t axis, weft_value *index);
weft_value *onnx_reduced(onnx_op *o, const char *type, weft_value *v, const int64_t *axes, size_t n,
                         bool keep);                                                // n 0: all
weft_value *onnx_joined(onnx_op *o, weft_value *const *v, size_t n, int64_t axis);  // n < 16
weft_value *onnx_unsupported(onnx_op *o, const char *what);                         // fails
// Output i of the node is v: the end of such a function. The first failure, if there was one.
weft_status onnx_result(onnx_op *o, size_t i, weft_value *v);

// ---- pieces.c ----
weft_dim onnx_dim_at(const weft_value *v, int axis);              // known, a symbol, or -1; v may be NULL
bool onnx_same_dim(weft_dim a, weft_dim b);                       // certainly
weft_value *onnx_dim_list(onnx_op *o, weft_value *v, int axis);   // INT64 [1]
weft_value *onnx_dim_index(onnx_op *o, weft_value *v, int axis);  // INT64 []
typedef struct onnx_piece {  // of a new shape: a dim of a value, or a number
  weft_value *v;
  int64_t axis;
} onnx_piece;
weft_value *onnx_reshaped_to(onnx_op *o, weft_value *v, const onnx_piece *p, size_t n);  // n <= 8
weft_value *onnx_permuted(onnx_op *o, weft_value *v, const int64_t *order, size_t n);
weft_value *onnx_unsqueezed(onnx_op *o, weft_value *v, int64_t axis);
weft_value *onnx_sliced(onnx_op *o, weft_value *v, int64_t axis, weft_value *from, weft_value *to);
weft_value *onnx_part(onnx_op *o, weft_value *v, int64_t axis, int64_t from, int64_t to);
weft_value *onnx_parted(onnx_op *o, weft_value *v, int64_t axis, uint32_t n);  // n values
weft_value *onnx_product(onnx_op *o, weft_value *a, weft_value *b, bool transpose_b);
weft_value *onnx_counting(onnx_op *o, weft_value *limit);  // 0, 1, ... limit - 1

// ---- map_rules.c ----
weft_status onnx_by_rules(onnx_op *o);  // the same inputs, attributes renamed
weft_status onnx_set_by_rules(onnx_op *o);

// ---- map_math.c ----
weft_status onnx_bit_cast(onnx_op *o);
weft_status onnx_bit_shift(onnx_op *o);
weft_status onnx_cast(onnx_op *o);
weft_status onnx_cast_like(onnx_op *o);
weft_status onnx_celu(onnx_op *o);
weft_status onnx_clip(onnx_op *o);
weft_status onnx_erf(onnx_op *o);
weft_status onnx_mod(onnx_op *o);
weft_status onnx_old_broadcast(onnx_op *o);
weft_status onnx_pow(onnx_op *o);
weft_status onnx_prelu(onnx_op *o);
weft_status onnx_variadic(onnx_op *o);
// ---- map_nn.c ----
weft_status onnx_conv(onnx_op *o);
weft_status onnx_dropout(onnx_op *o);
weft_status onnx_gemm(onnx_op *o);
weft_status onnx_lrn(onnx_op *o);
// ---- map_pool.c ----
weft_status onnx_average_pool(onnx_op *o);
weft_status onnx_global_lp_pool(onnx_op *o);
weft_status onnx_global_pool(onnx_op *o);
weft_status onnx_lp_pool(onnx_op *o);
weft_status onnx_max_pool(onnx_op *o);
weft_status onnx_max_unpool(onnx_op *o);
// ---- map_norm.c ----
weft_status onnx_batch_norm(onnx_op *o);
weft_status onnx_group_norm(onnx_op *o);
weft_status onnx_layer_norm(onnx_op *o);
weft_status onnx_lp_norm(onnx_op *o);
weft_status onnx_mean_variance_norm(onnx_op *o);
weft_status onnx_rms_norm(onnx_op *o);
// ---- map_attention.c ----
weft_status onnx_attention(onnx_op *o);
weft_status onnx_flex_attention(onnx_op *o);
weft_status onnx_linear_attention(onnx_op *o);
weft_status onnx_swiglu(onnx_op *o);
weft_status onnx_causal_conv(onnx_op *o);
// a times b for each head of a, [batch, heads, ..]; b has a head for each group of a's.
weft_value *onnx_grouped(onnx_op *o, weft_value *a, weft_value *b, bool transpose_b);
// ---- map_rotary.c ----
typedef struct onnx_rotary {
  weft_value *cosines, *sines;  // [batch or 1, sequence, half of dim] with an axis of 1 where x has the heads
  int64_t dim;                  // the first elements of a head that are turned; 0: all
  bool neighbours;              // pairs of neighbours, otherwise of the two halves
} onnx_rotary;
weft_value *onnx_rotated(onnx_op *o, weft_value *x, const onnx_rotary *r);  // x of rank 4
// Checks rank and attributes of an operator that turns input 0, [batch, sequence, heads * size] or of rank 4.
weft_status onnx_rotary_sizes(onnx_op *o, weft_value *x, int64_t heads, int64_t dim, weft_dim *out_size);
weft_status onnx_rotary_result(onnx_op *o, weft_value *x, int64_t heads, weft_dim size, const onnx_rotary *r);
weft_status onnx_rotary_embedding(onnx_op *o);
// ---- map_rnn.c ----
weft_status onnx_rnn(onnx_op *o);
// ---- map_signal.c ----
weft_status onnx_dft(onnx_op *o);
weft_status onnx_stft(onnx_op *o);
weft_status onnx_window(onnx_op *o);
// ---- map_reduce.c ----
weft_status onnx_arg_extreme(onnx_op *o);
weft_status onnx_hard_max(onnx_op *o);
weft_status onnx_reduce(onnx_op *o);
weft_status onnx_softmax(onnx_op *o);
// ---- map_loss.c ----
weft_status onnx_nll_loss(onnx_op *o);
weft_status onnx_softmax_cross_entropy(onnx_op *o);
// ---- map_quant.c ----
weft_status onnx_conv_integer(onnx_op *o);
weft_status onnx_dynamic_quantize(onnx_op *o);
weft_status onnx_mat_mul_integer(onnx_op *o);
weft_status onnx_qlinear_conv(onnx_op *o);
weft_status onnx_qlinear_mat_mul(onnx_op *o);
weft_status onnx_quantize_linear(onnx_op *o);
// ---- map_index.c ----
weft_status onnx_center_crop_pad(onnx_op *o);
weft_status onnx_compress(onnx_op *o);
weft_status onnx_dynamic_slice(onnx_op *o);
weft_status onnx_eye_like(onnx_op *o);
weft_status onnx_one_hot(onnx_op *o);
weft_status onnx_pad(onnx_op *o);
weft_status onnx_slice(onnx_op *o);
weft_status onnx_split(onnx_op *o);
weft_status onnx_tensor_scatter(onnx_op *o);
weft_status onnx_tile_1(onnx_op *o);
weft_status onnx_top_k_1(onnx_op *o);
weft_status onnx_unique(onnx_op *o);
// ---- map_data.c ----
weft_status onnx_concat(onnx_op *o);
weft_status onnx_constant(onnx_op *o);
weft_status onnx_constant_of_shape(onnx_op *o);
weft_status onnx_flatten(onnx_op *o);
weft_status onnx_gather(onnx_op *o);
weft_status onnx_reshape(onnx_op *o);
weft_status onnx_shape_op(onnx_op *o);
weft_status onnx_squeeze(onnx_op *o);
weft_status onnx_transpose(onnx_op *o);
weft_status onnx_unsqueeze(onnx_op *o);
// ---- map_items.c ----
weft_status onnx_optional_op(onnx_op *o);
weft_status onnx_sequence_construct(onnx_op *o);
weft_status onnx_sequence_empty(onnx_op *o);
weft_status onnx_string_normalizer(onnx_op *o);
weft_status onnx_tf_idf(onnx_op *o);
// ---- map_ml.c: ai.onnx.ml ----
weft_status onnx_array_feature_extractor(onnx_op *o);
weft_status onnx_binarizer(onnx_op *o);
weft_status onnx_label_encoder(onnx_op *o);
weft_status onnx_tree_ensemble(onnx_op *o);
// A list, a number, a string or a tensor of the node as a constant.
weft_value *onnx_table(onnx_op *o, const onnx_attr *a);
weft_value *onnx_text_list(onnx_op *o, const onnx_str *v, size_t n);
weft_value *onnx_float_list(onnx_op *o, const float *v, size_t n);
// ---- map_models.c: ai.onnx.ml ----
weft_status onnx_category_mapper(onnx_op *o);
weft_status onnx_feature_vectorizer(onnx_op *o);
weft_status onnx_imputer(onnx_op *o);
weft_status onnx_linear_classifier(onnx_op *o);
weft_status onnx_linear_regressor(onnx_op *o);
weft_status onnx_normalizer(onnx_op *o);
weft_status onnx_one_hot_encoder(onnx_op *o);
weft_status onnx_scaler(onnx_op *o);
weft_status onnx_tree_classifier(onnx_op *o);
weft_status onnx_tree_regressor(onnx_op *o);
// What a model of ai.onnx.ml has: its post_transform as the primitives number it; lists of floats as
// constants, empty when absent or E_MISSING; its labels, integers under the name `ints`, or strings, *n of
// them.
int64_t onnx_post_transform(onnx_op *o);
weft_value *onnx_float_table(onnx_op *o, const char *name);
weft_value *onnx_needed_table(onnx_op *o, const char *name);
const onnx_attr *onnx_class_labels(onnx_op *o, const char *ints, size_t *n);
weft_value *onnx_transformed(onnx_op *o, weft_value *scores, int64_t post);
// ---- map_svm.c: ai.onnx.ml ----
weft_status onnx_svm_classifier(onnx_op *o);
weft_status onnx_svm_regressor(onnx_op *o);
// ---- map_maps.c: ai.onnx.ml ----
weft_status onnx_cast_map(onnx_op *o);
weft_status onnx_dict_vectorizer(onnx_op *o);
weft_status onnx_zip_map(onnx_op *o);
// ---- map_training.c: ai.onnx.preview.training ----
weft_status onnx_adagrad(onnx_op *o);
weft_status onnx_adam(onnx_op *o);
weft_status onnx_momentum(onnx_op *o);
// ---- map_control.c ----
weft_status onnx_batch_scan(onnx_op *o);
weft_status onnx_if(onnx_op *o);
weft_status onnx_loop(onnx_op *o);
weft_status onnx_scan(onnx_op *o);
weft_status onnx_sequence_map(onnx_op *o);
// ---- map_vision.c ----
weft_status onnx_affine_grid(onnx_op *o);
weft_status onnx_col2im(onnx_op *o);
weft_status onnx_deform_conv(onnx_op *o);
weft_status onnx_einsum(onnx_op *o);
weft_status onnx_grid_sample(onnx_op *o);
weft_status onnx_image_decoder(onnx_op *o);
weft_status onnx_max_roi_pool(onnx_op *o);
weft_status onnx_mel_weight_matrix(onnx_op *o);
weft_status onnx_non_max_suppression(onnx_op *o);
weft_status onnx_resize(onnx_op *o);
weft_status onnx_roi_align(onnx_op *o);
weft_status onnx_upsample(onnx_op *o);
// ---- map_experimental.c ----
weft_status onnx_affine(onnx_op *o);
weft_status onnx_crop(onnx_op *o);
weft_status onnx_image_scaler(onnx_op *o);
weft_status onnx_mean_variance_norm_1(onnx_op *o);
weft_status onnx_parametric_softplus(onnx_op *o);
weft_status onnx_scale(onnx_op *o);
weft_status onnx_scaled_tanh(onnx_op *o);
// ---- map_random.c ----
weft_status onnx_bernoulli(onnx_op *o);
weft_status onnx_multinomial(onnx_op *o);
weft_status onnx_random(onnx_op *o);
// SPDX-License-Identifier: Apache-2.0
