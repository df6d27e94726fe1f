"""Ray Data: a model over many rows in two actors, one of which is killed in the middle. Every row has its answer all the same.

    pip install "ray[data]"; python3 examples/ray/batch.py [ROWS]
"""
import os
import signal
import sys
import tempfile

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
for patience in ("raylet_start_wait_time_s", "worker_register_timeout_seconds", "gcs_server_request_timeout_seconds"):
    os.environ.setdefault(f"RAY_{patience}", "600")  # on a busy machine nothing is lost either, it takes longer
import numpy as np
import ray

import model
import weft

ACTORS = 2


class Predict:
    def __init__(self, path, killed):
        self.model = weft.load(path, threads=1)  # maps the file; does not compile
        self.killed, self.batches = killed, 0

    def __call__(self, batch):
        self.batches += 1
        if self.batches == 3:
            self.die_once()
        y = self.model(batch["x"])
        return {"row": batch["row"], "y": y, "process": np.full(len(y), os.getpid())}

    def die_once(self):
        try:
            os.close(os.open(self.killed, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as folder:
        path, killed = os.path.join(folder, "model.weft"), os.path.join(folder, "killed")
        model.write(path)
        here = os.path.dirname(os.path.abspath(__file__))
        ray.init(num_cpus=ACTORS + 1, include_dashboard=False, object_store_memory=200 << 20, log_to_driver=False, logging_level="ERROR",
                 _node_ip_address="127.0.0.1", runtime_env={"env_vars": {"PYTHONPATH": f"{here}:{os.environ.get('PYTHONPATH', '')}"}})
        ray.data.DataContext.get_current().enable_progress_bars = False
        x = np.random.default_rng(1).standard_normal((rows, model.FEATURES)).astype(np.float32)
        data = ray.data.from_items([{"row": i, "x": x[i]} for i in range(rows)], override_num_blocks=20)
        answers = data.map_batches(Predict, fn_constructor_args=(path, killed), compute=ray.data.ActorPoolStrategy(size=ACTORS), batch_size=50).take_all()
        assert os.path.exists(killed), "no actor was killed"
        assert sorted(a["row"] for a in answers) == list(range(rows)), "a row is lost or came twice"
        want = weft.load(path, threads=1)(x)
        for a in answers:
            np.testing.assert_allclose(a["y"], want[a["row"]], rtol=1e-5, atol=1e-6)
        print(f"{rows} rows, {len({a['process'] for a in answers})} processes gave answers, one was killed: none lost, none twice, all right")
        ray.shutdown()


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
