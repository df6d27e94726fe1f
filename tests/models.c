// models.c - see models.h.
#include "models.h"

#include <math.h>
#include <stdlib.h>

static double next(model *m) {  // uniform in [-1, 1), splitmix64
  uint64_t z = m->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ z >> 31) >> 11) / 4503599627370496.0 - 1.0;
}

static mtensor *value(model *m, int rank, const int64_t *dim) {
  mtensor *t = &m->values[m->count];
  snprintf(t->name, sizeof t->name, "v%d", m->count++);
  t->rank = rank;
  t->n = 1;
  for (int i = 0; i < rank; i++)
    t->n *= (size_t)(t->dim[i] = dim[i]);
  t->v = calloc(t->n ? t->n : 1, sizeof *t->v);
  if (!t->v)
    abort();
  return t;
}
#define DIMS(...)     \
  (const int64_t[]) { \
    __VA_ARGS__       \
  }

// Weights are rounded to float, so that both sides see the same numbers.
static mtensor *weights(model *m, int rank, const int64_t *dim, double scale, double offset) {
  mtensor *t = value(m, rank, dim);
  float *f = malloc((t->n ? t->n : 1) * sizeof *f);
  if (!f)
    abort();
  for (size_t i = 0; i < t->n; i++)
    t->v[i] = f[i] = (float)(next(m) * scale + offset);
  onnxw_init_f32(&m->w, t->name, rank, dim, f);
  free(f);
  return t;
}

static mtensor *input(model *m, int rank, const int64_t *dim) {
  m->input = value(m, rank, dim);
  for (size_t i = 0; i < m->input->n; i++)
    m->input->v[i] = (float)next(m);
  onnxw_input(&m->w, m->input->name, ONNX_FLOAT, rank, dim, NULL);
  return m->input;
}

static void node(model *m, const char *op, mtensor *const *in, size_t n, const mtensor *out) {
  const char *names[8];
  const char *outs[1] = {out->name};
  char id[48];
  for (size_t i = 0; i < n; i++)
    names[i] = in[i]->name;
  snprintf(id, sizeof id, "%s_%s", op, out->name);
  onnxw_node(&m->w, op, id, names, n, outs, 1);
}
#define NODE(op, out, ...)                                                                                  \
  node(m, op, (mtensor *const[]){__VA_ARGS__}, sizeof((mtensor *const[]){__VA_ARGS__}) / sizeof(mtensor *), \
       out)

typedef struct window {
  int k, stride, pad_begin, pad_end, dilation, group;
} window;
static int64_t extent(int64_t in, window w) {
  return (in + w.pad_begin + w.pad_end - (int64_t)w.dilation * (w.k - 1) - 1) / w.stride + 1;
}
static void window_attrs(model *m, window w, bool conv) {
  onnxw_attr_ints(&m->w, "kernel_shape", DIMS(w.k, w.k), 2);
  onnxw_attr_ints(&m->w, "strides", DIMS(w.stride, w.stride), 2);
  onnxw_attr_ints(&m->w, "pads", DIMS(w.pad_begin, w.pad_begin, w.pad_end, w.pad_end), 4);
  if (conv) {
    onnxw_attr_ints(&m->w, "dilations", DIMS(w.dilation, w.dilation), 2);
    onnxw_attr_int(&m->w, "group", w.group);
  }
}

