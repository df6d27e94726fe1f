#!/usr/bin/env python3
"""documents.py FOLDER WORK CXX FLAG...: the C++ of the founding documents, compiled and run.

The documents lie beside the project (../shared/founding); nothing of them is in it. Each snippet is cut out between two of its own
lines, mended where the requirements say that it was printed wrongly (requirements.md, section 2), put between what it needs, and
run; what it prints or infers is compared.
"""
import glob
import os
import re
import subprocess
import sys

folder, work, cxx, *flags = sys.argv[1:]
cxx = cxx.split()  # a launcher may stand before it
os.makedirs(work, exist_ok=True)


def page(part):
    """The text of the one page whose name begins with `part`."""
    [path] = glob.glob(os.path.join(folder, part + "*"))
    with open(path, encoding="utf-8") as f:
        return f.read()


def cut(text, first, end, occurrence=1):
    """From the line that begins with `first` (the n-th such) to before the line that begins with `end`."""
    at = -1
    for _ in range(occurrence):
        at = text.index("\n" + first, at + 1)
    stop = text.index("\n" + end, at + 1)
    return text[at + 1:stop] + "\n"


def mend(text, *pairs):
    """What was printed wrongly; each must be there."""
    for wrong, right in pairs:
        if wrong not in text:
            sys.exit(f"documents.py: '{wrong}' is not in the snippet any more")
        text = text.replace(wrong, right)
    return text


def block(article, number):
    """Code block `number` of the article: from its first line of code to the next prose."""
    at = article.index(f"代码块 {number}:")
    at = article.index("\n", at)
    body = article[at:]
    depth = 0
    ends = 0
    for m in re.finditer(r"[{}]|\n\n(?=[^\n])", body):
        if m.group() == "{":
            depth += 1
        elif m.group() == "}":
            depth -= 1
            ends = m.end()
        elif depth == 0 and ends and not re.match(r"\s*(//|#|void|bool|std::|ge::)", body[m.end():]):
            break
    return body[:ends] + "\n"


def run(name, source, expected):
    """Compiles, runs, compares what is printed."""
    path = os.path.join(work, name)
    with open(path + ".cpp", "w", encoding="utf-8") as f:
        f.write(source)
    for step in (["-std=c++17", "-w", *flags, "-c", path + ".cpp", "-o", path + ".o"], [path + ".o", "-o", path]):
        built = subprocess.run(cxx + step, capture_output=True, text=True)
        if built.returncode:
            print(f"{name}: does not compile\n{built.stderr[:3000]}")
            return 1
    got = subprocess.run([path], capture_output=True, text=True)
    if got.returncode or got.stdout != expected:
        print(f"{name}: status {got.returncode}, printed\n{got.stdout}{got.stderr}expected\n{expected}")
        return 1
    print(f"{name}: good")
    return 0


def article_source(text):
    """The article's blocks on types, shapes and descriptions, each called."""
    head = ("#include <cstring>\n#include <iostream>\n#include <sstream>\n#include <string>\n#include <vector>\n"
            '#include "graph/tensor.h"\n#include "graph/types.h"\n#include "graph/utils/type_utils.h"\nusing namespace ge;\n')
    code = "".join([
        mend(block(text, 5), ('#include "graph/shape.h"\n', "")),
        mend(block(text, 6), ('TypeUtils::SerialStringToDataType("DT_FLOAT", dt);', 'dt = TypeUtils::SerialStringToDataType("DT_FLOAT");')),
        block(text, 7),
        block(text, 9),
        block(text, 14),
        block(text, 15),
    ])
    main = """
int main() {
  ShapeManipulation();
  DataTypeDemo();
  SizeInBytesDemo();
  BuildTensorDesc();
  FormatConversionDemo();
  const ge::TensorDesc open(ge::Shape({-1, 3}), ge::FORMAT_ND, ge::DT_FLOAT);
  const ge::TensorDesc known(ge::Shape({2, 3}), ge::FORMAT_ND, ge::DT_FLOAT);
  const ge::TensorDesc other(ge::Shape({2, 3}), ge::FORMAT_ND, ge::DT_INT8);
  std::cout << AreTensorDescsEquivalent(open, known) << AreTensorDescsEquivalent(known, other)
            << AreTensorDescsStrictlyEqual(open, known) << AreTensorDescsStrictlyEqual(known, known) << std::endl;
  DeserializeTensorDesc(SerializeTensorDesc(known));
}
"""
    return head + code + main


