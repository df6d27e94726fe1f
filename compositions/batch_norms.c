// compositions/batch_norms.c - normalisations of channels, over batches: whole, in pieces, over several
// machines, and their gradients. Halves are computed in f32.
#include "air_slots.h"
#include "norm_axes.h"

#define W  COMPOSED_WIDE
#define BY COMPOSED_WIDE_BY

// ---- of channels ----
static weft_status bn_infer_build(weft__composing *c) {
  static const char *const of[] = {"scale", "offset", "mean", "variance"};
  for (size_t i = 0; i < WEFT_COUNT(of); i++)
    WEFT_TRY(norms_spread(c, of[i], "x", 1));
  return weft__compose_text(c,
                            "y = Add(Mul(Mul(Sub(x, mean), Rsqrt(Add(variance, epsilon))), scale), offset)");
}
static weft_status bn_infer_grad_build(weft__composing *c) {
  WEFT_TRY(norms_spread(c, "scale", "grads", 1));
  WEFT_TRY(norms_spread(c, "batch_variance", "grads", 1));
  return weft__compose_text(c, "x_backprop = Mul(Mul(grads, scale), Rsqrt(Add(batch_variance, epsilon)))");
}
static weft_status bn_training_reduce_build(weft__composing *c) {
  WEFT_TRY(norms_channel_axes(c, "x", 1));
  return weft__compose_text(c, "sum = ReduceSum(x, outer); square_sum = ReduceSum(Square(x), outer)");
}
// mean and variance of sums: `n` elements each
static weft_status bn_of_sums(weft__composing *c) {
  WEFT_TRY(norms_channel_axes(c, "x", 1));
  return weft__compose_text(c,
                            "n = RealDiv(count(x), count(sum)); batch_mean = RealDiv(sum, n); "
                            "batch_variance = Maximum(Sub(RealDiv(square_sum, n), Square(batch_mean)), 0)");
}
static weft_status bn_normalised(weft__composing *c) {
  WEFT_TRY(weft__compose_text(
      c,
      "m = Identity(batch_mean); v = Identity(batch_variance); k = Identity(scale); b = Identity(offset)"));
  static const char *const of[] = {"m", "v", "k", "b"};
  for (size_t i = 0; i < WEFT_COUNT(of); i++)
    WEFT_TRY(norms_spread(c, of[i], "x", 1));
  return weft__compose_text(c, "y = Add(Mul(Mul(Sub(x, m), Rsqrt(Add(v, epsilon))), k), b)");
}
static weft_status bn_training_update_build(weft__composing *c) {
  WEFT_TRY(bn_of_sums(c));
  WEFT_TRY(bn_normalised(c));
  return weft__compose_text(c,
                            "mean = Add(Mul(batch_mean, factor), Mul(mean, Sub(1, factor))); u = "
                            "Mul(batch_variance, RealDiv(n, Maximum(Sub(n, 1), 1))); "
                            "variance = Add(Mul(u, factor), Mul(variance, Sub(1, factor)))");
}
static weft_status bn_training_update_v2_build(weft__composing *c) {
  WEFT_TRY(bn_of_sums(c));
  return bn_normalised(c);
}
static weft_status bn_training_update_v3_build(weft__composing *c) {
  WEFT_TRY(bn_training_update_v2_build(c));
  return weft__compose_text(c, "reserve_1 = Identity(batch_mean); reserve_2 = Identity(batch_variance)");
}
static weft_status bn_training_update_grad_build(weft__composing *c) {
  WEFT_TRY(norms_channel_axes(c, "x", 1));
  WEFT_TRY(norms_spread(c, "batch_mean", "x", 1));
  WEFT_TRY(norms_spread(c, "batch_variance", "x", 1));
  return weft__compose_text(c,
                            "h = Mul(Sub(x, batch_mean), Rsqrt(Add(batch_variance, epsilon))); diff_scale = "
                            "ReduceSum(Mul(grads, h), outer); "
                            "diff_offset = ReduceSum(grads, outer)");
}
static weft_status bn_training_reduce_grad_build(weft__composing *c) {
  static const char *const of[] = {"diff_scale", "diff_offset", "scale", "batch_mean", "batch_variance"};
  WEFT_TRY(weft__compose_text(c, "n = RealDiv(count(x), count(scale))"));
  for (size_t i = 0; i < WEFT_COUNT(of); i++)
    WEFT_TRY(norms_spread(c, of[i], "x", 1));
  return weft__compose_text(
      c,
      "r = Rsqrt(Add(batch_variance, epsilon)); h = Mul(Sub(x, batch_mean), r); "
      "y = Mul(Mul(Sub(Sub(grads, RealDiv(diff_offset, n)), Mul(h, RealDiv(diff_scale, n))), scale), r)");
}

