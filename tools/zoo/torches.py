"""Networks exported by torch: layers one by one, small nets, torchvision's and transformers' architectures with
random weights; and each of them once more through the fp16 converter."""
import io
import warnings

import numpy as np


def exported(net, inputs, names=None, dynamic=None, opset=17, **more):
    import torch
    torch.manual_seed(0)
    net.eval()
    names = names or [f"x{i}" for i in range(len(inputs))]
    data = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(net, tuple(inputs), data, input_names=names, dynamic_axes=dynamic,
                          opset_version=opset, **more)
    return data.getvalue(), {n: x.numpy() for n, x in zip(names, inputs)}


def layers():
    """name -> (net, inputs)"""
    import torch
    from torch import nn
    x = torch.randn

    class Of(nn.Module):
        def __init__(self, fn):
            super().__init__()
            self.fn = fn

        def forward(self, *a):
            return self.fn(*a)

    image = (x(2, 3, 8, 8),)
    words = (x(2, 5, 16),)
    one_d = (x(2, 4, 12),)
    yield "conv1d", nn.Conv1d(4, 6, 3, padding=1), one_d
    yield "conv2d_groups", nn.Conv2d(4, 8, 3, groups=4, stride=2), (x(2, 4, 9, 9),)
    yield "conv3d", nn.Conv3d(2, 4, 3), (x(1, 2, 5, 6, 7),)
    yield "conv_dilated", nn.Conv2d(3, 4, 3, dilation=2, padding=2), image
    yield "conv_transpose", nn.ConvTranspose2d(3, 4, 3, stride=2, output_padding=1), image
    yield "lstm", nn.LSTM(16, 8, 2, bidirectional=True, batch_first=True), words
    yield "gru", nn.GRU(16, 8, batch_first=True), words
    yield "rnn", nn.RNN(16, 8), words
    yield "multihead", Of(lambda q, m=nn.MultiheadAttention(16, 4, batch_first=True).eval(): m(q, q, q)[0]), words
    yield "transformer_encoder", nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), words
    yield "transformer_decoder", nn.TransformerDecoderLayer(16, 4, 32, batch_first=True), words * 2
    yield "sdpa", Of(lambda q: nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)), (x(2, 4, 5, 8),)
    yield "batch_norm", nn.BatchNorm2d(3), image
    yield "instance_norm", nn.InstanceNorm2d(3, affine=True), image
    yield "group_norm", nn.GroupNorm(2, 4), (x(2, 4, 6, 6),)
    yield "layer_norm", nn.LayerNorm([5, 16]), words
    yield "local_response_norm", nn.LocalResponseNorm(2), image
    yield "adaptive_pool", nn.AdaptiveAvgPool2d((2, 4)), image
    yield "max_pool_indices", nn.MaxPool2d(2, return_indices=True), image
    yield "avg_pool_ceil", nn.AvgPool2d(3, 2, ceil_mode=True, count_include_pad=False, padding=1), image
    yield "lp_pool", nn.LPPool2d(2, 2), image
    yield "upsample_bilinear", nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), image
    yield "upsample_nearest", nn.Upsample(size=(11, 5)), image
    yield "upsample_bicubic", nn.Upsample(scale_factor=1.5, mode="bicubic"), image
    yield "grid_sample", Of(lambda a, g: nn.functional.grid_sample(a, g, align_corners=False)), (
        x(2, 3, 8, 8), x(2, 4, 4, 2).clamp(-1, 1))
    yield "pixel_shuffle", nn.PixelShuffle(2), (x(1, 8, 3, 3),)
    yield "pixel_unshuffle", nn.PixelUnshuffle(2), (x(1, 2, 6, 6),)
    yield "fold", nn.Fold((6, 6), 3), (x(1, 18, 16),)
    yield "unfold", nn.Unfold(3), image
    yield "reflection_pad", nn.ReflectionPad2d(2), image
    yield "replication_pad", nn.ReplicationPad2d((1, 2, 0, 1)), image
    yield "embedding", nn.Embedding(10, 4), (torch.randint(0, 10, (2, 5)),)
    yield "embedding_bag", nn.EmbeddingBag(10, 4, mode="sum"), (torch.randint(0, 10, (2, 5)),)
    for name in ("GELU", "SiLU", "Mish", "Hardswish", "Hardsigmoid", "Softplus", "ELU", "SELU", "CELU", "PReLU",
                 "Softsign", "LogSigmoid", "Tanhshrink", "Hardtanh", "GLU", "LogSoftmax", "Softmin", "RReLU"):
        yield name.lower(), getattr(nn, name)(**({"dim": 1} if name in ("GLU", "LogSoftmax", "Softmin") else {})), (
            x(2, 4, 6),)
    functions = {
        "topk": lambda a: torch.topk(a, 3), "sort": lambda a: torch.sort(a, descending=True),
        "cumsum": lambda a: torch.cumsum(a, 1), "einsum": lambda a: torch.einsum("bij,bkj->bik", a, a),
        "where": lambda a: torch.where(a > 0, a, a.mean(1, keepdim=True)),
        "masked_fill": lambda a: a.masked_fill(a > 1, -1e4), "roll": lambda a: torch.roll(a, 2, 1),
        "index": lambda a: a[:, [0, 2], 1:4], "index_put": lambda a: torch.index_put(a, (torch.tensor([0, 1]),), a[:1]),
        "nonzero": lambda a: torch.nonzero(a > 0), "boolean_mask": lambda a: a[a > 0],
        "scatter": lambda a: a.scatter(2, torch.zeros(2, 5, 2, dtype=torch.int64), 3.0),
        "gather": lambda a: a.gather(2, torch.ones(2, 5, 3, dtype=torch.int64)), "std": lambda a: a.std(1),
        "norm": lambda a: a.norm(dim=1), "logsumexp": lambda a: a.logsumexp(1), "tril": lambda a: torch.tril(a),
        "flip": lambda a: a.flip(1), "cdist": lambda a: torch.cdist(a, a), "argmax": lambda a: a.argmax(1),
        "var_mean": lambda a: torch.var_mean(a, 1), "stack_split": lambda a: torch.stack(a.split(8, 2), 1),
        "unique": lambda a: torch.unique((a * 2).long()), "repeat": lambda a: a.repeat(1, 2, 3),
        "interleave": lambda a: a.repeat_interleave(2, 1), "arange": lambda a: a + torch.arange(a.shape[2]),
        "bitwise": lambda a: (a * 4).int() & 3, "one_hot": lambda a: nn.functional.one_hot((a > 0).long(), 3),
        "fmod": lambda a: torch.fmod(a, 0.7), "clamp": lambda a: a.clamp(min=-0.5), "atan2": lambda a: torch.atan2(a, a + 1),
        "round": lambda a: torch.round(a * 3), "cross_entropy": lambda a: nn.functional.cross_entropy(
            a, torch.ones(2, 16, dtype=torch.int64)), "triu_indices": lambda a: a * torch.ones(5, 16).triu(1),
        "linalg_norm": lambda a: torch.linalg.vector_norm(a, 3, 1), "erfc": lambda a: torch.special.erfc(a),
        "stft": lambda a: torch.view_as_real(torch.stft(a.reshape(2, 80), 16, 4, window=torch.hann_window(16),
                                                         return_complex=True))}
    for name, fn in functions.items():
        yield name, Of(fn), words