static mtensor *conv(model *m, mtensor *x, int64_t cout, window w) {
  int64_t cin = x->dim[1] / w.group;
  int64_t h = x->dim[2];
  int64_t wd = x->dim[3];
  mtensor *f = weights(m, 4, DIMS(cout, cin, w.k, w.k), 0.5, 0);
  mtensor *b = weights(m, 1, DIMS(cout), 0.5, 0);
  mtensor *y = value(m, 4, DIMS(x->dim[0], cout, extent(h, w), extent(wd, w)));
  NODE("Conv", y, x, f, b);
  window_attrs(m, w, true);
  int64_t per = cout / w.group;
  int64_t oh = y->dim[2];
  int64_t ow = y->dim[3];
  for (int64_t n = 0; n < y->dim[0]; n++) {
    for (int64_t o = 0; o < cout; o++) {
      for (int64_t r = 0; r < oh; r++) {
        for (int64_t c = 0; c < ow; c++) {
          double sum = b->v[o];
          for (int64_t i = 0; i < cin; i++) {
            for (int64_t p = 0; p < w.k; p++) {
              for (int64_t q = 0; q < w.k; q++) {
                int64_t yy = r * w.stride - w.pad_begin + p * w.dilation;
                int64_t xx = c * w.stride - w.pad_begin + q * w.dilation;
                if (yy < 0 || xx < 0 || yy >= h || xx >= wd)
                  continue;
                sum += x->v[((n * x->dim[1] + o / per * cin + i) * h + yy) * wd + xx] *
                       f->v[((o * cin + i) * w.k + p) * w.k + q];
              }
            }
          }
          y->v[((n * cout + o) * oh + r) * ow + c] = sum;
        }
      }
    }
  }
  return y;
}

static mtensor *batch_norm(model *m, mtensor *x) {
  int64_t c = x->dim[1];
  mtensor *s = weights(m, 1, &c, 0.5, 1);
  mtensor *b = weights(m, 1, &c, 0.5, 0);
  mtensor *mean = weights(m, 1, &c, 0.2, 0);
  mtensor *var = weights(m, 1, &c, 0.4, 1);
  mtensor *y = value(m, x->rank, x->dim);
  NODE("BatchNormalization", y, x, s, b, mean, var);
  onnxw_attr_float(&m->w, "epsilon", 1e-3f);
  size_t inner = (size_t)(x->dim[2] * x->dim[3]);
  for (size_t i = 0; i < x->n; i++) {
    size_t k = i / inner % (size_t)c;
    y->v[i] = (x->v[i] - mean->v[k]) / sqrt(var->v[k] + (double)1e-3f) * s->v[k] + b->v[k];
  }
  return y;
}

static mtensor *relu(model *m, mtensor *x) {
  mtensor *y = value(m, x->rank, x->dim);
  NODE("Relu", y, x);
  for (size_t i = 0; i < x->n; i++)
    y->v[i] = x->v[i] > 0 ? x->v[i] : 0;
  return y;
}

static mtensor *pool(model *m, mtensor *x, window w, bool average) {
  mtensor *y = value(m, 4, DIMS(x->dim[0], x->dim[1], extent(x->dim[2], w), extent(x->dim[3], w)));
  NODE(average ? "AveragePool" : "MaxPool", y, x);
  window_attrs(m, w, false);
  int64_t h = x->dim[2];
  int64_t wd = x->dim[3];
  int64_t oh = y->dim[2];
  int64_t ow = y->dim[3];
  for (int64_t nc = 0; nc < x->dim[0] * x->dim[1]; nc++) {
    for (int64_t r = 0; r < oh; r++) {
      for (int64_t c = 0; c < ow; c++) {
        double sum = 0, best = -INFINITY;
        int count = 0;
        for (int64_t p = 0; p < w.k; p++) {
          for (int64_t q = 0; q < w.k; q++) {
            int64_t yy = r * w.stride - w.pad_begin + p;
            int64_t xx = c * w.stride - w.pad_begin + q;
            if (yy < 0 || xx < 0 || yy >= h || xx >= wd)
              continue;
            double e = x->v[(nc * h + yy) * wd + xx];
            sum += e;
            count++;
            if (e > best)
              best = e;
          }
        }
        y->v[(nc * oh + r) * ow + c] = average ? sum / count : best;
      }
    }
  }
  return y;
}

static mtensor *global_average(model *m, mtensor *x) {
  mtensor *y = value(m, 4, DIMS(x->dim[0], x->dim[1], 1, 1));
  NODE("GlobalAveragePool", y, x);
  size_t inner = (size_t)(x->dim[2] * x->dim[3]);
  for (size_t i = 0; i < x->n; i++)
    y->v[i / inner] += x->v[i] / (double)inner;
  return y;
}

