// recorded_defs.cpp - writes what definitions became, port by port, in the form of opdef.json. The first is
// that of 24_opdef_heavy.cpp, which is linked in; the other three are small tables that its record describes.
#include <cstdio>
#include <list>

#include "register/op_def_registry.h"

namespace ops {
class SmBad : public OpDef {
 public:
  explicit SmBad(const char *name) : OpDef(name) {
    Input("a").DataType({ge::DT_FLOAT, ge::DT_INT8}).Format({ge::FORMAT_ND, ge::FORMAT_NCHW});
    Input("a").ValueDepend(OPTIONAL);
    Input("b").DataType({ge::DT_FLOAT, ge::DT_INT8});
    Input("c").DataTypeList({ge::DT_INT32, ge::DT_INT64});
    Output("y").Follow("a").Format({ge::FORMAT_ND, ge::FORMAT_ND});
    Output("z").DataType({ge::DT_FLOAT, ge::DT_INT8});
    Attr("k").ListListInt();
    Attr("n").Int(3);
    Attr("s").String("it's \"x\"");
    Attr("f").Float(0.1f);
    Attr("e").ListInt({});
    AICore().AddConfig("ascend310p");
  }
};
OP_ADD(SmBad);
class SmPlain : public OpDef {
 public:
  explicit SmPlain(const char *name) : OpDef(name) {
    Input("a").DataType({ge::DT_FLOAT, ge::DT_INT8}).Format({ge::FORMAT_ND, ge::FORMAT_NCHW});
    Input("c").ParamType(OPTIONAL).DataTypeList({ge::DT_INT32, ge::DT_INT64});
    Output("y").DataType({ge::DT_FLOAT16, ge::DT_INT8}).Format({ge::FORMAT_NHWC, ge::FORMAT_NCHW});
    OpAICoreConfig config("ascend950");
    config.Input("a").DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
    config.Output("y").DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
    AICore().AddConfig("ascend310p");
    AICore().AddConfig("ascend950", config);
  }
};
OP_ADD(SmPlain);
class SmOneColumn : public OpDef {
 public:
  explicit SmOneColumn(const char *name) : OpDef(name) {
    Input("a").DataType({ge::DT_FLOAT, ge::DT_INT8}).Format({ge::FORMAT_ND, ge::FORMAT_NCHW});
    Input("b").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    Output("y").DataType({ge::DT_FLOAT, ge::DT_INT8}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    AICore().AddConfig("ascend310p");
  }
};
OP_ADD(SmOneColumn);
}  // namespace ops

namespace {
template <typename T>
void Numbers(const char *name, const std::vector<T> &list) {
  printf(", \"%s\": [", name);
  for (size_t i = 0; i < list.size(); i++)
    printf("%s%d", i ? ", " : "", static_cast<int>(list[i]));
  printf("]");
}
void Port(const ops::PortSpec &port, const ops::PortSpec &described) {
  printf("{\"name\": \"%s\", \"kind\": %d", port.name.c_str(), static_cast<int>(port.kind));
  Numbers("types", port.types);
  const bool list = described.types_are_list;
  Numbers("types_list", list ? described.types : std::vector<ge::DataType>());
  // The record shows columns; formats of a list are kept elsewhere.
  Numbers("formats", &port == &described && port.formats_are_list ? std::vector<ge::Format>() : port.formats);
  Numbers("unknown_shape_formats", port.unknown_shape_formats);
  printf(", \"value_depend\": \"%s\", \"depend_scope\": %d, \"follow\": \"%s\"", port.value_depend.c_str(),
         static_cast<int>(port.depend_scope), port.follow.c_str());
  printf(", \"auto_contiguous\": %d, \"scalar\": %d, \"depends_on_compute\": %d}", port.auto_contiguous,
         port.is_scalar, port.shape_depends_on_compute);
}
void Described(const char *name, const std::list<ops::OpParamDef> &ports) {
  printf(", \"%s\": [", name);
  for (const ops::OpParamDef &port : ports) {
    printf("%s", &port == &ports.front() ? "" : ", ");
    Port(port.Spec(), port.Spec());
  }
  printf("]");
}
void Merged(const char *name, const std::vector<ops::PortSpec> &ports,
            const std::list<ops::OpParamDef> &described) {
  printf("\"%s\": [", name);
  for (size_t i = 0; i < ports.size(); i++) {
    printf("%s", i ? ", " : "");
    Port(ports[i], std::next(described.begin(), static_cast<ptrdiff_t>(i))->Spec());
  }
  printf("], ");
}
void Attributes(const ops::OpDef &def) {
  const std::vector<ops::OpAttrDef> attrs(def.Attrs().begin(), def.Attrs().end());
  printf(", \"attrs\": [");
  for (size_t i = 0; i < attrs.size(); i++) {
    const ops::AttrSpec &attr = attrs[i].Spec();
    std::string text;
    for (char c : attr.value)
      text += c == '"' ? "\\\"" : std::string(1, c);
    printf("%s{\"name\": \"%s\", \"required\": %d, \"cfg_type\": \"%s\", \"proto_type\": \"%s\"",
           i ? ", " : "", attr.name.c_str(), attr.required, attr.ConfigType(), attr.PrototypeType());
    printf(", \"default_brackets\": \"%s\"}", text.c_str());
  }
  printf("]");
}
void Configs(const ops::OpDef &def) {
  printf(", \"configs\": {");
  const char *comma = "";
  for (const auto &config : def.AICoreSpec().Configs()) {
    const auto merged = ops::detail::MergePorts(def, config.first.c_str());
    printf("%s\"%s\": {", comma, config.first.c_str());
    Merged("merged_inputs", merged.inputs, def.Inputs());
    Merged("merged_outputs", merged.outputs, def.Outputs());
    printf("\"items\": {");
    const char *between = "";
    for (const auto &item : config.second.ConfigItems()) {
      printf("%s\"%s\": \"%s\"", between, item.first.c_str(), item.second.c_str());
      between = ", ";
    }
    printf("}}");
    comma = ", ";
  }
  printf("}");
}
}  // namespace

int main() {
  printf("{\"opdefs\": [");
  const char *comma = "";
  for (const char *type : {"SmForeachHeavy", "SmBad", "SmPlain", "SmOneColumn"}) {
    const ops::OpDef def = ops::detail::OpDefs()[type].make(type);
    printf("%s{\"op\": \"%s\"", comma, type);
    Described("inputs", def.Inputs());
    Described("outputs", def.Outputs());
    Attributes(def);
    Configs(def);
    printf("}");
    comma = ",\n";
  }
  printf("]}\n");
}
// SPDX-License-Identifier: Apache-2.0
