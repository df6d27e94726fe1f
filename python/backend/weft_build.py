"""Builds the package: scikit-build-core, and an sdist that holds what the build needs of the tree above python/.

scikit-build-core packs nothing that lies outside of the folder of pyproject.toml. So the sdist is made here: the tree's sources as they
lie, tests left out, and at the top a pyproject.toml that points at them."""
import gzip
import io
import os
import subprocess
import sys
import tarfile
import tomllib

from scikit_build_core import build as _build
from scikit_build_core.build import *  # noqa: F401,F403 - the hooks that stay as they are

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = os.path.dirname(HERE)
FOLDERS = ("cann", "catalogue", "cli", "cmake", "compositions", "include", "kernels", "ops", "passes", "plugins", "python", "src", "tools")
FILES = ("CMakeLists.txt", "LICENSE", "NOTICE", "SECURITY.md")


def _refuse_free_threads():
    import sysconfig

    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        sys.exit("weft has no build for free-threaded Python yet: its extension uses the limited C API, which that build of CPython does "
                 "not have. Use the usual build of the same version (python3.13 instead of python3.13t).")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _refuse_free_threads()
    return _build.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _refuse_free_threads()
    return _build.build_editable(wheel_directory, config_settings, metadata_directory)


def _listed():
    """Files of the tree that git knows or would take; in a copy without git, those that lie there."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS, *FILES]
    try:
        names = subprocess.run(command, cwd=TREE, capture_output=True, text=True, check=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        names = list(FILES)
        for folder in FOLDERS:
            for at, folders, files in os.walk(os.path.join(TREE, folder)):
                folders[:] = [f for f in folders if f not in ("__pycache__", "build", "dist")]
                names += [os.path.relpath(os.path.join(at, f), TREE) for f in files]
    return sorted({n for n in names if n and os.path.isfile(os.path.join(TREE, n))})


def _wanted(name):
    return not (name.endswith(("_test.c", "_test.cpp", ".pyc")) or name.startswith(("cann/tests/", "python/dist/", "python/build/")) or
                "/__pycache__/" in name)


def _pyproject(text):
    swaps = (('build-backend = "weft_build"\nbackend-path = ["backend"]', 'build-backend = "weft_build"\nbackend-path = ["python/backend"]'),
             ('cmake.source-dir = ".."', 'cmake.source-dir = "."'), ('wheel.packages = ["src/weft"]', 'wheel.packages = ["python/src/weft"]'))
    for old, new in swaps:
        if old not in text:
            raise RuntimeError(f"python/pyproject.toml has no {old!r} to be changed for the sdist")
        text = text.replace(old, new)
    return text


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}", f"Summary: {project['description']}",
             f"License: {project['license']['text']}", f"Requires-Python: {project['requires-python']}"]
    return "\n".join(lines + [f"Requires-Dist: {d}" for d in project["dependencies"]]) + "\n"


def build_sdist(sdist_directory, config_settings=None):
    inside = not os.path.exists(os.path.join(HERE, "pyproject.toml"))  # of an sdist that was unpacked
    with open(os.path.join(TREE if inside else HERE, "pyproject.toml"), encoding="utf-8") as f:
        text = f.read()
    project = tomllib.loads(text)["project"]
    stem = f"{project['name']}-{project['version']}"
    made = {"pyproject.toml": text if inside else _pyproject(text), "PKG-INFO": _metadata(project)}
    name = f"{stem}.tar.gz"
    when = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))
    with open(os.path.join(sdist_directory, name), "wb") as raw, gzip.GzipFile("", "wb", 9, raw, when) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in [*made, *(n for n in _listed() if _wanted(n) and n != "python/pyproject.toml")]:
            info = tarfile.TarInfo(f"{stem}/{path}")
            info.mtime, info.mode = when, 0o644
            if path in made:
                data = made[path].encode()
            else:
                with open(os.path.join(TREE, path), "rb") as f:
                    data = f.read()
                info.mode = 0o755 if os.access(os.path.join(TREE, path), os.X_OK) else 0o644
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return name
# SPDX-License-Identifier: Apache-2.0