static mtensor *lrn(model *m, mtensor *x, int size, float alpha, float beta, float bias) {
  mtensor *y = value(m, 4, x->dim);
  NODE("LRN", y, x);
  onnxw_attr_int(&m->w, "size", size);
  onnxw_attr_float(&m->w, "alpha", alpha);
  onnxw_attr_float(&m->w, "beta", beta);
  onnxw_attr_float(&m->w, "bias", bias);
  int64_t c = x->dim[1];
  int64_t inner = x->dim[2] * x->dim[3];
  for (int64_t n = 0; n < x->dim[0]; n++) {
    for (int64_t k = 0; k < c; k++) {
      for (int64_t i = 0; i < inner; i++) {
        double sum = 0;
        for (int64_t j = k - (size - 1) / 2; j <= k + size / 2; j++) {
          if (j >= 0 && j < c)
            sum += pow(x->v[(n * c + j) * inner + i], 2);
        }
        size_t at = (size_t)((n * c + k) * inner + i);
        y->v[at] = x->v[at] / pow((double)bias + (double)alpha / size * sum, (double)beta);
      }
    }
  }
  return y;
}

static mtensor *concat(model *m, mtensor *const *in, size_t n) {  // along axis 1
  int64_t dim[4] = {in[0]->dim[0], 0, in[0]->dim[2], in[0]->dim[3]};
  for (size_t i = 0; i < n; i++)
    dim[1] += in[i]->dim[1];
  mtensor *y = value(m, 4, dim);
  node(m, "Concat", in, n, y);
  onnxw_attr_int(&m->w, "axis", 1);
  size_t at = 0;
  for (int64_t b = 0; b < dim[0]; b++) {
    for (size_t i = 0; i < n; i++) {
      size_t part = in[i]->n / (size_t)dim[0];
      memcpy(y->v + at, in[i]->v + (size_t)b * part, part * sizeof(double));
      at += part;
    }
  }
  return y;
}

static mtensor *reshape(model *m, mtensor *x, int rank, const int64_t *dim) {
  char name[48];
  mtensor *y = value(m, rank, dim);
  snprintf(name, sizeof name, "%s_shape", y->name);
  onnxw_init_i64(&m->w, name, 1, DIMS(rank), dim);
  const char *in[2] = {x->name, name};
  const char *out[1] = {y->name};
  onnxw_node(&m->w, "Reshape", y->name, in, 2, out, 1);
  memcpy(y->v, x->v, x->n * sizeof(double));
  return y;
}

static mtensor *transpose(model *m, mtensor *x, const int64_t *perm) {
  int64_t dim[6];
  int64_t stride[6];
  int64_t index[6] = {0};
  for (int i = 0; i < x->rank; i++) {
    dim[i] = x->dim[perm[i]];
    stride[i] = 1;
    for (int k = (int)perm[i] + 1; k < x->rank; k++)
      stride[i] *= x->dim[k];
  }
  mtensor *y = value(m, x->rank, dim);
  NODE("Transpose", y, x);
  onnxw_attr_ints(&m->w, "perm", perm, (size_t)x->rank);
  for (size_t i = 0; i < y->n; i++) {
    int64_t at = 0;
    for (int k = 0; k < y->rank; k++)
      at += index[k] * stride[k];
    y->v[i] = x->v[at];
    for (int k = y->rank; k-- > 0;) {
      if (++index[k] < dim[k])
        break;
      index[k] = 0;
    }
  }
  return y;
}

