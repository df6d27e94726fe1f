"""torch.compile(model, backend="weft"): graphs of torch.compile run by weft, by way of PyTorch's exported programs.

    fast = torch.compile(model.eval(), backend="weft")
    with torch.no_grad():
        y = fast(x)

A graph is exported when it first runs (torch.export, PyTorch 2.9 or newer), read as a .pt2 archive and compiled; for other sizes again, up to
`variants` times. Operators that weft does not read run in PyTorch, the pieces between them in weft. What weft cannot stand in for runs in
PyTorch as it was: where gradients are wanted, autocast is on, tensors are not on the CPU, or an output shares memory with an input or
another output. The logger "weft.torch" says what runs where, and why.

Parameters and buffers become constants, packed once; a parameter that was changed since (its version says so; writes through `.data` do not
count) makes the piece anew, after eight times weights are handed in at each call. options: what weft.load takes (threads, isa, precision,
options), and freeze=False, variants=16, least=2 (operators of a piece that weft takes)."""
import io
import logging
import operator
import re

import torch
from torch.fx.passes.split_module import split_module

from ._model import Model
from ._numpy import Error

log = logging.getLogger("weft.torch")
_OWN = {"freeze": True, "variants": 16, "least": 2}
_REFREEZES = 8
_UNREAD = re.compile(r"^  (torch\.ops\.\S+): ", re.M)


class _Refused(Exception):
    """Why PyTorch runs a piece itself."""


def _array(tensor):
    tensor = tensor.detach().resolve_conj().resolve_neg().contiguous()
    return tensor.view(torch.uint16).numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()


def _tensor(array, dtype):
    if dtype == torch.bfloat16:
        return torch.from_numpy(array.view("uint16")).view(torch.bfloat16)
    return torch.from_numpy(array)


def _is_weight(value):
    # torch.compile marks buffers of modules; tensors of inference mode have no version
    marked = isinstance(value, torch.nn.Parameter) or hasattr(value, "_dynamo_static_input_type")
    return isinstance(value, torch.Tensor) and marked and not value.is_inference()


