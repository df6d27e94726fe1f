#!/bin/sh
# make demo: an operator package, its graph, the documents' conv-relu-pool, and an ONNX network, from source to output.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
weft=$build/weft
work=$build/demo
rm -rf "$work"
mkdir -p "$work"
step() { printf '\n== %s\n' "$*"; }

step "1. an operator package outside the tree: examples/where_like_custom"
cmake --install "$build" --prefix "$work/prefix" > /dev/null
CMAKE_PREFIX_PATH=$PWD/$work/prefix BUILD=$PWD/$work/build OUTPUT=$PWD/$work/output ./examples/where_like_custom/run.sh
export WEFT_OPP_PATH="$PWD/$work/output"
$weft op list --packages
$weft op test "$work"/output/op_graph/lib/linux/"$(uname -m)"/libwhere_like_custom_op.so

step "2. the graph as text: infer it, see why its shape is open, run it"
cat examples/where_like_custom/graph.txt
$weft infer examples/where_like_custom/graph.txt
$weft infer examples/where_like_custom/graph.txt --why y
$weft run examples/where_like_custom/graph.txt --input 'x=bool[8]{1,0,1,0,1,0,0,1}'

step "3. conv_1 -> relu_1 -> pool_1 of the documents"
$weft show examples/conv_relu_pool/model.json --metair
$weft infer examples/conv_relu_pool/model.json
$weft run examples/conv_relu_pool/model.json --random 1 --print 4

step "4. an ONNX network made by weft's own writer"
"$build"/tests/make_model inception "$work/inception.onnx"
$weft infer "$work/inception.onnx"
$weft run "$work/inception.onnx" --random 1 --print 4

light=../shared/data/onnx/light
if [ -f $light/light_squeezenet.onnx ]; then
  step "5. light_squeezenet, 105 nodes: its tensors, then compiled, run and compared"
  model=$light/light_squeezenet.onnx expect="--expect softmaxout_1=$light/light_squeezenet_output_0.pb"
  $weft show $model
else
  step "5. light_squeezenet is not at hand (../shared/data/onnx/light): weft's own network is compiled instead"
  model=$work/inception.onnx expect=
fi
$weft infer "$model" | tail -3
$weft compile "$model" -o "$work/net.weft"
$weft compile "$model" --plan | sed -n '3,12p' | cut -c1-150
$weft run "$work/net.weft" --random 1 --print 4 $expect

step "6. the saved program: where the time goes"
$weft run "$work/net.weft" --random 1 --quiet --repeat 5 --profile --trace "$work/trace.json"
ls -l "$work/net.weft" "$work/trace.json"

step "7. an operator whose output shape only its data tell, compiled: planned in two parts"
$weft compile examples/where_like_custom/graph.txt
$weft run examples/where_like_custom/graph.txt --input 'x=bool[8]{1,0,1,0,1,0,0,1}'

step "8. one graph over two devices: the simulated NPU has no Square, so copies lead there and back"
cat examples/two_devices/graph.txt
$weft compile examples/two_devices/graph.txt --device npusim,cpu --report --plan | cut -c1-150
$weft run examples/two_devices/graph.txt --device npusim,cpu --random 1 --print 4
$weft run examples/two_devices/graph.txt --random 1 --print 4
# SPDX-License-Identifier: Apache-2.0
