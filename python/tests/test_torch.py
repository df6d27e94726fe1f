"""torch.compile(backend=weft): where PyTorch 2.9 or newer is installed (4 GB: the long checks); elsewhere it says that nothing was tried."""
import importlib.metadata
import unittest

import numpy as np

import weft

try:
    import torch
except (ImportError, OSError):  # OSError: without the libraries of a device that its wheel links
    torch = None
NEW = torch is not None and tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2]) >= (2, 9)


@unittest.skipUnless(NEW, "torch.compile: PyTorch 2.9 or newer is not installed; nothing of backend='weft' was tried")
class Compiled(unittest.TestCase):
    def setUp(self):
        from weft import torch_backend

        torch._dynamo.reset()
        torch.manual_seed(0)
        # by its name where the package is installed, with its entry point
        named = importlib.metadata.entry_points(group="torch_dynamo_backends", name="weft")
        self.backend = "weft" if named else torch_backend.backend

    def compiled(self, model, **options):
        return torch.compile(model, backend=self.backend, options=options or None)

    def same(self, got, want, tolerance=1e-4):
        self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype))
        torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)

    def said(self, call):
        with self.assertLogs("weft.torch", "INFO") as log, torch.no_grad():
            value = call()
        return value, "\n".join(log.output)

    def test_a_network(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                                    torch.nn.Flatten(), torch.nn.Linear(72, 5), torch.nn.Softmax(-1)).eval()
        fast = self.compiled(model)
        for n in (2, 2, 5, 3):
            x = torch.randn(n, 3, 8, 8)
            with torch.no_grad():
                self.same(fast(x), model(x))
        _, said = self.said(lambda: fast(torch.randn(7, 3, 8, 8)))
        self.assertIn("weft: a graph of", said)

    def test_an_encoder(self):
        x = torch.randn(2, 5, 16)
        for more in ({}, {"norm_first": True}, {"activation": "gelu"}):
            torch._dynamo.reset()
            model = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, **more).eval()
            got, said = self.said(lambda: self.compiled(model)(x))
            self.assertIn("weft: a graph of", said)  # though PyTorch has one operator for all of it
            with torch.no_grad():
                self.same(got, model(x))
        mask = torch.tensor([[False] * 4 + [True], [False] * 5])
        with torch.no_grad():
            want = model(x, src_key_padding_mask=mask)
            self.same(self.compiled(model)(x, src_key_padding_mask=mask), want)

    def test_pieces(self):
        @torch.library.custom_op("weft_tests::of_nobody", mutates_args=())
        def of_nobody(x: torch.Tensor) -> torch.Tensor:  # which weft does not read
            return x * x

        of_nobody.register_fake(torch.empty_like)

        def function(x, w):
            y = torch.relu(x @ w) + 1
            z = of_nobody(y)
            return torch.tanh(z) * 2 + 1, y - z

        x, w = torch.randn(3, 4), torch.randn(4, 4)
        got, said = self.said(lambda: self.compiled(function)(x, w))
        self.assertIn("split: 2 pieces for weft of 3; PyTorch runs torch.ops.weft_tests.of_nobody.default", said)
        for a, b in zip(got, function(x, w)):
            self.same(a, b)

    def test_weights_that_change(self):
        model = torch.nn.Linear(4, 3).eval()
        fast, x = self.compiled(model), torch.randn(2, 4)
        with torch.no_grad():
            for i in range(12):  # more often than constants are made anew
                model.weight.mul_(1.5)
                self.same(fast(x), model(x))
            model.load_state_dict(torch.nn.Linear(4, 3).state_dict())
            self.same(fast(x), model(x))
            self.same(self.compiled(model, freeze=False)(x), model(x))

    def test_two_modules_of_one_class(self):
        a, b = torch.nn.Linear(4, 3).eval(), torch.nn.Linear(4, 3).eval()
        x = torch.randn(2, 4)

        @torch.compile(backend=self.backend)
        def run(module, x):
            return module(x) + 1

        with torch.no_grad():
            for module in (a, b, a, b):
                self.same(run(module, x), module(x) + 1)

    def test_gradients_are_pytorchs(self):
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh())
        fast, x = self.compiled(model), torch.randn(2, 4)
        fast(x).sum().backward()
        grads = [p.grad.clone() for p in model.parameters()]
        model.zero_grad()
        model(x).sum().backward()
        for got, p in zip(grads, model.parameters()):
            self.same(got, p.grad)
        with torch.no_grad():
            self.same(fast(x), model(x))

    def test_in_place(self):
        def function(x, w):
            y = x @ w
            x.add_(1)
            return torch.relu(y) + x.sum()

        w = torch.randn(3, 3)
        a = torch.randn(2, 3)
        b = a.clone()
        with torch.no_grad():
            got, want = self.compiled(function)(a, w), function(b, w)
        self.same(got, want)
        self.same(a, b)

    def test_running_means_move(self):
        model, other = torch.nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3)
        fast = self.compiled(model)
        with torch.no_grad():
            for _ in range(3):
                x = torch.randn(8, 3)
                self.same(fast(x), other(x))
        self.same(model.running_mean, other.running_mean)

    def test_views_of_inputs_stay_views(self):
        def function(x):
            return x.view(-1)[2:], torch.relu(x) + 1

        x = torch.randn(2, 3)
        with torch.no_grad():
            view, _ = self.compiled(function)(x)
            view.zero_()
        self.assertEqual(x.view(-1)[2:].abs().sum(), 0)

    def test_types_and_layouts(self):
        def function(x, y):
            return x.float() @ y.float().transpose(0, 1) + 1, x * 2, (x > 0), x.to(torch.bfloat16) + 1

        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int64):
            x = (torch.randn(4, 6) * 5).to(dtype)[:, ::2]
            y = (torch.randn(3, 4) * 5).to(dtype).t()[:2, :3]
            with torch.no_grad():
                for a, b in zip(self.compiled(function)(x, y), function(x, y)):
                    self.same(a, b, 2e-2 if b.dtype == torch.bfloat16 else 1e-3)

    def test_graph_breaks_and_python(self):
        def function(x, n):
            y = torch.relu(x) * n
            if y.sum() > 0:  # a break: two graphs
                y = y - 1
            return y.numpy(force=True)

        x = torch.randn(3, 4)
        with torch.no_grad():
            for n in (1, 2, 3):
                np.testing.assert_allclose(self.compiled(function)(x, n), function(x, n), rtol=1e-5)

    def test_random_numbers_are_pytorchs(self):
        def function(x):
            return torch.nn.functional.dropout(torch.relu(x) + 1, 0.5) * 2

        x = torch.ones(100)
        with torch.no_grad():
            got = self.compiled(function)(x)
        self.assertTrue(0 < (got == 0).sum() < 100)

    def test_what_weft_does_not_know_is_a_type_error(self):
        with torch.no_grad(), self.assertRaises(Exception) as e:
            self.compiled(torch.nn.Linear(2, 2), thread=1)(torch.ones(1, 2))
        self.assertIn("thread", str(e.exception))


