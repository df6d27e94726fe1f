// packed_layouts_test.c - a saved program holds constants in the layouts of kernels, which serve where
// weft__cpu_layouts(asked_host()) has the same text: a layout that changes needs another number there. Here
// each kernel that packs packs constants of small integers, in which no sum and no conversion loses anything,
// for each instruction set, and what comes out is compared with a table beside that number.
#include <ctype.h>

#include "check.h"
#include "isa_util.h"
#include "cpu/simd/isa.h"
#include "device/device.h"
#include "program/program.h"
#include "weft/weft.h"

#define LAYOUTS "layouts 7"  // of kernels/cpu/simd/isa.c
enum { SETS = 10, AVX2 = 1, AMX = 6, ROWS = 64 };
typedef struct layout_row {
  const char *kernel;  // "Conv/conv-small"
  uint32_t sum[SETS];  // the last digit is the number of constants, modulo 16; 0: it packs none for this set
} layout_row;
static const char *const sets[SETS] = {
    "plain",        "avx2", "avx2 vnni", "avx512",   "avx512 vnni", "avx512 vnni bf16",
    "amx-emulated", "neon", "neon dot",  "neon i8mm"};
// clang-format off
static const layout_row table[] = {
    {"BatchMatMulV2/gemm",
     {0x4AB3B403, 0xC57E80B3, 0xC57E80B3, 0xD8BECE33, 0xD8BECE33, 0xD8BECE33, 0,
      0x4AB3B403, 0x4AB3B403, 0x4AB3B403}},
    {"BatchMatMulV2/gemm-amx",
     {0, 0, 0, 0, 0, 0, 0xF7588633,
      0, 0, 0}},
    {"BatchMatMulV2/gemm-bf16",
     {0x4BDEB182, 0x0A7E5A82, 0x0A7E5A82, 0xECFC7162, 0xECFC7162, 0xECFC7162, 0xECFC7162,
      0x4BDEB182, 0x4BDEB182, 0x4BDEB182}},
    {"CommonGRU/recurrent",
     {0x97A7C35A, 0x57B169DA, 0x57B169DA, 0xBAE2FF9A, 0xBAE2FF9A, 0xBAE2FF9A, 0xBAE2FF9A,
      0x97A7C35A, 0x97A7C35A, 0x97A7C35A}},
    {"Conv/conv",
     {0xE038C887, 0xEC1F62C8, 0xEC1F62C8, 0xDFB2FE1A, 0xDFB2FE1A, 0xDFB2FE1A, 0x59D9E1F9,
      0x193E2E87, 0x193E2E87, 0x193E2E87}},
    {"Conv/conv-bf16",
     {0x2F558A22, 0x2F558A22, 0x2F558A22, 0xD1A6E2A3, 0xD1A6E2A3, 0xE9A21063, 0xD1A6E2A3,
      0x2F558A22, 0x2F558A22, 0x2F558A22}},
    {"Conv/conv-half",
     {0x5D099B61, 0x5D099B61, 0x5D099B61, 0xB8314791, 0xB8314791, 0xB8314791, 0xB8314791,
      0x34C47381, 0x34C47381, 0x34C47381}},
    {"Conv/conv-small",
     {0xD0B0F822, 0x984A43C2, 0x984A43C2, 0, 0, 0, 0,
      0xD0B0F822, 0xD0B0F822, 0xD0B0F822}},
    {"Conv/conv-taps",
     {0x7169CA23, 0x65832FE2, 0x65832FE2, 0x0D064C62, 0x0D064C62, 0x0D064C62, 0x0D064C62,
      0xE708B263, 0xE708B263, 0xE708B263}},
    {"ConvInteger/conv",
     {0xD349D791, 0xFAC2E202, 0xAB75AAC1, 0xAD931535, 0x239C2055, 0x239C2055, 0x69D4FF0A,
      0xEB8F66F1, 0x5219D771, 0x5219D771}},
    {"ConvInteger/few",
     {0x69720E15, 0x29BAEAE5, 0x29BAEAE5, 0x041C4395, 0x041C4395, 0x041C4395, 0,
      0x69720E15, 0x47A26DF5, 0x69720E15}},
    {"ConvTranspose/conv",
     {0x1C7F46D6, 0x1C7F46D6, 0x1C7F46D6, 0x20BBECB6, 0x20BBECB6, 0x20BBECB6, 0x20BBECB6,
      0xDC600D96, 0xDC600D96, 0xDC600D96}},
    {"Fused/blocked-conv",
     {0x5D4B4279, 0x3A2D64E9, 0x3A2D64E9, 0xB0E20149, 0xB0E20149, 0xB0E20149, 0,
      0xC7841C47, 0xC7841C47, 0xC7841C47}},
    {"Fused/blocked-conv-amx",
     {0, 0, 0, 0, 0, 0, 0xBD1778BD,
      0, 0, 0}},
    {"Fused/blocked-conv-bf16",
     {0x70FB7EF6, 0x520901A5, 0x520901A5, 0x2C974BB5, 0x2C974BB5, 0x2C974BB5, 0x2C974BB5,
      0x70FB7EF6, 0x70FB7EF6, 0x70FB7EF6}},
    {"Fused/blocked-conv-bytes",
     {0x1B789388, 0x86758988, 0x2A41F488, 0xBB9447A4, 0xBB9447A4, 0xBB9447A4, 0xBB9447A4,
      0x1B789388, 0x1B789388, 0x1B789388}},
    {"Fused/blocked-conv-half",
     {0x2EFAE0E2, 0x88EB46A2, 0x88EB46A2, 0xD51E1602, 0xD51E1602, 0xD51E1602, 0xD51E1602,
      0x2EFAE0E2, 0x2EFAE0E2, 0x2EFAE0E2}},
    {"Fused/blocked-depthwise",
     {0x64FC5562, 0x64FC5562, 0x64FC5562, 0x64FC5562, 0x64FC5562, 0x64FC5562, 0x64FC5562,
      0x64FC5562, 0x64FC5562, 0x64FC5562}},
    {"Fused/blocked-depthwise-bytes",
     {0x42BF83A2, 0x17994122, 0x17994122, 0x33CFD3C2, 0x33CFD3C2, 0x33CFD3C2, 0x33CFD3C2,
      0x42BF83A2, 0x42BF83A2, 0x42BF83A2}},
    {"Fused/blocked-winograd",
     {0x21626022, 0xA8901C02, 0xA8901C02, 0x54C9BE82, 0x54C9BE82, 0x54C9BE82, 0,
      0xAD8287F4, 0xAD8287F4, 0xAD8287F4}},
    {"Fused/blocked-winograd-bf16",
     {0x72E69126, 0xF8D476E5, 0xF8D476E5, 0x3F838C94, 0x3F838C94, 0x3F838C94, 0x3F838C94,
      0x72E69126, 0x72E69126, 0x72E69126}},
    {"Fused/blocked-winograd-bytes",
     {0, 0xFBCF5D44, 0, 0, 0, 0, 0,
      0, 0, 0}},
    {"Fused/conv",
     {0x11EE8794, 0x1DD521D5, 0x1DD521D5, 0xE2BEE8E5, 0xE2BEE8E5, 0xE2BEE8E5, 0x2A8DA154,
      0x97D69E94, 0x97D69E94, 0x97D69E94}},
    {"Fused/conv-bf16",
     {0xD902FF66, 0xD0DF52D8, 0xD0DF52D8, 0x9DDF4C38, 0x9DDF4C38, 0x92B1E818, 0x9DDF4C38,
      0xD902FF66, 0xD902FF66, 0xD902FF66}},
    {"Fused/conv-half",
     {0xBA1336C2, 0xBA1336C2, 0xBA1336C2, 0x70628F22, 0x70628F22, 0x70628F22, 0x70628F22,
      0x6988E702, 0x6988E702, 0x6988E702}},
    {"Fused/conv-taps",
     {0x0BE69A41, 0x0BE69A41, 0x0BE69A41, 0, 0, 0, 0,
      0xDA026601, 0xDA026601, 0xDA026601}},
    {"Fused/conv-transpose",
     {0xCD40D484, 0xCD40D484, 0xCD40D484, 0x72C65B44, 0x72C65B44, 0x72C65B44, 0x72C65B44,
      0xA9ECED44, 0xA9ECED44, 0xA9ECED44}},
    {"GEMM/gemm",
     {0x747ED993, 0x869955E3, 0x869955E3, 0x0ABD5E43, 0x0ABD5E43, 0x0ABD5E43, 0,
      0x747ED993, 0x747ED993, 0x747ED993}},
    {"GEMM/gemm-amx",
     {0, 0, 0, 0, 0, 0, 0x8E60BDD3,
      0, 0, 0}},
    {"GEMM/gemm-bf16",
     {0x2C531AE2, 0x1DAF0EC2, 0x1DAF0EC2, 0x39EE0F22, 0x39EE0F22, 0x39EE0F22, 0x39EE0F22,
      0x2C531AE2, 0x2C531AE2, 0x2C531AE2}},
    {"MatMulInteger/gemm",
     {0x92577B3A, 0xCBAEB675, 0xCBAEB675, 0x442134BA, 0xB5135015, 0xB5135015, 0x3C68A87A,
      0x92577B3A, 0x201624C5, 0x6B329305}},
    {"MatMulInteger/gemm-rows",
     {0x61BC7895, 0x89B9A27A, 0x7204A92A, 0xC5C13A05, 0x8B82740A, 0x8B82740A, 0xC5C13A05,
      0x61BC7895, 0xC378F12A, 0xC378F12A}},
    {"MatMulV2/gemm",
     {0xFF3B8D23, 0x892280F3, 0x892280F3, 0xDF8DBAD3, 0xDF8DBAD3, 0xDF8DBAD3, 0,
      0xFF3B8D23, 0xFF3B8D23, 0xFF3B8D23}},
    {"MatMulV2/gemm-amx",
     {0, 0, 0, 0, 0, 0, 0xF0213A03,
      0, 0, 0}},
    {"MatMulV2/gemm-bf16",
     {0x45619B42, 0x75BE5DE2, 0x75BE5DE2, 0xB17B49E2, 0xB17B49E2, 0xB17B49E2, 0xB17B49E2,
      0x45619B42, 0x45619B42, 0x45619B42}},
};
// clang-format on

