// ports.c - which output a function means by name, "node:name:0".
#include "frontend/tf/tf.h"

// Operators with several outputs, and their names in order. name*attr: as many as that attribute says.
static const struct {
  const char *op, *outputs;
} ports[] = {
    {"BatchSelfAdjointEigV2", "e v"},
    {"BatchSvd", "s u v"},
    {"BroadcastGradientArgs", "r0 r1"},
    {"CTCBeamSearchDecoder",
     "decoded_indices*top_paths decoded_values*top_paths decoded_shape*top_paths "
     "log_probability"},
    {"CTCGreedyDecoder", "decoded_indices decoded_values decoded_shape log_probability"},
    {"CTCLoss", "loss gradient"},
    {"CombinedNonMaxSuppression", "nmsed_boxes nmsed_scores nmsed_classes valid_detections"},
    {"ComputeAccidentalHits", "indices ids weights"},
    {"DenseCountSparseOutput", "output_indices output_values output_dense_shape"},
    {"DenseToDenseSetOperation", "result_indices result_values result_shape"},
    {"DenseToSparseSetOperation", "result_indices result_values result_shape"},
    {"Eig", "e v"},
    {"FakeQuantWithMinMaxVarsGradient", "backprops_wrt_input backprop_wrt_min backprop_wrt_max"},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", "backprops_wrt_input backprop_wrt_min backprop_wrt_max"},
    {"FusedBatchNorm", "y batch_mean batch_variance reserve_space_1 reserve_space_2"},
    {"FusedBatchNormGrad", "x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4"},
    {"FusedBatchNormGradV2", "x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4"},
    {"FusedBatchNormGradV3", "x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5"},
    {"FusedBatchNormV2", "y batch_mean batch_variance reserve_space_1 reserve_space_2"},
    {"FusedBatchNormV3", "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3"},
    {"IsotonicRegression", "output segments"},
    {"ListDiff", "out idx"},
    {"LogMatrixDeterminant", "sign log_abs_determinant"},
    {"Lu", "lu p"},
    {"MaxPoolWithArgmax", "output argmax"},
    {"Merge", "output value_index"},
    {"NonMaxSuppressionV4", "selected_indices valid_outputs"},
    {"NonMaxSuppressionV5", "selected_indices selected_scores valid_outputs"},
    {"Qr", "q r"},
    {"RaggedCountSparseOutput", "output_indices output_values output_dense_shape"},
    {"RaggedGather", "output_nested_splits*OUTPUT_RAGGED_RANK output_dense_values"},
    {"RaggedRange", "rt_nested_splits rt_dense_values"},
    {"RaggedTensorFromVariant", "output_nested_splits*output_ragged_rank output_dense_values"},
    {"RaggedTensorToSparse", "sparse_indices sparse_values sparse_dense_shape"},
    {"RequantizationRange", "output_min output_max"},
    {"SelfAdjointEigV2", "e v"},
    {"SoftmaxCrossEntropyWithLogits", "loss backprop"},
    {"SparseAdd", "sum_indices sum_values sum_shape"},
    {"SparseAddGrad", "a_val_grad b_val_grad"},
    {"SparseConcat", "output_indices output_values output_shape"},
    {"SparseCountSparseOutput", "output_indices output_values output_dense_shape"},
    {"SparseCross", "output_indices output_values output_shape"},
    {"SparseCrossHashed", "output_indices output_values output_shape"},
    {"SparseCrossV2", "output_indices output_values output_shape"},
    {"SparseFillEmptyRows", "output_indices output_values empty_row_indicator reverse_index_map"},
    {"SparseFillEmptyRowsGrad", "d_values d_default_value"},
    {"SparseReduceMaxSparse", "output_indices output_values output_shape"},
    {"SparseReduceSumSparse", "output_indices output_values output_shape"},
    {"SparseReorder", "output_indices output_values"},
    {"SparseReshape", "output_indices output_shape"},
    {"SparseSlice", "output_indices output_values output_shape"},
    {"SparseSoftmaxCrossEntropyWithLogits", "loss backprop"},
    {"SparseSparseMaximum", "output_indices output_values"},
    {"SparseSparseMinimum", "output_indices output_values"},
    {"SparseSplit", "output_indices*num_split output_values*num_split output_shape*num_split"},
    {"SparseToSparseSetOperation", "result_indices result_values result_shape"},
    {"StringNGrams", "ngrams ngrams_splits"},
    {"StringSplit", "indices values shape"},
    {"StringSplitV2", "indices values shape"},
    {"Svd", "s u v"},
    {"Switch", "output_false output_true"},
    {"TensorListConcatV2", "tensor lengths"},
    {"TensorListPopBack", "output_handle tensor"},
    {"TopK", "values indices"},
    {"TopKV2", "values indices"},
    {"UnicodeDecode", "row_splits char_values"},
    {"UnicodeDecodeWithOffsets", "row_splits char_values char_to_byte_starts"},
    {"Unique", "y idx"},
    {"UniqueV2", "y idx"},
    {"UniqueWithCounts", "y idx count"},
    {"UniqueWithCountsV2", "y idx count"},
    {"LookupTableExportV2", "keys values"},
};

static const char *ports_of(const tf_node *n) {
  for (size_t i = 0; i < WEFT_COUNT(ports); i++) {
    if (*ports[i].op == *n->op && !strcmp(ports[i].op, n->op))
      return ports[i].outputs;
  }
  return "";
}

// Of a function that a node calls by its own name: a result.
static uint32_t ports_of_function(tf_import *m, const tf_node *n, const tf_ref *r) {
  const tf_body *b = weft__map_find(&m->bodies, n->op, strlen(n->op));
  for (size_t i = 0; b && i < b->n_results; i++) {
    if (!strcmp(b->result_names[i], r->port))
      return (uint32_t)i + r->index;
  }
  return r->index;
}

// For operators that are not there the number behind the name counts.
uint32_t tf_port(tf_import *m, const tf_node *n, const tf_ref *r) {
  const int custom = r->port && n->of && n->of->custom ? weft_proto_find_out(n->of->custom, r->port) : -1;
  if (custom >= 0)
    return (uint32_t)custom + r->index;
  if (r->port && n->of && n->of->direct)
    return ports_of_function(m, n, r);
  const char *at = r->port ? ports_of(n) : "";
  uint32_t first = 0;
  while (*at) {
    const size_t whole = strcspn(at, " ");
    const size_t name = strcspn(at, " *");
    if (name == strlen(r->port) && !memcmp(at, r->port, name))
      return first + r->index;
    if (name == whole)
      first++;
    else {
      char attr[64];
      tf_op o = {.m = m, .node = n};
      snprintf(attr, sizeof attr, "%.*s", (int)(whole - name - 1), at + name + 1);
      const int64_t count = tf_int(&o, attr, 1);
      first += (uint32_t)WEFT_MAX(0, WEFT_MIN(count, TF_MAX_OUTPUTS));
    }
    at += whole + strspn(at + whole, " ");
  }
  return r->index;
}
// SPDX-License-Identifier: Apache-2.0