@unittest.skipUnless(NEW, "torch.compile: PyTorch 2.9 or newer is not installed; nothing of backend='weft' was tried")
class Tensors(unittest.TestCase):
    """Tensors of PyTorch as inputs and outputs of models, and its programs as models."""

    def test_programs_are_models(self):
        net, x = torch.nn.Linear(3, 4).eval(), torch.ones(2, 3)
        with torch.no_grad():
            want = net(x).numpy()
        model = weft.load(torch.export.export(net, (x,)))
        np.testing.assert_allclose(model(x), want, rtol=1e-5)
        with self.assertRaisesRegex(TypeError, "Linear is a module of PyTorch.*torch.export.export"):
            weft.load(net)

    def test_types(self):
        double = weft.load(b'graph "g" { input x: f32[n,3] node y: Add(x, x) -> y output y }')
        x = torch.arange(6.0).reshape(2, 3).requires_grad_(True)
        self.assertEqual(double(x).tolist(), [[0, 2, 4], [6, 8, 10]])
        self.assertEqual(double(torch.ones(3, 2).T).tolist(), [[2, 2, 2]] * 2)
        out = torch.zeros(2, 3)
        double(x, out=out)
        self.assertEqual(out.tolist(), [[0, 2, 4], [6, 8, 10]])
        for wrong in (x.bfloat16(), x.half(), torch.ones(2, 3).to_sparse(), torch.ones(2, 3, dtype=torch.complex64).conj()):
            with self.assertRaises((TypeError, RuntimeError)):
                double(wrong)
        with self.assertRaisesRegex(TypeError, "'x' is bf16, the model takes f32"):
            double(x.bfloat16())
        brain = weft.load(b'graph "g" { input x: bf16[n,3] node y: Add(x, x) -> y node z: Cast(y) {dst_type=0} -> z output z }')
        self.assertEqual(brain(x.bfloat16()).tolist(), [[0, 2, 4], [6, 8, 10]])


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