static mtensor *matmul(model *m, mtensor *a,
                       mtensor *b) {  // equal ranks, leading dims equal (or b of rank 2)
  int64_t rows = a->dim[a->rank - 2];
  int64_t inner = a->dim[a->rank - 1];
  int64_t cols = b->dim[b->rank - 1];
  int64_t dim[6];
  memcpy(dim, a->dim, sizeof dim);
  dim[a->rank - 1] = cols;
  mtensor *y = value(m, a->rank, dim);
  NODE("MatMul", y, a, b);
  size_t batches = a->n / (size_t)(rows * inner);
  for (size_t s = 0; s < batches; s++) {
    const double *p = a->v + s * (size_t)(rows * inner);
    const double *q = b->v + (b->rank > 2 ? s * (size_t)(inner * cols) : 0);
    for (int64_t i = 0; i < rows; i++) {
      for (int64_t j = 0; j < cols; j++) {
        double sum = 0;
        for (int64_t k = 0; k < inner; k++)
          sum += p[i * inner + k] * q[k * cols + j];
        y->v[s * (size_t)(rows * cols) + (size_t)(i * cols + j)] = sum;
      }
    }
  }
  return y;
}

static mtensor *softmax(model *m, mtensor *x, int lane_from,
                        int opset_axis) {  // one lane: dims from lane_from on
  mtensor *y = value(m, x->rank, x->dim);
  NODE("Softmax", y, x);
  onnxw_attr_int(&m->w, "axis", opset_axis);
  size_t lane = 1;
  for (int i = lane_from; i < x->rank; i++)
    lane *= (size_t)x->dim[i];
  for (size_t at = 0; at < x->n; at += lane) {
    double best = -INFINITY, sum = 0;
    for (size_t i = 0; i < lane; i++)
      best = fmax(best, x->v[at + i]);
    for (size_t i = 0; i < lane; i++)
      sum += y->v[at + i] = exp(x->v[at + i] - best);
    for (size_t i = 0; i < lane; i++)
      y->v[at + i] /= sum;
  }
  return y;
}

static mtensor *binary(model *m, const char *op, mtensor *a, mtensor *b) {  // b: same shape, or one element
  mtensor *y = value(m, a->rank, a->dim);
  NODE(op, y, a, b);
  for (size_t i = 0; i < a->n; i++) {
    double p = a->v[i], q = b->v[b->n == 1 ? 0 : i];
    y->v[i] = !strcmp(op, "Add") || !strcmp(op, "Sum") ? p + q : p * q;
  }
  return y;
}

static mtensor *gemm(model *m, mtensor *x, int64_t out) {  // x * W' + b
  mtensor *w = weights(m, 2, DIMS(out, x->dim[1]), 0.5, 0);
  mtensor *b = weights(m, 1, &out, 0.5, 0);
  mtensor *y = value(m, 2, DIMS(x->dim[0], out));
  NODE("Gemm", y, x, w, b);
  onnxw_attr_int(&m->w, "transB", 1);
  for (int64_t i = 0; i < x->dim[0]; i++) {
    for (int64_t o = 0; o < out; o++) {
      double sum = b->v[o];
      for (int64_t k = 0; k < x->dim[1]; k++)
        sum += x->v[i * x->dim[1] + k] * w->v[o * x->dim[1] + k];
      y->v[i * out + o] = sum;
    }
  }
  return y;
}

static void conv_bn_relu_pool(model *m) {
  mtensor *x = input(m, 4, DIMS(2, 3, 13, 11));
  x = relu(m, batch_norm(m, conv(m, x, 6, (window){3, 2, 1, 1, 1, 1})));
  x = pool(m, x, (window){3, 2, 0, 1, 1, 1}, false);
  m->output = binary(m, "Add", conv(m, x, 6, (window){3, 1, 2, 2, 2, 1}), x);
}

