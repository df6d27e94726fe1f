"""Ray Serve: a model behind HTTP in two replicas, one of which is killed in the middle. Callers ask again and miss nothing.

    pip install "ray[serve]"; python3 examples/ray/serve.py [REQUESTS]
"""
import concurrent.futures
import itertools
import json
import os
import signal
import sys
import tempfile
import time
import urllib.error
import urllib.request

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
for patience in ("raylet_start_wait_time_s", "worker_register_timeout_seconds", "gcs_server_request_timeout_seconds"):
    os.environ.setdefault(f"RAY_{patience}", "600")  # on a busy machine nothing is lost either, it takes longer
import numpy as np
import ray
from ray import serve

import model
import weft

PORT = int(os.environ.get("WEFT_RAY_PORT", "8123"))


@serve.deployment(num_replicas=2, ray_actor_options={"num_cpus": 0.5}, health_check_period_s=1, graceful_shutdown_timeout_s=1)
class Predict:
    def __init__(self, path):
        self.model = weft.load(path, threads=1)

    async def __call__(self, request):
        asked = await request.json()
        if asked.get("die"):
            os.kill(os.getpid(), signal.SIGKILL)
        return {"y": self.model(np.array(asked["x"], np.float32)).tolist(), "process": os.getpid()}


def ask(body, again=True):
    """An answer, and how often it took: a replica that dies takes what it was working on with it, and the next one comes when the machine has
    time for it."""
    for n in itertools.count(1):
        request = urllib.request.Request(f"http://127.0.0.1:{PORT}/", json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer), n
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if not again:
                return None, n
            time.sleep(0.2)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.weft")
        model.write(path)
        here = os.path.dirname(os.path.abspath(__file__))
        ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False, logging_level="ERROR",
                 _node_ip_address="127.0.0.1", runtime_env={"env_vars": {"PYTHONPATH": f"{here}:{os.environ.get('PYTHONPATH', '')}"}})
        serve.start(http_options={"host": "127.0.0.1", "port": PORT})
        serve.run(Predict.bind(path))
        x = np.random.default_rng(1).standard_normal((n, 1, model.FEATURES)).astype(np.float32)
        want = weft.load(path, threads=1)(x[:, 0])
        ask({"x": x[0].tolist()})
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(ask, {"x": v.tolist()}) for v in x]
            time.sleep(0.1)
            ask({"die": True}, again=False)  # it dies before it answers
            answers = [a.result() for a in asked]
        for (answer, _), row in zip(answers, want):
            np.testing.assert_allclose(answer["y"][0], row, rtol=1e-5, atol=1e-6)
        again = sum(tries > 1 for _, tries in answers)
        print(f"{n} requests, {len({a['process'] for a, _ in answers})} replicas gave answers, one was killed: none lost, all right, "
              f"{again} asked again")
        serve.shutdown()
        ray.shutdown()


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