#define GRAPH(...) "graph \"g\" {\n" __VA_ARGS__ " output y\n}\n"
#define IMAGE      "input x: f32[1,24,12,12] "
#define BYTES      "input x: u8[1,24,12,12] const z: u8[]{3} const o: i8[]{0} const b: i32[40]{?} "
// {?} behind a constant's shape are random numbers.
static const char *const graphs[] = {
    GRAPH("input x: f32[30,37] const w: f32[37,70]{?} node p: MatMulV2(x, w) -> y"),
    GRAPH("input x: f32[2,5,37] const w: f32[2,37,70]{?} node p: BatchMatMulV2(x, w) -> y"),
    GRAPH("input x: f32[5,37] const w: f32[70,37]{?} const c: f32[70]{?} const o: f32[]{1} node p: GEMM(x, "
          "w, c, o, o) "
          "{transpose_b=true} -> y"),
    GRAPH(IMAGE "const w: f32[40,24,3,3]{?} const b: f32[40]{?} node c: Conv(x, w, b) {pads=[1,1,1,1]} -> c "
                "node r: Relu(c) -> y"),
    GRAPH(IMAGE "const w: f32[40,24,1,1]{?} node c: Conv(x, w) -> c node r: Relu(c) -> y"),
    GRAPH(IMAGE "const w: f32[40,24,3,3]{?} node c: Conv(x, w) {strides=[2,2]} -> y"),
    GRAPH(
        IMAGE
        "const w: f32[48,12,3,3]{?} node c: Conv(x, w) {group=2, pads=[1,1,1,1]} -> c node r: Relu(c) -> y"),
    GRAPH(
        IMAGE
        "const w: f32[24,1,3,3]{?} node c: Conv(x, w) {group=24, pads=[1,1,1,1]} -> c node r: Relu(c) -> y"),
    GRAPH("input x: f32[1,3,20,20] const w: f32[40,3,3,3]{?} node c: Conv(x, w) {strides=[2,2]} -> c node r: "
          "Relu(c) -> y"),
    GRAPH("input x: f32[1,1,40,40] const w: f32[4,1,5,5]{?} node c: Conv(x, w) {pads=[2,2,2,2]} -> c node r: "
          "Relu(c) -> y"),
    GRAPH("input x: f32[1,3,40,40] const w: f32[8,3,3,3]{?} node c: Conv(x, w) {pads=[1,1,1,1]} -> y"),
    GRAPH(IMAGE "const w: f32[24,40,4,4]{?} node c: ConvTranspose(x, w) {strides=[2,2], pads=[1,1,1,1]} -> c "
                "node r: Relu(c) -> y"),
    GRAPH(IMAGE "const w: f32[24,40,3,3]{?} node c: ConvTranspose(x, w) -> y"),
    GRAPH("input x: f16[1,24,12,12] const w: f16[40,24,3,3]{?} node c: Conv(x, w) -> c node r: Relu(c) -> y"),
    GRAPH("input x: u8[30,37] const w: i8[37,70]{?} const b: i32[70]{?} const z: u8[]{3} const o: i8[]{0} "
          "node p: MatMulInteger(x, w, b, z, o) -> y"),
    GRAPH("input x: u8[2,3,37] const w: i8[2,37,70]{?} const b: i32[70]{?} const z: u8[]{3} const o: i8[]{0} "
          "node p: MatMulInteger(x, w, b, z, o) -> y"),
    GRAPH(BYTES "const w: i8[40,24,3,3]{?} node c: ConvInteger(x, w, b, z, o) {pads=[1,1,1,1]} -> y"),
    GRAPH(BYTES "const w: i8[40,24,1,1]{?} node c: ConvInteger(x, w, b, z, o) -> y"),
    GRAPH("input x: u8[1,3,20,20] const w: i8[40,3,3,3]{?} const b: i32[40]{?} const z: u8[]{3} const o: "
          "i8[]{0} "
          "node c: ConvInteger(x, w, b, z, o) {pads=[1,1,1,1], strides=[2,2]} -> y"),
    GRAPH("input x: u8[1,40,12,12] const w: i8[40,1,3,3]{?} const b: i32[40]{?} const z: u8[]{3} const o: "
          "i8[]{0} "
          "const s: f32[]{0.5} node c: ConvInteger(x, w, b, z, o, s, z) {pads=[1,1,1,1], group=40} -> y"),
    GRAPH(BYTES "const w: i8[40,24,3,3]{?} const s: f32[]{0.5} node c: ConvInteger(x, w, b, z, o, s, z) "
                "{pads=[1,1,1,1]} "
                "-> c const u: i8[40,40,1,1]{?} node d: ConvInteger(c, u, b, z, o, s, z) -> y"),
    GRAPH("input x: f32[1,64,5,5] const w: f32[140,64,3,3]{?} node c: Conv(x, w) {pads=[1,1,1,1]} -> y"),
    GRAPH("input x: f32[1,64,28,28] const w: f32[64,64,1,1]{?} const v: f32[64,64,3,3]{?} node c: Conv(x, w) "
          "-> c node r: "
          "Relu(c) -> r node d: Conv(r, v) {pads=[1,1,1,1]} -> d node s: Relu(d) -> y"),
    GRAPH("input x: u8[2,37] const w: i8[37,70]{?} const b: i32[70]{?} const z: u8[]{3} const o: i8[]{0} "
          "node p: MatMulInteger(x, w, b, z, o) -> y"),
    GRAPH("input x: u8[1,64,3,3] const w: i8[256,64,3,3]{?} const b: i32[256]{?} const z: u8[]{3} const o: "
          "i8[]{0} "
          "node c: ConvInteger(x, w, b, z, o) {pads=[1,1,1,1]} -> y"),
    GRAPH("input x: f32[4,2,20] const w: f32[1,90,20]{?} const r: f32[1,90,30]{?} const b: f32[1,180]{?} "
          "node n: CommonGRU(x, w, r, b) {hidden_size=30} -> h, y output h"),
};

