"""Programs for ONNX Runtime, with one changed import."""
import json
import os
import tempfile
import time
import unittest

import numpy as np

import weft

SUMS = b"""graph "g" { input a: f32[n] input b: f32[n]
  node s: Add(a, b) -> s node d: Sub(a, b) -> d output s output d }"""


class DropIn(unittest.TestCase):
    def test_inference_session(self):
        options = weft.SessionOptions()
        options.intra_op_num_threads = 1
        session = weft.InferenceSession(SUMS, options, providers=["CPUExecutionProvider"])
        self.assertEqual([(i.name, i.type, i.shape) for i in session.get_inputs()],
                         [("a", "tensor(float)", ["n"]), ("b", "tensor(float)", ["n"])])
        feeds = {"a": np.float32([1]), "b": np.float32([2])}
        self.assertEqual([v.tolist() for v in session.run(None, feeds)], [[3], [-1]])
        self.assertEqual([v.tolist() for v in session.run(["d"], feeds)], [[-1]])

    def test_io_binding(self):
        session = weft.InferenceSession(SUMS)
        binding = session.io_binding()
        binding.bind_cpu_input("a", np.float32([1]))
        binding.bind_cpu_input("b", np.float32([2]))
        binding.bind_output("s")
        session.run_with_iobinding(binding)
        self.assertEqual([v.tolist() for v in binding.copy_outputs_to_cpu()], [[3]])

    def test_the_other_names_of_onnxruntime(self):
        import weft as ort  # the one changed import

        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        self.assertEqual((ort.get_available_providers(), ort.get_device()), (["CPUExecutionProvider"], "CPU"))
        session = ort.InferenceSession(SUMS, options, providers=ort.get_available_providers())
        a = ort.OrtValue.ortvalue_from_numpy(np.float32([1, 2]))
        b = ort.OrtValue.ortvalue_from_shape_and_type([2], np.float32)
        b.update_inplace([5, 6])
        self.assertEqual((b.shape(), b.data_type(), b.device_name(), b.is_tensor()), ([2], "tensor(float)", "cpu", True))
        self.assertEqual(session.run_with_ort_values(["s"], {"a": a, "b": b}, ort.RunOptions())[0].numpy().tolist(), [6, 8])
        out = np.zeros(2, np.float32)
        binding = session.io_binding()
        binding.bind_ortvalue_input("a", a)
        binding.bind_input("b", "cpu", 0, np.float32, [2], b.data_ptr())
        binding.bind_output("s", "cpu", 0, np.float32, [2], out.ctypes.data)
        session.run_with_iobinding(binding)
        self.assertEqual(out.tolist(), [6, 8])
        with self.assertRaisesRegex(ValueError, "cuda"):
            binding.bind_input("b", "cuda", 0, np.float32, [2], 1)
        for wrong in (lambda: binding.bind_output("z"), lambda: binding.bind_cpu_input("z", out), lambda: session.run(["z"], {"a": a, "b": b})):
            with self.assertRaisesRegex(ValueError, "'z'; there are"):
                wrong()
        self.assertEqual([v.tolist() for v in session.run([], {"a": a, "b": b})], [[6, 8], [-4, -4]])
        self.assertEqual(session.get_provider_options(), {"CPUExecutionProvider": {}})
        told = []
        session.run_async(["s"], {"a": a, "b": b}, lambda *given: told.append(given), "mine")
        session.run_async(["s"], {"a": a}, lambda *given: told.append(given), "lacks")
        for _ in range(500):
            if len(told) == 2:
                break
            time.sleep(0.01)
        told.sort(key=lambda given: given[1])
        self.assertEqual(([], "lacks", True), (*told[0][:2], "'b' is missing" in told[0][2]))
        self.assertEqual(([6, 8], "mine", ""), (told[1][0][0].tolist(), *told[1][1:]))

    def test_all_is_bound(self):
        session = weft.InferenceSession(SUMS)
        binding = session.io_binding()
        a, b, s, d = (weft.OrtValue.ortvalue_from_shape_and_type([2], 1) for _ in range(4))
        self.assertEqual((a.element_type(), a.data_type(), a.tensor_size_in_bytes()), (1, "tensor(float)", 8))
        for name, value in (("a", a), ("b", b)):
            binding.bind_ortvalue_input(name, value)
        for name, value in (("d", d), ("s", s)):
            binding.bind_ortvalue_output(name, value)
        for n in range(3):
            a.update_inplace([n, 1])
            b.update_inplace([10, n])
            session.run_with_iobinding(binding)
            self.assertEqual((s.numpy().tolist(), d.numpy().tolist()), ([n + 10, 1 + n], [n - 10, 1 - n]))
            self.assertEqual([v.tolist() for v in binding.copy_outputs_to_cpu()], [[n - 10, 1 - n], [n + 10, 1 + n]])
        binding.bind_cpu_input("a", np.float32([7, 0, 7, 0])[::2])  # not in C order
        session.run_with_iobinding(binding)
        self.assertEqual(s.numpy().tolist(), [17, 9])
        kept = binding.copy_outputs_to_cpu()
        binding.bind_cpu_input("a", np.float32([0, 0]))
        session.run_with_iobinding(binding)
        self.assertEqual((kept[1].tolist(), s.numpy().tolist()), ([17, 9], [10, 2]))
        binding.clear_binding_outputs()
        binding.bind_output("s")
        session.run_with_iobinding(binding)
        self.assertEqual([v.numpy().tolist() for v in binding.get_outputs()], [[10, 2]])

    def test_a_binding_runs_the_session_that_it_is_given_to(self):
        sums = weft.InferenceSession(SUMS)
        products = weft.InferenceSession(SUMS.replace(b"Add", b"Mul").replace(b"node d: Sub", b"node d: Div"))
        binding = sums.io_binding()
        for name, value in (("a", [6, 8]), ("b", [2, 4])):
            binding.bind_cpu_input(name, np.float32(value))
        s, d = (weft.OrtValue.ortvalue_from_shape_and_type([2], 1) for _ in range(2))
        binding.bind_ortvalue_output("s", s)
        binding.bind_ortvalue_output("d", d)
        for session, want in ((sums, [8, 12]), (products, [12, 32]), (products, [12, 32]), (sums, [8, 12])):
            session.run_with_iobinding(binding)
            self.assertEqual(s.numpy().tolist(), want)
        other = weft.InferenceSession(b'graph "g" { input a: f32[n] node s: Neg(a) -> s output s }')
        with self.assertRaisesRegex(TypeError, "no input 'b'; its inputs: a"):
            other.run_with_iobinding(binding)

    def test_notes_profiles_and_files(self):
        g = weft.Graph("noted")
        g.output(g.relu(g.input("x", "f32", ("n",)) + (1 + g.const(1.0)), name="y"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.onnx")
            g.save(path)
            with open(path, "ab") as f:  # of ModelProto: doc_string, a metadata_props entry
                f.write(b"\x32\x03hey" + b"\x72\x0b\x0a\x05words\x12\x02ab")
            options = weft.SessionOptions()
            options.enable_profiling = True
            options.profile_file_prefix = os.path.join(folder, "p")
            options.optimized_model_filepath = os.path.join(folder, "o.onnx")
            options.graph_optimization_level = weft.GraphOptimizationLevel.ORT_DISABLE_ALL
            session = weft.InferenceSession(path, options)
            meta = session.get_modelmeta()
            self.assertEqual((meta.graph_name, meta.description, meta.custom_metadata_map), ("noted", "hey", {"words": "ab"}))
            self.assertTrue(meta.producer_name)
            x = np.float32([1, -9])
            want = session.run(None, {"x": x})[0].tolist()
            self.assertEqual(weft.InferenceSession(options.optimized_model_filepath).run(None, {"x": x})[0].tolist(), want)
            with open(session.end_profiling(), encoding="utf-8") as f:
                self.assertIn("traceEvents", json.load(f))
            self.assertEqual(session.end_profiling(), "")

    def test_names_that_only_programs_for_onnxruntime_call(self):
        for name in weft._ONNXRUNTIME:
            self.assertTrue(hasattr(weft, name), name)
        self.assertEqual(weft.get_all_providers(), ["CPUExecutionProvider"])
        with self.assertRaisesRegex(NotImplementedError, "weft.op"):
            weft.SessionOptions().register_custom_ops_library("x.so")


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: Apache-2.0
