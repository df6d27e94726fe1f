#!/usr/bin/env python3
"""TFLite's interpreter (ai-edge-litert, with XNNPACK) for `weft bench MODEL.tflite --peer tflite`."""
import peer_frameworks
from ai_edge_litert import interpreter


def load(path, threads):
    model = interpreter.Interpreter(model_path=path, num_threads=threads)
    ready = []

    def call(inputs):
        if not ready:
            for d, x in zip(model.get_input_details(), inputs):
                model.resize_tensor_input(d["index"], x.shape)
            model.allocate_tensors()
            for d, x in zip(model.get_input_details(), inputs):
                model.set_tensor(d["index"], x)
            ready.append(True)
        model.invoke()
        return [model.get_tensor(d["index"]) for d in model.get_output_details()]
    return call


peer_frameworks.serve("TFLite", "ai-edge-litert", load)
# SPDX-License-Identifier: Apache-2.0