// Only where the vectors multiply no bytes.
static const char *const pairs_graph = GRAPH(
    "input x: u8[1,64,28,28] const w: i8[64,64,3,3]{?} const b: i32[64]{?} const z: u8[]{3} const o: "
    "i8[]{0} const s: f32[]{0.5} "
    "node c: ConvInteger(x, w, b, z, o, s, z) {pads=[1,1,1,1]} -> y");

typedef struct layout_sums {
  size_t n;
  struct {
    char kernel[64];
    uint32_t hash, count;
  } of[ROWS];
} layout_sums;

// Which constant comes first is nothing that a layout depends on: hashes are added.
static void collect(void *ctx, const weft__pack *k) {
  layout_sums *s = ctx;
  char name[64];
  size_t i = 0;
  if (!k->kernel)
    return;
  snprintf(name, sizeof name, "%s/%s", k->kernel->op, k->kernel->name);
  while (i < s->n && strcmp(s->of[i].kernel, name))
    i++;
  if (i == ROWS)
    return;
  if (i == s->n)
    strcpy(s->of[s->n++].kernel, name);
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t b = 0; b < k->bytes; b++)
    hash = (hash ^ ((const uint8_t *)k->to)[b]) * UINT64_C(1099511628211);
  s->of[i].hash += (uint32_t)(hash >> 32);
  s->of[i].count++;
}