def nets():
    import torch
    import torchvision.models as models
    image = (torch.randn(1, 3, 64, 64),)
    for name in ("alexnet", "squeezenet1_1", "mobilenet_v2", "mobilenet_v3_small", "shufflenet_v2_x0_5", "resnet18",
                 "mnasnet0_5", "densenet121", "googlenet", "efficientnet_b0", "regnet_y_400mf", "convnext_tiny",
                 "vit_b_32", "swin_t"):
        yield "vision_" + name, lambda n=name: exported(
            getattr(models, n)(weights=None, **({"image_size": 64} if "vit" in n else {}),
                               **({"aux_logits": False} if n == "googlenet" else {})), image,
            dynamic={"x0": {0: "batch"}})
    segment = models.segmentation
    yield "vision_lraspp", lambda: exported(segment.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None), image)
    yield "vision_ssdlite", lambda: exported(models.detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None), (torch.rand(1, 3, 64, 64),))


TINY = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
        "vocab_size": 99, "max_position_embeddings": 64}
LANGUAGE = [("BertModel", "BertConfig", {}), ("DistilBertModel", "DistilBertConfig", {
    "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64}), ("RobertaModel", "RobertaConfig", {}),
    ("ElectraModel", "ElectraConfig", {"embedding_size": 16}), ("AlbertModel", "AlbertConfig", {"embedding_size": 16}),
    ("DebertaV2Model", "DebertaV2Config", {}), ("GPT2Model", "GPT2Config", {"n_embd": 32, "n_layer": 2, "n_head": 4}),
    ("OPTModel", "OPTConfig", {"ffn_dim": 64, "word_embed_proj_dim": 32}), ("LlamaModel", "LlamaConfig", {}),
    ("MistralModel", "MistralConfig", {"num_key_value_heads": 2}), ("Qwen2Model", "Qwen2Config", {
        "num_key_value_heads": 2}), ("GPTNeoXModel", "GPTNeoXConfig", {}), ("PhiModel", "PhiConfig", {}),
    ("BloomModel", "BloomConfig", {"n_layer": 2, "n_head": 4}), ("T5EncoderModel", "T5Config", {
        "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}), ("MobileBertModel", "MobileBertConfig", {
            "embedding_size": 32, "intra_bottleneck_size": 32, "true_hidden_size": 32}), ("XLMModel", "XLMConfig", {
                "emb_dim": 32, "n_layers": 2, "n_heads": 4, "n_words": 99})]


def language(net, config, more):
    import torch
    import transformers
    from torch import nn
    settings = getattr(transformers, config)(**{**TINY, **more}, use_cache=False)
    settings._attn_implementation = "eager"
    made = getattr(transformers, net)(settings)

    class Of(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = made

        def forward(self, ids, mask):
            return self.net(input_ids=ids, attention_mask=mask)[0]

    ids = torch.randint(0, 99, (2, 7))
    names = {0: "batch", 1: "sequence"}
    return exported(Of(), (ids, torch.ones_like(ids)), ["ids", "mask"], {"ids": names, "mask": names})


def layer_models():
    for name, net, inputs in layers():
        yield "torch_" + name, lambda n=net, i=inputs: exported(n, i)


def language_models():
    for net, config, more in LANGUAGE:
        yield "language_" + net.lower(), lambda a=(net, config, more): language(*a)


FAMILIES = {"torch": layer_models, "vision": nets, "language": language_models}
# SPDX-License-Identifier: Apache-2.0