ARTICLE = """Shape dims: 4
Dim 0 (N): 1
Dim 1 (C): 3
Dim 2 (H): 224
Dim 3 (W): 224
  dim[0] = 1
  dim[1] = 3
  dim[2] = 224
  dim[3] = 224
Total elements: 150528
DT_FLOAT  -> DT_FLOAT
DT_FLOAT16 -> DT_FLOAT16
DT_INT8   -> DT_INT8
DT_BF16   -> DT_BFLOAT16
FORMAT_NCHW -> NCHW
FORMAT_NHWC -> NHWC
FORMAT_ND   -> ND
FORMAT_NC1HWC0 -> NC1HWC0
Parsed DT_FLOAT -> enum value: 0
1024 floats occupy 4096 bytes
float16 occupies 2 bytes per element
Tensor name: input_tensor
DataType: 0
Format: 0
Shape dims: 4
InitDesc format: 2
NCHW storage: 100352 elements
NC1HWC0 storage: 100352 elements (aligned)
Format overhead: 0 elements
1001
Deserialized from version 1: shape=[2,3], dtype=0, fmt=2
"""

OPERATOR_HEAD = """#include <limits>
#include "graph/operator_reg.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "weft_cann/test.h"
namespace optiling { static ge::graphStatus TilingFunc(gert::TilingContext *) { return ge::GRAPH_SUCCESS; } }
"""
RESHAPE_MAIN = """
namespace ge { IMPL_OP_INFERSHAPE(Reshape).InferShape(InferShapeForReshape).InputsDataDependency({1}); }
#include <iostream>
static void Try(std::initializer_list<int64_t> values) {
  const std::vector<int64_t> to(values);
  weft_cann::TestNode node("Reshape");
  node.Input(ge::DT_FLOAT, {2, 6}).Input(ge::DT_INT64, {static_cast<int64_t>(to.size())}, to.data()).Outputs(1);
  if (node.InferShape() != ge::GRAPH_SUCCESS) {
    std::cout << "failed" << std::endl;
    return;
  }
  const gert::Shape &y = node.Shape(0);
  for (size_t i = 0; i < y.GetDimNum(); i++)
    std::cout << (i ? "," : "") << y.GetDim(i);
  std::cout << std::endl;
}
"""


def blog_source(text):
    """The blog: AddCustom with all of its functions, Reshape by value, the range of Unique."""
    infer_type = cut(text, "namespace ge {\nstatic graphStatus InferDataType", "对于Shape推导")
    shape = ("namespace ge {\nstatic graphStatus InferShape(gert::InferShapeContext *context) {\n"
             "  *context->GetOutputShape(0) = *context->GetInputShape(0);\n  return GRAPH_SUCCESS;\n}\n"
             "static graphStatus InferShapeRange(gert::InferShapeRangeContext *) { return GRAPH_SUCCESS; }\n}\n")
    add = cut(text, "namespace ops {", "在图模式下")
    reshape = mend(cut(text, "template<typename T>", "CANN还支持动态Shape"),
                   ("reshape_tensor->GetDataType()", "shape_tensor->GetDataType()"),
                   ("InferShapeContext *context", "gert::InferShapeContext *context"))
    unique = mend(cut(text, "ge::graphStatus UniqueInferShapeRangeFunc", "对于Optional"),
                  ("SetDim(0, x_shape_range->GetMin())", "SetDim(0, x_min->GetDim(0))"))
    optional = cut(text, "auto project_shape", "通过这些机制")
    more = ("static void Fragments(gert::InferShapeContext *context, size_t kProjectInputIndex, size_t ir_index, size_t relative_index) {\n"
            + optional + "\n}\n")
    main = """
int main() {
  weft_cann::TestNode node("AddCustom");
  node.Input(ge::DT_FLOAT16, {8, 16}).Input(ge::DT_FLOAT16, {8, 16}).Outputs(1);
  std::cout << node.InferShape() << " " << node.Shape(0).GetDim(1) << " " << node.InferDataType() << std::endl;
  Try({3, 4});
  Try({-1, 2});
  Try({5, 5});
}
"""
    return OPERATOR_HEAD + infer_type + shape + add + reshape + unique + more + RESHAPE_MAIN + main