static void inception(model *m) {
  mtensor *x = input(m, 4, DIMS(1, 8, 9, 9));
  mtensor *branch[4];
  window one = {1, 1, 0, 0, 1, 1};
  branch[0] = relu(m, conv(m, x, 4, one));
  branch[1] = relu(m, conv(m, relu(m, conv(m, x, 3, one)), 5, (window){3, 1, 1, 1, 1, 1}));
  branch[2] = relu(m, conv(m, relu(m, conv(m, x, 2, one)), 3, (window){5, 1, 2, 2, 1, 1}));
  branch[3] = relu(m, conv(m, pool(m, x, (window){3, 1, 1, 1, 1, 1}, false), 4, one));
  x = pool(m, concat(m, branch, 4), (window){3, 2, 1, 1, 1, 1}, true);
  x = global_average(m, x);
  x = gemm(m, reshape(m, x, 2, DIMS(1, 16)), 10);
  m->output = softmax(m, x, 1, 1);
}

static void shuffle(model *m) {
  mtensor *x = input(m, 4, DIMS(1, 12, 6, 6));
  mtensor *y = conv(m, x, 12, (window){1, 1, 0, 0, 1, 3});
  y = reshape(m, y, 5, DIMS(1, 3, 4, 6, 6));
  y = reshape(m, transpose(m, y, DIMS(0, 2, 1, 3, 4)), 4, DIMS(1, 12, 6, 6));
  y = batch_norm(m, conv(m, y, 12, (window){3, 1, 1, 1, 1, 12}));
  m->output = relu(m, binary(m, "Sum", conv(m, y, 12, (window){1, 1, 0, 0, 1, 3}), x));
}

static void lrn_net(model *m) {
  mtensor *x = input(m, 4, DIMS(2, 7, 5, 4));
  x = lrn(m, x, 5, 1e-2f, 0.75f, 1.0f);
  m->output = lrn(m, conv(m, x, 5, (window){1, 1, 0, 0, 1, 1}), 4, 0.5f, 0.5f, 2.0f);
}

static void attention(model *m) {  // one block of 2 heads of 4 over 5 positions
  mtensor *x = input(m, 3, DIMS(1, 5, 8));
  mtensor *qkv[3];
  for (int i = 0; i < 3; i++) {
    qkv[i] = matmul(m, x, weights(m, 2, DIMS(8, 8), 0.5, 0));
    qkv[i] = reshape(m, qkv[i], 4, DIMS(1, 5, 2, 4));
    qkv[i] = transpose(m, qkv[i], i == 1 ? DIMS(0, 2, 3, 1) : DIMS(0, 2, 1, 3));
  }
  mtensor *scores = binary(m, "Mul", matmul(m, qkv[0], qkv[1]), weights(m, 1, DIMS(1), 0, 0.5));
  mtensor *y = matmul(m, softmax(m, scores, 3, 3), qkv[2]);
  y = reshape(m, transpose(m, y, DIMS(0, 2, 1, 3)), 3, DIMS(1, 5, 8));
  m->output = binary(m, "Add", matmul(m, y, weights(m, 2, DIMS(8, 8), 0.5, 0)), x);
}

const char *const model_names[] = {"conv_bn_relu_pool", "inception", "shuffle", "lrn", "attention", NULL};

bool model_make(model *m, const char *name, weft_diag *d) {
  static void (*const make[])(model *) = {conv_bn_relu_pool, inception, shuffle, lrn_net, attention};
  weft_allocator a = weft_allocator_default();
  memset(m, 0, sizeof *m);
  m->state = 20261120;
  weft__text_init(&m->text, &a);
  for (size_t i = 0; model_names[i]; i++) {
    if (strcmp(model_names[i], name))
      continue;
    onnxw_begin(&m->w, &m->text, 7, 11);
    onnxw_graph(&m->w, name);
    make[i](m);
    onnxw_output(&m->w, m->output->name, ONNX_FLOAT, m->output->rank, m->output->dim, NULL);
    return !onnxw_finish(&m->w, d);
  }
  weft_fail(d, WEFT_E_NOT_FOUND, "no model '%s'", name);
  return false;
}

void model_free(model *m) {
  for (int i = 0; i < m->count; i++)
    free(m->values[i].v);
  weft__text_deinit(&m->text);
}
// SPDX-License-Identifier: Apache-2.0