static weft_status batch_norm_v3_build(weft__composing *c) {
  bool training = weft_node_bool(c->desc, WEFT_SLOT_BATCH_NORM_V3_IS_TRAINING);
  WEFT_TRY(norms_channel_axes(c, "x", 1));
  if (training)
    WEFT_TRY(weft__compose_text(
        c,
        "n = RealDiv(count(x), count(weight)); save_mean = ReduceMean(x, outer); d = ReduceMean(x, outer, "
        "keep_dims=true); "
        "v = ReduceMean(Square(Sub(x, d)), outer); u = Mul(v, RealDiv(n, Maximum(Sub(n, 1), 1))); "
        "running_mean = Add(Mul(running_mean, Sub(1, momentum)), Mul(save_mean, momentum)); "
        "running_var = Add(Mul(running_var, Sub(1, momentum)), Mul(u, momentum))"));
  else
    WEFT_TRY(weft__compose_text(c,
                                "save_mean = Identity(running_mean); v = Identity(running_var); running_mean "
                                "= Identity(running_mean); "
                                "running_var = Identity(running_var)"));
  WEFT_TRY(weft__compose_text(c,
                              "save_rstd = Rsqrt(Add(v, epsilon)); m = Identity(save_mean); r = "
                              "Identity(save_rstd); k = Identity(weight); b = Identity(bias)"));
  static const char *const of[] = {"m", "r", "k", "b"};
  for (size_t i = 0; i < WEFT_COUNT(of); i++)
    WEFT_TRY(norms_spread(c, of[i], "x", 1));
  return weft__compose_text(c, "y = Add(Mul(Mul(Sub(x, m), r), k), b)");
}
// mean, rstd given: of the batch, or (frozen) of all time
static weft_status batch_norm_gradients(weft__composing *c, const char *x, int channel, bool training) {
  WEFT_TRY(norms_channel_axes(c, x, channel));
  static const char *const of[] = {"m", "r", "k"};
  for (size_t i = 0; i < WEFT_COUNT(of); i++)
    WEFT_TRY(norms_spread(c, of[i], x, channel));
  WEFT_TRY(weft__compose_text(c,
                              "h = Mul(Sub(x, m), r); gk = ReduceSum(Mul(g, h), outer); gb = ReduceSum(g, "
                              "outer); n = RealDiv(count(x), count(gb))"));
  if (!training)
    return weft__compose_text(c, "gx = Mul(Mul(g, k), r)");
  return weft__compose_text(
      c,
      "a = ReduceSum(g, outer, keep_dims=true); b = ReduceSum(Mul(g, h), outer, keep_dims=true); "
      "gx = Mul(Mul(Sub(Sub(g, RealDiv(a, n)), Mul(h, RealDiv(b, n))), k), r)");
}
static weft_status batch_norm_grad_v3_build(weft__composing *c) {
  bool training = weft_node_bool(c->desc, WEFT_SLOT_BATCH_NORM_GRAD_V3_IS_TRAINING);
  WEFT_TRY(weft__compose_text(c, training
                                     ? "m = Identity(save_mean); r = Identity(save_rstd)"
                                     : "m = f32(running_mean); r = Rsqrt(Add(f32(running_var), epsilon))"));
  WEFT_TRY(weft__compose_text(c, "k = Identity(weight); g = Identity(dy)"));
  WEFT_TRY(batch_norm_gradients(c, "x", 1, training));
  return weft__compose_text(c, "dx = Identity(gx); dweight = Identity(gk); dbias = Identity(gb)");
}
static weft_status norms_batch_grad(weft__composing *c, int channel, bool training, bool five) {
  WEFT_TRY(weft__compose_text(c,
                              "m = Identity(reserve_space_1); r = Rsqrt(Add(reserve_space_2, epsilon)); k = "
                              "Identity(scale); g = Identity(y_backprop)"));
  WEFT_TRY(batch_norm_gradients(c, "x", channel, training));
  WEFT_TRY(weft__compose_text(
      c, "x_backprop = Identity(gx); scale_backprop = Identity(gk); offset_backprop = Identity(gb)"));
  return five ? weft__compose_text(c, "reserve_space_4 = ZerosLike(gk); reserve_space_5 = ZerosLike(gk)")
              : WEFT_OK;
}
static weft_status batch_norm_grad_build(weft__composing *c) {
  return norms_batch_grad(c, norms_channel_of(weft_node_str(c->desc, WEFT_SLOT_BATCH_NORM_GRAD_DATA_FORMAT)),
                          weft_node_bool(c->desc, WEFT_SLOT_BATCH_NORM_GRAD_IS_TRAINING), true);
}
static weft_status batch_norm_3d_grad_build(weft__composing *c) {
  return norms_batch_grad(c,
                          norms_channel_of(weft_node_str(c->desc, WEFT_SLOT_BATCH_NORM3_D_GRAD_DATA_FORMAT)),
                          weft_node_bool(c->desc, WEFT_SLOT_BATCH_NORM3_D_GRAD_IS_TRAINING), true);
}

