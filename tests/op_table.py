"""The generator of the operators' table reads every built-in operator's name, and two files that describe one fail.

usage: op_table.py WEFT SOURCE
"""
import glob
import os
import subprocess
import sys
import tempfile

weft, source = sys.argv[1], sys.argv[2]
sys.path.insert(0, os.path.join(source, "tools"))
from gen_op_table import operator_names  # noqa: E402

folders = ("ops/*/*.c", "compositions/*.c")
files = [f for folder in folders for f in glob.glob(os.path.join(source, folder))]
read = sorted(name for path in files for name in operator_names(open(path, encoding="utf-8").read()))
listed = subprocess.run([weft, "op", "list"], capture_output=True, text=True, check=True).stdout.splitlines()
have = sorted(line.split()[0] for line in listed if line.strip() and not line[0].isdigit())
missed, extra = sorted(set(have) - set(read)), sorted(set(read) - set(have))
if missed or extra:
    sys.exit(f"op_table.py: names that tools/gen_op_table.py does not see: {missed[:9]}; that are no operators: {extra[:9]}")



def made(folder, row):
    one, two = os.path.join(folder, "one.c"), os.path.join(folder, "two.c")
    with open(one, "w", encoding="utf-8") as f:
        f.write('WEFT_OP(relu) = {\n    WEFT_UNARY_PROTO("Relu", WEFT_FLOATS),\n};\n')
    with open(two, "w", encoding="utf-8") as f:
        f.write('#define E(of) EACH("Re" of, "x")\nWEFT_ROWS(two) = {\n    %s,\n    {0},\n};\n' % row)
    tool = os.path.join(source, "tools/gen_op_table.py")
    done = subprocess.run([sys.executable, tool, "-o", os.path.join(folder, "t.c"), one, two], capture_output=True, text=True)
    return done, f"operator 'Relu' stands in {one} and in {two}"


with tempfile.TemporaryDirectory() as folder:
    for row in ('{"Relu", "y"}', '{.name = "Relu"}', 'COMPOSED("Relu", "y")', '{HEAD("Relu", "y")}'):
        done, said = made(folder, row)
        if done.returncode == 0 or said not in done.stderr:
            sys.exit(f"op_table.py: {row} beside Relu: expected a failure that says \"{said}\", got: {done.stderr}")
    for row in ('E("Lu")', '{"Relu6", "y"}'):
        done, said = made(folder, row)
        if done.returncode:
            sys.exit(f"op_table.py: {row} beside Relu failed: {done.stderr}")
print("op_table.py: ok")
# SPDX-License-Identifier: Apache-2.0