def _encoder_layer(x, wide, heads, w_in, b_in, w_out, b_out, use_gelu, norm_first, eps, w_norm1, b_norm1, w_norm2, b_norm2, w_up, b_up, w_down,
                   b_down, mask=None, mask_type=None):
    """What PyTorch's one operator for a layer of nn.TransformerEncoder does, in operators that weft reads."""
    f = torch.nn.functional

    def attend(v):
        parts = f.linear(v, w_in, b_in).reshape(*v.shape[:2], 3, heads, wide // heads).permute(2, 0, 3, 1, 4)
        y = f.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        return f.linear(y.transpose(1, 2).reshape(v.shape), w_out, b_out)

    def feed(v):
        return f.linear((f.gelu if use_gelu else f.relu)(f.linear(v, w_up, b_up)), w_down, b_down)

    def norm1(v):
        return f.layer_norm(v, (wide,), w_norm1, b_norm1, eps)

    def norm2(v):
        return f.layer_norm(v, (wide,), w_norm2, b_norm2, eps)

    if norm_first:
        x = x + attend(norm1(x))
        return x + feed(norm2(x))
    x = norm1(x + attend(x))
    return norm2(x + feed(x))


def _write_out(graph):
    for node in graph.nodes:
        masked = len(node.args) > 18 and node.args[18] is not None or node.kwargs.get("mask") is not None
        if node.op == "call_function" and node.target is torch._transformer_encoder_layer_fwd and not masked:
            node.target = _encoder_layer


def _frozen(gm, args, which):
    """A copy of the graph where the inputs `which` are buffers, and operators that stand for many are written out."""
    copy = torch.fx.GraphModule(gm, gm.graph)  # with what the graph names
    graph, values = torch.fx.Graph(), {}
    for i, node in enumerate(n for n in gm.graph.nodes if n.op == "placeholder"):
        if i in which:
            copy.register_buffer(f"weft_weight_{i}", args[i].detach())
            values[node] = graph.get_attr(f"weft_weight_{i}")
        else:
            values[node] = graph.node_copy(node, values.__getitem__)
    for node in gm.graph.nodes:
        if node.op != "placeholder":
            values[node] = graph.node_copy(node, values.__getitem__)
    _write_out(graph)
    copy.graph = graph
    return copy


def _storages(nodes):
    found = {}
    for node in nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            found.setdefault(value.untyped_storage()._cdata, []).append(node.name)
    return found


def _outputs(program):
    """Nodes of what the graph gives; refuses what is no tensor and what shares memory."""
    nodes = list(program.graph.nodes)
    given = nodes[-1].all_input_nodes
    listed = torch.utils._pytree.tree_leaves(nodes[-1].args)
    for a in listed:
        if not isinstance(a, torch.fx.Node) or not isinstance(a.meta.get("val"), torch.Tensor):
            raise _Refused(f"an output is {a!r}, no tensor")
    inputs = _storages(n for n in nodes if n.op == "placeholder")
    for storage, names in _storages(given).items():
        if storage in inputs:
            raise _Refused(f"output '{names[0]}' shares memory with input '{inputs[storage][0]}'")
        if len(names) > 1:
            raise _Refused(f"outputs '{names[0]}' and '{names[1]}' share memory")
    return listed


def _moves_statistics(node):
    """Does a normalisation write running statistics, which its schema does not say?"""
    at = {"aten.batch_norm.default": 5, "aten.instance_norm.default": 5}.get(str(node.target))
    return at is not None and len(node.args) > at and node.args[at] is True and node.args[3] is not None


def _export(gm, args):
    with torch.no_grad():
        try:
            return torch.export.export(gm, args)
        except Exception as e:  # whatever its tracing raises
            raise _Refused(f"torch.export: {type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}") from e


class _Program:
    """A graph as a weft model, with weights inside."""

    def __init__(self, gm, args, settings, freeze):
        self._frozen = {i: a for i, a in enumerate(args) if freeze and _is_weight(a)}
        self._versions = {i: a._version for i, a in self._frozen.items()}
        rest = [i for i in range(len(args)) if i not in self._frozen]
        program = _export(_frozen(gm, args, self._frozen), tuple(args[i] for i in rest))
        if any(map(_moves_statistics, program.graph.nodes)):
            raise _Refused("a normalisation moves its running statistics (a model in training mode: model.eval())")
        outputs = _outputs(program)
        self.exported = program
        data = io.BytesIO()
        torch.export.save(program, data)
        self._model = Model(data.getvalue(), **settings).compile()
        users = list(program.graph_signature.user_inputs)
        numbers = dict(zip(users, rest))
        self._inputs = []
        for value in self._model.inputs:
            if value.name not in numbers:
                raise _Refused(f"weft's input '{value.name}' is none of the graph's")
            self._inputs.append(numbers[value.name])
        self._types = [n.meta["val"].dtype for n in outputs]
        # behind the outputs stand the tensors that the graph changes
        self._changed = []
        for value in self._model.outputs[len(outputs):]:
            name = value.name.removesuffix(".new")
            if name not in numbers:
                raise _Refused(f"the graph changes '{name}', which is a constant here")
            self._changed.append(numbers[name])

    def stale(self, args):
        return any(args[i] is not a or a._version != self._versions[i] for i, a in self._frozen.items())

    def __call__(self, args):
        given = self._model(*[_array(args[i]) for i in self._inputs])
        values = given if isinstance(given, tuple) else (given,)
        n = len(self._types)
        with torch.no_grad():
            for i, value in zip(self._changed, values[n:]):
                args[i].copy_(_tensor(value, args[i].dtype))
        return tuple(_tensor(v, t) for v, t in zip(values, self._types))


class _Piece:
    """A graph of torch.compile, or a part of one: a program for each of the sizes that come."""

    def __init__(self, gm, settings, own, whole):
        self._gm, self._settings, self._own, self._whole = gm, settings, own, whole
        self._variants, self._freeze, self._made = {}, own["freeze"], 0
        output = next(n for n in gm.graph.nodes if n.op == "output")
        self._alone = not isinstance(output.args[0], (tuple, list))

    def _split(self, args, unread):
        """The graph in pieces, between operators that weft does not read."""
        gm = _export(_frozen(self._gm, args, ()), args).module(check_guards=False)
        kinds, number, before = {}, 0, None
        for node in gm.graph.nodes:
            if node.op in ("placeholder", "output", "get_attr"):
                continue
            ours = node.op == "call_function" and (node.target is operator.getitem or f"torch.ops.{node.target}" not in unread)
            if node.target is operator.getitem and before is not None:
                ours = before  # stays with what it takes apart
            number += before is not None and ours != before
            before = ours
            kinds[node] = (number, ours)
        made = split_module(gm, None, lambda n: kinds.get(n, (0, True))[0], keep_original_order=True)
        taken = 0
        for name, part in list(made.named_children()):
            numbers = [k for k in kinds.values() if name == f"submod_{k[0]}"]
            if numbers and numbers[0][1] and len(numbers) >= self._own["least"]:
                piece = _Piece(part, self._settings, self._own, False)
                delattr(made, name)
                made.add_module(name, _Module(piece))
                taken += 1
        log.info("split: %d pieces for weft of %d; PyTorch runs %s", taken, number + 1, ", ".join(sorted(unread)))
        return lambda given: made(*given)

    def _make(self, args):
        size = sum(n.op not in ("placeholder", "output") for n in self._gm.graph.nodes)
        try:
            for a in args:
                if isinstance(a, torch.Tensor) and (a.device.type != "cpu" or a.layout != torch.strided):
                    raise _Refused(f"a tensor on {a.device.type}, {a.layout}")
            try:
                made = _Program(self._gm, args, self._settings, self._freeze)
            except _Refused as e:
                if "changes" not in str(e) or not self._freeze:
                    raise
                made = _Program(self._gm, args, self._settings, False)
            log.info("weft: a graph of %d nodes", size)
            return made
        except Error as e:
            unread = set(_UNREAD.findall(e.text))
            if unread and self._whole:
                try:
                    return self._split(args, unread)
                except _Refused as why:
                    log.info("PyTorch: a graph of %d nodes: %s", size, why)
                    return lambda given: self._gm(*given)
            reason = e.text
        except _Refused as e:
            reason = e
        log.info("PyTorch: a graph of %d nodes: %s", size, reason)
        return lambda given: self._gm(*given)

    def __call__(self, *args):
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        if torch.is_grad_enabled() and any(a.requires_grad for a in tensors) or torch.is_autocast_enabled("cpu"):
            return self._gm(*args)
        key = tuple((a.shape, a.dtype) if isinstance(a, torch.Tensor) else a for a in args)
        found = self._variants.get(key)
        if isinstance(found, _Program) and found.stale(args):
            self._made += 1
            self._freeze = self._freeze and self._made < _REFREEZES
            self._variants.clear()
            found = None
        if found is None:
            if len(self._variants) >= self._own["variants"]:
                return self._gm(*args)
            found = self._variants[key] = self._make(args)
        values = found(args)
        return values[0] if self._alone and isinstance(found, _Program) else values


class _Module(torch.nn.Module):
    def __init__(self, piece):
        super().__init__()
        self._piece = piece

    def forward(self, *args):
        return self._piece(*args)


def backend(gm, example_inputs, *, options=None, mode=None):
    """What torch.compile calls with each graph; options and their defaults stand at the top."""
    own = {**_OWN, **{k: v for k, v in (options or {}).items() if k in _OWN}}
    settings = {k: v for k, v in (options or {}).items() if k not in _OWN}
    del example_inputs, mode  # the arrays of the first run decide
    return _Piece(gm, {"progress": False, **settings}, own, True)
# SPDX-License-Identifier: Apache-2.0