// {?} becomes -3 to 3, of bytes, and of others -99 to 99; the numbers of its shape.
static void put_graph(weft_text *to, const char *text) {
  uint32_t state = 1;
  const char *shape = text;
  for (; *text; text++) {
    if (*text == '[')
      shape = text;
    if (strncmp(text, "{?}", 3)) {
      weft__text_add(to, text, 1);
      continue;
    }
    long n = 1;
    for (char *p = (char *)(uintptr_t)shape + 1; p < text; p++)
      n *= strtol(p, &p, 10);
    const uint32_t most = shape[-1] == '8' ? 3 : 99;
    for (long i = 0; i < n; i++) {
      state = state * 1664525u + 1013904223u;
      weft__text_addf(to, "%s%d", i ? "," : "{", (int)((state >> 8) % (2 * most + 1)) - (int)most);
    }
    weft__text_add(to, "}", 1);
    text += 2;
  }
}

static void pack_graph(weft_env *e, const char *graph, const char *const options[2], layout_sums *out) {
  const weft_compile_options c = {.size = sizeof c, .options = options, .n_options = options[1] ? 2 : 1};
  const weft_allocator a = weft_allocator_default();
  weft_diag d = {0};
  weft_text text;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft__text_init(&text, &a);
  put_graph(&text, graph);
  weft_status s = weft_graph_parse(e, text.v, text.n, "test", &g, &d);
  if (!s)
    s = weft_compile(g, &c, &p, &d);
  if (!s)
    s = weft_exec_create(p, NULL, &x, &d);
  if (!s)
    s = weft_exec_prepare(x, NULL, 0, NULL, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s\n%s", d.text, graph);
  if (!s)
    weft__packed_each(p, collect, out);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft__text_deinit(&text);
}

static void pack_all(layout_sums *out, bool pairs) {
  static const char *const options[][2] = {
      {"passes=0"},
      {"assign-formats.choose=cheapest"},
      {"assign-formats.choose=packed"},
      {"assign-formats.choose=cheapest", "precision_mode=allow_fp32_to_bf16"},
      {"assign-formats.choose=packed", "precision_mode=allow_fp32_to_bf16"}};
  const weft_env_options o = {.size = sizeof o, .package_path = "", .threads = 1};
  weft_diag d = {0};
  weft_env *e = NULL;
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  for (size_t i = 0; i < WEFT_COUNT(graphs); i++) {
    for (size_t k = 0; k < WEFT_COUNT(options); k++)
      pack_graph(e, graphs[i], options[k], out);
  }
  for (size_t k = 0; pairs && k < WEFT_COUNT(options); k++)
    pack_graph(e, pairs_graph, options[k], out);
  weft_env_destroy(e);
}

static layout_sums packed[SETS];  // of the sets that the machine has

static void compare(size_t set) {
  for (size_t i = 0; i < packed[set].n; i++) {
    const char *kernel = packed[set].of[i].kernel;
    const uint32_t sum = packed[set].of[i].hash << 4 | (packed[set].of[i].count & 15);
    size_t k = 0;
    while (k < WEFT_COUNT(table) && table[k].kernel && strcmp(table[k].kernel, kernel))
      k++;
    const uint32_t want = k < WEFT_COUNT(table) && table[k].kernel ? table[k].sum[set] : 0;
    if (want == sum)
      continue;
    if ((want & 15) == (sum & 15)) {
      check_failed(__FILE__, __LINE__,
                   "packed layout of %s changed: raise layouts in kernels/cpu/simd/isa.c and write the new "
                   "sum 0x%08X, %s",
                   kernel, (unsigned)sum, sets[set]);
    } else {
      check_failed(__FILE__, __LINE__,
                   "%s packs %u constants of these graphs now; if its layout is the same, write the new sum "
                   "0x%08X, %s",
                   kernel, (unsigned)packed[set].of[i].count, (unsigned)sum, sets[set]);
    }
  }
}

// Does some set have a sum of it? The f16 ones pack as those of f32 do, which they stand around (half.c).
static bool covered(const char *name) {
  const char *half = strstr(name, "-half");
  for (size_t s = 0; s < SETS; s++) {
    for (size_t i = 0; i < packed[s].n; i++) {
      if (!strcmp(strchr(packed[s].of[i].kernel, '/') + 1, name))
        return true;
    }
  }
  return half && !half[5];
}

// What is multiplied of bytes, as weft__cpu_bytes() says it.
static int bytes_of(size_t set) {
  if (set == AMX || strstr(sets[set], "vnni") || strstr(sets[set], "dot"))
    return WEFT__BYTES_DOT;
  return strstr(sets[set], "i8mm") ? WEFT__BYTES_I8MM : WEFT__BYTES_NONE;
}

// Has the machine got the set? AMX is compared beside AVX-512, as it is in processors.
static bool lower(size_t set) {
  const bool bf16 = strstr(sets[set], "bf16") != NULL;
  const int bytes = bytes_of(set);
  char isa[16];
  snprintf(isa, sizeof isa, "%.*s", (int)strcspn(sets[set], " "), sets[set]);
  setenv("WEFT_ISA", isa, 1);
  setenv("WEFT_VNNI", (const char[]){(char)('0' + bytes), 0}, 1);
  setenv("WEFT_BF16", bf16 ? "1!" : "0!", 1);
  const weft_host *host = asked_host();
  return !strcmp(weft__cpu_isa_name(weft__cpu_isa(host)), set == AMX ? "avx512" : isa) &&
         weft__cpu_bytes(host) == bytes && weft__cpu_bf16(host) == bf16;
}

TEST(a_layout_that_changes_needs_another_number) {
  CHECK_HAS(weft__cpu_layouts(NULL), LAYOUTS);
  for (size_t set = 0; set < SETS; set++) {
    memset(&packed[set], 0, sizeof packed[set]);
    if (!lower(set))
      continue;
    pack_all(&packed[set], set == AVX2);
    compare(set);
  }
  unsetenv("WEFT_ISA");
  unsetenv("WEFT_VNNI");
  unsetenv("WEFT_BF16");
  for (unsigned i = 0; i < weft__cpu_kernel_count; i++) {
    const weft_kernel *k = weft__cpu_kernels[i];
    if (!packed[AMX].n && strstr(k->name, "-amx"))
      continue;
    if (!packed[AVX2].n && strstr(k->name, "-winograd-bytes"))
      continue;  // on pairs_graph alone
    if (k->pack && !covered(k->name))
      check_failed(__FILE__, __LINE__, "no graph here makes '%s' of %s pack", k->name, k->op);
  }
}
// SPDX-License-Identifier: Apache-2.0