// ---- of several machines' batches ----
static weft_status sync_gather_stats_build(weft__composing *c) {
  return weft__compose_text(
      c,
      "n = ReduceSum(as(total_sum, sample_count), [0]); batch_mean = RealDiv(ReduceSum(total_sum, [0]), n); "
      "v = Maximum(Sub(RealDiv(ReduceSum(total_square_sum, [0]), n), Square(batch_mean)), 0); batch_invstd = "
      "Rsqrt(Add(v, eps)); "
      "mean = Add(Mul(mean, Sub(1, momentum)), Mul(batch_mean, momentum)); u = Mul(v, RealDiv(n, "
      "Maximum(Sub(n, 1), 1))); "
      "variance = Add(Mul(variance, Sub(1, momentum)), Mul(u, momentum))");
}
// The variance of all is that of each machine and how far its mean lies from that of all.
static weft_status sync_gather_counts_build(weft__composing *c) {
  return weft__compose_text(
      c,
      "v = Sub(RealDiv(1, Square(invert_std_all)), epsilon); d = Sub(mean_all, mean_broadcast); "
      "s = RealDiv(ReduceSum(Mul(Add(v, Square(d)), count_all), [0]), count_sum); "
      "invert_std = Rsqrt(Add(s, epsilon)); u = Mul(s, RealDiv(count_sum, Maximum(Sub(count_sum, 1), 1))); "
      "running_var_update = Add(Mul(running_var, Sub(1, momentum)), Mul(u, momentum))");
}
static weft_status sync_backward_elemt_build(weft__composing *c) {
  static const char *const of[] = {"mean", "invstd", "weight", "mean_dy", "mean_dy_xmu"};
  for (size_t i = 0; i < WEFT_COUNT(of); i++)
    WEFT_TRY(norms_spread(c, of[i], "save_input", 1));
  return weft__compose_text(c,
                            "d = Mul(Sub(save_input, mean), Mul(Square(invstd), mean_dy_xmu)); "
                            "grad_input = Mul(Sub(Sub(grad_output, mean_dy), d), Mul(invstd, weight))");
}

// ---- of instances ----
static weft_status in_training_reduce_build(weft__composing *c) {
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  int rank = front_rank_of(c->o, weft__composed(c, "x"));
  for (int i = 2; i < rank; i++)
    axes[n++] = i;
  WEFT_TRY(norms_name_axes(c, "inner", axes, n));
  return weft__compose_text(
      c,
      "sum = ReduceSum(x, inner, keep_dims=true); square_sum = ReduceSum(Square(x), inner, keep_dims=true)");
}

// By given statistics; parameters are those of channels, or lie as x does.
static weft_status in_infer_build(weft__composing *c) {
  static const char *const of[] = {"m", "v", "gamma", "beta"};
  if (!weft__composed(c, "mean") || !weft__composed(c, "variance"))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "inputs 'mean' and 'variance' are needed: they are not worked out");
  WEFT_TRY(weft__compose_text(c, "m = Identity(mean); v = Identity(variance)"));
  for (size_t i = 0; i < WEFT_COUNT(of); i++)
    WEFT_TRY(norms_spread(c, of[i], "x", 1));
  WEFT_TRY(weft__compose_text(c, "y = Mul(Sub(x, m), Rsqrt(Add(v, epsilon)))"));
  WEFT_TRY(norms_affine(c, "gamma", "beta"));
  return weft__compose_text(c, "batch_mean = Identity(mean); batch_variance = Identity(variance)");
}

