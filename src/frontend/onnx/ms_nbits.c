// ms_nbits.c - weights of few bits in blocks, as the peer's weight-only quantiser writes them. The packed
// bytes stay as the file has them: MatMulNBits reads them where they lie, and of a quantised table only the
// rows that are gathered become numbers.
#include "frontend/onnx/ms.h"

// accuracy_level allows coarser sums than those of float; it is never needed.
static weft_status mat_mul_n_bits(onnx_op *o) {
  static const char *const names[] = {"K", "N", "block_size"};
  weft_value *in[6] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_arg(o, 2),
                       onnx_in(o, 3),  onnx_in(o, 4),  onnx_in(o, 5)};
  int64_t bits = onnx_int(o, "bits", 4), packed = onnx_int(o, "weight_prepacked", 0);
  if (packed && !o->failed)
    return onnx_fail(o, WEFT_E_UNSUPPORTED,
                     "attribute 'weight_prepacked' is %lld: weights laid out for a GPU are not read; export "
                     "the model again without packing them",
                     (long long)packed);
  onnx_set(o, "bits", weft_attr_int(bits));
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    int64_t v = onnx_int(o, names[i], 0);
    if (!o->failed && !onnx_find_attr(o, names[i]))
      return onnx_fail(o, WEFT_E_MISSING, "required attribute '%s' is not given", names[i]);
    onnx_set(o, names[i], weft_attr_int(v));
  }
  size_t n = 6;
  while (n > 3 && !in[n - 1]) n--;
  return o->failed ? o->failed : onnx_emit(o, "MatMulNBits", in, n, NULL, 1, NULL);
}

static const onnx_mapping nbits_rows[] = {
    {"MatMulNBits", 1, 0, "MatMulNBits", mat_mul_n_bits, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_nbits = ONNX_MAPPINGS(nbits_rows);
