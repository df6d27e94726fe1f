// ops/described/large_models.c - operators of large models that no page describes well enough to
// compute them, or that several devices compute together: their shapes. Layer: ops.
#include "described.h"

// clang-format off
WEFT_ROWS(described_large_models) = {
  DESCRIBED("MoeInitRoutingV2", "rows once for each of their experts",
    "expanded_x = [?, x.1]; expanded_row_idx = [expert_idx.0 * expert_idx.1]; "
    "expanded_expert_idx = [expert_idx.0 * expert_idx.1]; expert_token_idx = [?]",
    "f16[N,8], _, i32[N,2] -> f16[-1,8], i32[2*N], i32[2*N], i32[-1]",
    "f32[3,4], _, i32[3] -> _, _, _, _ !! E_SHAPE input 'expert_idx'"),
  DESCRIBED("MoeInitRoutingQuantV2", "rows once for each of their experts, quantised",
    "expanded_x = ?; expanded_row_idx = [expert_idx.0 * expert_idx.1]; "
    "expert_tokens_count_or_cumsum = [@expert_num]; expert_tokens_before_capacity = [@expert_num]; "
    "dynamic_quant_scale = [?]",
    "f16[N,8], i32[N,2] expert_num=4 -> i8[?], i32[2*N], i32[4], i32[4], f32[-1]"),
  DESCRIBED("MoeFinalizeRoutingV2Grad", "gradients of MoeFinalizeRoutingV2",
    "grad_expanded_x = ?; grad_scales = scales | [grad_y.0, 1]",
    "f16[N,8], i32[N], _, f16[N,1], i32[N,1] -> f16[?], f16[N,1]"),
  DESCRIBED("MoeDistributeDispatch", "rows to the devices of their experts",
    "expand_x~x = [?, x.1]; dynamic_scales = [?]; expand_idx = [?]; expert_token_nums = [?]; "
    "ep_recv_count = [?]; tp_recv_count = [?]; expand_scales = [?]",
    "f16[N,8], i32[N,2] group_ep=\"a\" ep_world_size=2 ep_rank_id=0 moe_expert_num=4 -> f16[-1,8], "
    "f32[-1], i32[-1], i64[-1], i32[-1], i32[-1], f32[-1]"),
  DESCRIBED("MoeDistributeDispatchV2", "rows to the devices of their experts",
    "expand_x~x = [?, x.1]; dynamic_scales = [?]; assist_info_for_combine = [?]; "
    "expert_token_nums = [?]; ep_recv_count = [?]; tp_recv_count = [?]; expand_scales = [?]",
    "f16[N,8], i32[N,2] group_ep=\"a\" ep_world_size=2 ep_rank_id=0 moe_expert_num=4 -> f16[-1,8], "
    "f32[-1], i32[-1], i64[-1], i32[-1], i32[-1], f32[-1]"),
  DESCRIBED("MoeDistributeCombine", "rows of experts back from their devices",
    "x~expand_x = [expert_ids.0, expand_x.1]",
    "f16[M,8], i32[N,2], i32[M], i32[4], "
    "f32[N,2] group_ep=\"a\" ep_world_size=2 ep_rank_id=0 moe_expert_num=4 -> f16[N,8]"),
  DESCRIBED("MoeDistributeCombineV2", "rows of experts back from their devices",
    "x~expand_x = [expert_ids.0, expand_x.1]",
    "f16[M,8], i32[N,2], i32[M], i32[4], "
    "f32[N,2] group_ep=\"a\" ep_world_size=2 ep_rank_id=0 moe_expert_num=4 -> f16[N,8]"),
  DESCRIBED("MoeDistributeCombineAddRmsNorm", "rows of experts back from their devices, added and normalised",
    "y = residual_x; rstd = [residual_x:0:-1, 1]; x = residual_x",
    "bf16[M,8], i32[N,2], i32[M], i32[4], f32[N,2], bf16[N,1,8], "
    "bf16[8] group_ep=\"a\" ep_world_size=2 ep_rank_id=0 moe_expert_num=4 -> bf16[N,1,8], f32[N,1,1], "
    "bf16[N,1,8]"),
  DESCRIBED("MatmulAllReduce", "a product, summed over devices",
    "y~x1 = [x1:0:-1, x2.-1|-2@is_trans_b]",
    "f16[B,S,8], f16[8,4] group=\"a\"  -> f16[B,S,4]",
    "bf16[N,8], bf16[4,8] group=\"a\" is_trans_b=true -> bf16[N,4]"),
  DESCRIBED("MatmulAllReduceAddRmsNorm", "a product, summed over devices, added and normalised",
    "y~residual = residual; norm_out~residual = residual",
    "f16[N,8], f16[8,4], _, f16[1,N,4], f16[4] group=\"a\"  -> f16[1,N,4], f16[1,N,4]"),
  DESCRIBED("InplaceMatmulAllReduceAddRmsNorm", "a product, summed over devices, added and normalised",
    "residual~residual = residual; norm_out~residual = residual",
    "f16[N,8], f16[8,4], _, f16[1,N,4], f16[4] group=\"a\"  -> f16[1,N,4], f16[1,N,4]"),
  DESCRIBED("AllGatherMatmul", "rows of all devices by a matrix",
    "y~x1 = [?, x2.-1|-2@is_trans_b]; gather_out~x1 = [?, x1.1]",
    "f16[N,8], f16[8,4] group=\"a\"  -> f16[-1,4], f16[-1,8]"),
  DESCRIBED("MatmulReduceScatter", "a product, summed over devices, a part for each",
    "y~x1 = [?, x2.-1|-2@is_trans_b]",
    "f16[N,8], f16[8,4] group=\"a\"  -> f16[-1,4]"),
  DESCRIBED("DynamicQuantUpdateScatter", "steps written into a cache, quantised by their rows",
    "var = var; var_scale = var_scale",
    "i8[B,N,S,8], f32[B,N,S], i32[B], f16[B,N,1,8] reduce=\"update\"  -> i8[B,N,S,8], f32[B,N,S]"),
  DESCRIBED("DynamicQuantUpdateScatterV2", "steps written into a cache, quantised by their rows",
    "var = var; var_scale = var_scale; var_offset = var_offset",
    "f16[B,1,8], i32[B], i4[B,S,1,8], f32[1,B,S], f32[1,B,S] -> i4[B,S,1,8], f32[1,B,S], f32[1,B,S]"),
  DESCRIBED("RopeQuantKvcache", "rotated queries and keys, keys and values into their cache",
    "q = ?; k = ?; v = ?; k_cache = k_cache; v_cache = v_cache",
    "f16[B,1,24], f16[B,1,1,8], f16[B,1,1,8], f32[8], i32[8], i8[B,S,1,8], i8[B,S,1,8], i32[B] -> "
    "f16[?], f16[?], f16[?], i8[B,S,1,8], i8[B,S,1,8]"),
  DESCRIBED("DequantRopeQuantKvcache", "rotated queries and keys, keys and values into their cache",
    "q~cos = ?; k~cos = ?; v~cos = ?; k_cache = k_cache; v_cache = v_cache",
    "f16[B,1,24], f16[B,1,1,8], f16[B,1,1,8], i8[B,S,1,8], i8[B,S,1,8], i32[B], f32[8], "
    "f32[8] size_splits=[8,8,8] -> f16[?], f16[?], f16[?], i8[B,S,1,8], i8[B,S,1,8]"),
  DESCRIBED("RopeWithSinCosCache", "queries and keys turned by angles of a table",
    "queryOut = queryIn; keyOut = keyIn",
    "i64[N], f16[N,16], f16[N,8], f16[S,8] numQHeads=2 numKHeads=1 headSize=8 -> f16[N,16], f16[N,8]"),
  DESCRIBED("AdvanceStep", "tokens, places and lengths of the next step",
    "input_tokens = input_tokens; input_positions = input_positions; seq_lens = seq_lens; "
    "slot_mapping = slot_mapping",
    "i64[N], i64[N], i64[N], i64[N], i64[N], i64[N,4] num_seqs=4 num_queries=4 block_size=8 -> i64[N], "
    "i64[N], i64[N], i64[N]"),
  DESCRIBED("TopKTopPSample", "a token of the likeliest of each row",
    "logits_select_idx = [logits.0]; logits_top_kp_select = logits",
    "f16[B,V], i32[B], f16[B] -> i64[B], f32[B,V]"),
  DESCRIBED("AddLora", "y and what small matrices add",
    "y_out = y",
    "f16[N,16], f16[N,8], f16[1,1,16,8], i32[N] -> f16[N,16]"),
  DESCRIBED("CacheUpdate", "x, in a cache",
    "x = x",
    "f32[N,4] -> f32[N,4]"),
  DESCRIBED("SwigluGroup", "half of x times the sigmoid of the other, by groups",
    "y = [x:0:-1, x.-1 / 2]",
    "f16[N,8] -> f16[N,4]",
    "f16[B,S,6], f32[B,S] -> f16[B,S,3]"),
  DESCRIBED("SwigluGroupGrad", "gradients of SwigluGroup",
    "grad_x = x; grad_weight = weight | ?",
    "f16[N,4], f16[N,8], f32[N] -> f16[N,8], f32[N]"),
  DESCRIBED("SwigluGroupQuantGrad", "gradients of SwigluGroupQuant",
    "grad_x = x; grad_weight = weight | ?",
    "f16[N,4], f16[N,8], f32[N] -> f16[N,8], f32[N]"),
  DESCRIBED("ClippedSwigluGrad", "the gradient of ClippedSwiglu",
    "grad_x = x",
    "f16[N,4], f16[N,8] -> f16[N,8]"),
  DESCRIBED("SituGluGrad", "the gradient of SituGlu",
    "grad_x = x",
    "f16[N,4], f16[N,8] -> f16[N,8]"),
  DESCRIBED("AdaLayerNormGrad", "gradients of AdaLayerNorm",
    "pd_x = x; pd_scale = scale; pd_shift = scale; pd_gamma = gamma; pd_beta = beta",
    "f32[B,S,8], f32[B,S,8], f32[B,S,1], f32[B,S,1], f32[B,8], f32[8], f32[8] -> f32[B,S,8], f32[B,8], "
    "f32[B,8], f32[8], f32[8]"),
  DESCRIBED("LNDropoutGrad", "gradients of dropout behind a layer norm",
    "pd_x = x; pd_x_dropout = x; pd_gamma = gamma; pd_beta = gamma",
    "f16[N,8], f16[N,8], f16[N,1], f16[N,1], f16[8], u8[N,8] keep_prob=0.5 -> f16[N,8], f16[N,8], "
    "f16[8], f16[8]"),
  DESCRIBED("LayerNormUpdate", "a layer norm of given sums",
    "y = x1",
    "f16[N,8], f16[8], f16[8], f32[N,1], f32[N,1] -> f16[N,8]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