#define BATCH                                                                                             \
  "y, batch_mean, batch_variance, reserve_space_1, reserve_space_2 = BatchNorm(x, scale, offset, mean?, " \
  "variance?, epsilon=@epsilon, data_format=@data_format, is_training=@is_training)"

WEFT_ROWS(batch_norms) = {
    BY("BNInfer", "channels normalised by given statistics", bn_infer_build,
       "f32[1,1,1,2]{1,3}, f32[1]{2}, f32[1]{1}, f32[1]{1}, f32[1]{4} epsilon=0 -> f32[1,1,1,2]{1,3}"),
    BY("BNInferGrad", "the gradient of BNInfer", bn_infer_grad_build,
       "f32[1,1,1,2]{1,3}, f32[1]{2}, f32[1]{4} epsilon=0 -> f32[1,1,1,2]{1,3}"),
    BY("BNTrainingReduce", "sums of channels, and of their squares", bn_training_reduce_build,
       "f32[1,1,1,2]{1,3} -> f32[1]{4}, f32[1]{10}"),
    BY("BN3DTrainingReduce", "sums of channels, and of their squares", bn_training_reduce_build,
       "f32[1,1,1,1,2]{1,3} -> f32[1]{4}, f32[1]{10}"),
    BY("BNTrainingUpdate", "channels normalised by their sums, and running statistics",
       bn_training_update_build,
       "f32[N,4,2,2], f32[4], f32[4], f32[4], f32[4], f32[4], f32[4] factor=0.1 epsilon=0.001 -> "
       "f32[N,4,2,2], f32[4], f32[4], f32[4], f32[4]"),
    BY("BN3DTrainingUpdate", "channels normalised by their sums, and running statistics",
       bn_training_update_build,
       "f32[N,4,2,2,2], f32[4], f32[4], f32[4], f32[4], f32[4], f32[4] factor=0.1 epsilon=0.001 -> "
       "f32[N,4,2,2,2], f32[4], f32[4], f32[4], f32[4]"),
    BY("BNTrainingUpdateV2", "channels normalised by their sums", bn_training_update_v2_build,
       "f32[1,1,1,2]{1,3}, f32[1]{4}, f32[1]{10}, f32[1]{1}, f32[1]{0} epsilon=0 -> f32[1,1,1,2]{-1,1}, "
       "f32[1]{2}, f32[1]{1}"),
    BY("BNTrainingUpdateV3", "channels normalised by their sums", bn_training_update_v3_build,
       "f32[1,1,1,2]{1,3}, f32[1]{4}, f32[1]{10}, f32[1]{1}, f32[1]{0} epsilon=0 -> f32[1,1,1,2]{-1,1}, "
       "f32[1]{2}, f32[1]{1}, f32[1]{2}, f32[1]{1}"),
    BY("BNTrainingUpdateGrad", "gradients of scale and offset", bn_training_update_grad_build,
       "f32[N,4,2,2], f32[N,4,2,2], f32[4], f32[4] -> f32[4], f32[4]"),
    BY("BN3DTrainingUpdateGrad", "gradients of scale and offset", bn_training_update_grad_build,
       "f32[N,4,2,2,2], f32[N,4,2,2,2], f32[4], f32[4] -> f32[4], f32[4]"),
    BY("BNTrainingReduceGrad", "the gradient of x", bn_training_reduce_grad_build,
       "f32[N,4,2,2], f32[N,4,2,2], f32[4], f32[4], f32[4], f32[4], f32[4] -> f32[N,4,2,2]"),
    BY("BN3DTrainingReduceGrad", "the gradient of x", bn_training_reduce_grad_build,
       "f32[N,4,2,2,2], f32[N,4,2,2,2], f32[4], f32[4], f32[4], f32[4], f32[4] -> f32[N,4,2,2,2]"),
    BY("BatchNormV3", "channels normalised by the batch's or running statistics", batch_norm_v3_build,
       "f32[1,1,1,2]{1,3}, f32[1]{1}, f32[1]{0}, f32[1]{0}, f32[1]{1} epsilon=0 momentum=0.5 -> "
       "f32[1,1,1,2]{-1,1}, f32[1]{1}, f32[1]{1.5}, f32[1]{2}, f32[1]{1}"),
    BY("BatchNormGradV3", "the gradient of BatchNormV3", batch_norm_grad_v3_build,
       "f32[N,4,2], f32[N,4,2], f32[4], f32[4], f32[4], f32[4], f32[4] -> f32[N,4,2], f32[4], f32[4]"),
    BY("BatchNormGrad", "the gradient of BatchNorm", batch_norm_grad_build,
       "f32[N,2,2,4], f32[N,2,2,4], f32[4], f32[4], f32[4] -> f32[N,2,2,4], f32[4], f32[4], f32[4], f32[4]"),
    BY("BatchNorm3DGrad", "the gradient of BatchNorm3D", batch_norm_3d_grad_build,
       "f32[N,4,2,2,2], f32[N,4,2,2,2], f32[4], f32[4], f32[4] -> f32[N,4,2,2,2], f32[4], f32[4], f32[4], "
       "f32[4]"),
    BY("SyncBatchNormGatherStats", "statistics of all machines' sums", sync_gather_stats_build,
       "f32[2,1]{1,3}, f32[2,1]{1,9}, i32[2]{1,1}, f32[1]{0}, f32[1]{0} momentum=0.5 eps=0 -> f32[1]{2}, "
       "f32[1]{1}, f32[1]{1}, f32[1]{1}"),
    BY("SyncBatchNormBackwardElemt", "the gradient of a batch norm by means of all machines",
       sync_backward_elemt_build,
       "f32[1,1,2]{3,1}, f32[1,1,2]{1,3}, f32[1]{2}, f32[1]{1}, f32[1]{2}, f32[1]{2}, f32[1]{-1} -> "
       "f32[1,1,2]{0,0}"),
    BY("INTrainingReduceV2", "sums of instances, and of their squares", in_training_reduce_build,
       "f32[1,1,2]{1,3} -> f32[1,1,1]{4}, f32[1,1,1]{10}", "f16[N,4,2,2] -> f32[N,4,1,1], f32[N,4,1,1]"),
    BY("INInferV2", "instances normalised by given statistics", in_infer_build,
       "f32[1,1,1,2]{1,3}, f32[1,1,1,1]{2}, f32[1,1,1,1]{1}, f32[1,1,1,1]{1}, f32[1,1,1,1]{4} epsilon=0 -> "
       "f32[1,1,1,2]{1,3}, f32[1,1,1,1]{1}, f32[1,1,1,1]{4}",
       "f32[1,2,2]{1,3,2,4}, _, _, f32[2]{1,2}, f32[2]{4,1} epsilon=0 -> f32[1,2,2]{0,1,0,2}, f32[2]{1,2}, "
       "f32[2]{4,1}",
       "f32[1,2,2] -> _, _, _ !! E_UNSUPPORTED 'mean' and 'variance'"),
    BY("SyncBatchNormGatherStatsWithCounts", "statistics of all machines' batches, and the running variance",
       sync_gather_counts_build,
       "f32[2,1]{1,3}, f32[2,1]{1,1}, f32[2,1]{2,2}, f32[1]{2}, f32[1]{4}, f32[1]{0} momentum=0.5 epsilon=0 "
       "-> "
       "f32[1]{0.70710678}, f32[1]{1.3333334} ~1e-6",
       "f16[2,C], f16[2,C], f16[2,C], f16[C], f16[C], f16[C] -> f16[C], f16[C]"),
    COMPOSED("FusedBatchNormV2", "channels normalised by the batch's or given statistics", BATCH,
             "f32[N,2,2,4], f32[4], f32[4] -> f32[N,2,2,4], f32[4], f32[4], f32[4], f32[4]"),
    COMPOSED("BatchNorm3D", "channels normalised by the batch's or given statistics", BATCH,
             "f32[N,4,2,2,2], f32[4], f32[4], f32[4], f32[4] is_training=false -> f32[N,4,2,2,2], f32[4], "
             "f32[4], f32[4], f32[4]"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
