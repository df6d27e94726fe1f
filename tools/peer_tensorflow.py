#!/usr/bin/env python3
"""TensorFlow for `weft bench SAVED_MODEL --peer tensorflow`: the signature serving_default."""
import os

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import peer_frameworks
import tensorflow as tf


def load(path, threads):
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    model = tf.saved_model.load(path)
    function = model.signatures["serving_default"]
    names = list(function.structured_input_signature[1])

    def call(inputs):
        y = function(**{n: tf.constant(x) for n, x in zip(names, inputs)})
        return [model and y[k].numpy() for k in sorted(y)]
    return call


peer_frameworks.serve("TensorFlow", tf.__version__, load)
# SPDX-License-Identifier: Apache-2.0