def guide_source(text):
    """The developer's guide: definition, inference of types and shapes, Follow, attributes, value dependence."""
    add = mend(cut(text, "namespace ge { \nstatic graphStatus InferShape", " datatype推导"),
               ("static graphStatus InferShape(gert::InferShapeContext *context) \n{ \n    // ... ",
                "static graphStatus InferShape(gert::InferShapeContext *context) \n{ \n    *context->GetOutputShape(0) = *context->GetInputShape(0);"))
    foo = mend(cut(text, "ge::graphStatus InferDataTypeForFoo", " shape推导"),
               ("DT_INT4", "ge::DT_INT4"), ("DT_INT32", "ge::DT_INT32"),
               ("    } \n}", "    } \n    return ge::GRAPH_SUCCESS;\n}"))
    follow = cut(text, 'this->Input("x1")', " 无法在原型定义中")
    follows = ('namespace ops {\nclass FollowsX1 : public OpDef {\n public:\n  explicit FollowsX1(const char *name) : OpDef(name) {\n'
               + follow + '\nthis->AICore().AddConfig("ascendxxx");\n  }\n};\nOP_ADD(FollowsX1);\n}\n')
    trans = mend(cut(text, "namespace ops { \nclass TransData", " 其原型定义中"),
                 ('this->Input("src") \n             // ... ', 'this->Input("src").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});'),
                 ('this->Output("dst") \n             // ... ', 'this->Output("dst").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});'))
    attrs = mend(cut(text, "ge::graphStatus ExampleGetTransDataAttr", " 数据依赖"),
                 ("TilingContext *context", "gert::TilingContext *context"),
                 ("const RuntimeAttrs", "const gert::RuntimeAttrs"),
                 ("ASSERT_NOT_NULL(attrs);", "if (attrs == nullptr) return ge::GRAPH_FAILED;"),
                 ("const int64_t group = attrs->", "const int64_t group = *attrs->"))
    depend = mend(cut(text, "namespace ops { \nclass Reshape", " 根据第1个输入", 1),
                  ("        // ... \n        this->Input(\"shape\")", '        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});\n        this->Input("shape")'),
                  ("             // ... \n", "             .DataType({ge::DT_INT64}).Format({ge::FORMAT_ND})\n"),
                  ("        // ... \n    }", '        ;this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});\n    }'))
    reshape = mend(cut(text, "ge::graphStatus InferShapeForReshape", " 注意", 2),
                   ("InferShapeContext *context", "gert::InferShapeContext *context"),
                   ("int32_t *reshape_data", "const int32_t *reshape_data"), ("int64_t *reshape_data", "const int64_t *reshape_data"))
    # the guide does not print the template that it calls; the blog does
    template = cut(page("002"), "template<typename T>", "ge::graphStatus InferShapeForReshape")
    main = """
int main() {
  weft_cann::TestNode node("AddCustom");
  node.Input(ge::DT_INT32, {4}).Input(ge::DT_INT32, {4}).Outputs(1);
  std::cout << node.InferShape() << " " << node.Shape(0).GetDim(0) << std::endl;
  Try({3, 4});
  Try({});
}
"""
    return OPERATOR_HEAD + add + foo + follows + trans + attrs + depend + template + reshape + RESHAPE_MAIN + main


def english_source(text):
    """The guide's English page prints each snippet in one line; these three are only there: optional and dynamic inputs."""
    line = re.search(r"namespace ops \{ class DynamicRNNV3.*?// namespace ops", text).group()
    described = ".DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});"
    line = re.sub(r"(ParamType\(\w+\)) \.\.\.", r"\1" + described, line)
    line = mend(line, ("... } }; OP_ADD", 'this->Output("y").ParamType(REQUIRED)' + described + " } }; OP_ADD"))
    infer = re.search(r"ge::graphStatus InferShapeForDynamicRNNV3.*?return ge::GRAPH_SUCCESS; \}", text).group()
    infer = re.sub(r"// .*?(?= (?:auto|constexpr|return) )", "", infer)  # comments end where the line did
    infer = mend(infer, ("InferShapeContext *context", "gert::InferShapeContext *context"))
    dynamic = re.search(r"auto shape = context->GetDynamicInputShape\(ir_index, relative_index\);", text).group()
    main = """
namespace ge { IMPL_OP_INFERSHAPE(DynamicRNNV3).InferShape(InferShapeForDynamicRNNV3); }
#include <iostream>
static const gert::Shape *Dynamic(gert::InferShapeContext *context, size_t ir_index, size_t relative_index) {
""" + dynamic + """
  return shape;
}
int main() {
  weft_cann::TestNode node("DynamicRNNV3");
  node.Input(ge::DT_FLOAT16, {2, 3, 4}).Input(ge::DT_FLOAT16, {4, 8}).Input(ge::DT_FLOAT16, {8}).Outputs(1);
  std::cout << node.InferShape() << std::endl;
}
"""
    return OPERATOR_HEAD + line + "\n" + infer + main


failures = run("english", english_source(page("001")), "0\n")
failures += run("article", article_source(page("004")), ARTICLE)
failures += run("blog", blog_source(page("002")), "0 16 0\n3,4\n6,2\nfailed\n")
failures += run("guide", guide_source(page("000")), "0 4\n3,4\nfailed\n")
print("blocks 1 to 4, 8, 10 to 13 and 16 of the article do not compile with CANN's own headers either: they call what it has not")
sys.exit(failures != 0)
# SPDX-License-Identifier: Apache-2.0
