// devices_test.c - which devices there are: weft's own first, then those of packages, the first of a name;
// one that lacks a function is none.
#include "check.h"
#include "device/device.h"
#include "op/package.h"
#include "weft/weft.h"

static weft_env *devices_env(void) {
  const weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_env *e = NULL;
  if (weft_env_create(&o, &e, NULL))
    check_failed(__FILE__, __LINE__, "no environment");
  return e;
}

TEST(wefts_own_come_first) {
  weft_env *e = devices_env();
  CHECK(weft_device_at(e, 0) == &weft__device_cpu);
  CHECK(weft_device_at(e, 1) == &weft__device_npusim);
  CHECK(!weft_device_at(e, 2));
  CHECK(!weft_device_at(e, SIZE_MAX));
  CHECK(weft_device_find(e, "cpu") == &weft__device_cpu);
  CHECK(weft_device_find(e, "npusim") == &weft__device_npusim);
  CHECK(!weft_device_find(e, "np"));
  CHECK(!weft_device_find(e, ""));
  CHECK(!weft_device_find(e, NULL));
  CHECK(!weft_device_find(NULL, "cpu"));
  CHECK(!weft_device_at(NULL, 0));
  weft_env_destroy(e);
}

// Both open on any machine: the CPU, and an NPU that is simulated.
TEST(r343_wefts_own_need_no_hardware) {
  weft_env *e = devices_env();
  const weft_device_setup setup = {
      .size = sizeof setup, .host = weft_env_host(e), .alloc = weft_allocator_default()};
  for (size_t i = 0; weft_device_at(e, i); i++) {
    const weft_device *v = weft_device_at(e, i);
    weft_diag d = {0};
    void *dev = NULL;
    CHECK_OK(v->open(&setup, &dev, &d), &d);
    v->close(dev);
  }
  weft_env_destroy(e);
}

// Lists a package's devices in the environment for as long as `look` looks.
static void with_package(const weft_section *section, void (*look)(weft_env *e)) {
  weft_env *e = devices_env();
  const weft_package package = {
      .size = sizeof package, .abi = WEFT_ABI, .n_sections = 1, .sections = section};
  weft_env_package entry = {.package = &package};
  weft_env_package *list[1] = {&entry};
  e->packages.v = list;
  e->packages.n = 1;
  look(e);
  e->packages.v = NULL;
  e->packages.n = 0;
  weft_env_destroy(e);
}

static weft_device tpu;     // whole
static weft_device broken;  // has no launch
static weft_device again;   // has the CPU's name

static void make_devices(void) {
  tpu = weft__device_npusim;
  tpu.name = "tpu";
  broken = tpu;
  broken.name = "broken";
  broken.launch = NULL;
  again = tpu;
  again.name = "cpu";
}

static void look_for_packages_devices(weft_env *e) {
  CHECK_STR(weft_device_at(e, 2)->name, "cpu");
  CHECK_STR(weft_device_at(e, 3)->name, "tpu");
  CHECK(!weft_device_at(e, 4));
  CHECK(!weft_device_find(e, "broken"));
  CHECK(weft_device_find(e, "tpu") != NULL);
  CHECK(weft_device_find(e, "cpu") == &weft__device_cpu);  // the first of a name
}

TEST(a_packages_pointers_and_tables_are_read) {
  make_devices();
  const weft_device *const pointers[] = {&broken, NULL, &again, &tpu};
  const weft_device tables[] = {broken, again, tpu};
  with_package(&(weft_section){WEFT_SECTION_DEVICE, 0, 4, pointers}, look_for_packages_devices);
  with_package(&(weft_section){WEFT_SECTION_DEVICE, sizeof(weft_device), 3, tables},
               look_for_packages_devices);
}

static void look_for_none(weft_env *e) {
  CHECK(!weft_device_at(e, 2));
}

// A table of an older weft is shorter than what is called; a name must be there.
TEST(short_tables_and_nameless_ones_are_none) {
  make_devices();
  weft_device shorter = tpu;
  weft_device nameless = tpu;
  shorter.size -= sizeof(void *);
  nameless.name = "";
  const weft_device *const pointers[] = {&shorter, &nameless};
  with_package(&(weft_section){WEFT_SECTION_DEVICE, 0, 2, pointers}, look_for_none);
  with_package(&(weft_section){WEFT_SECTION_DEVICE, 0, 0, NULL}, look_for_none);
  with_package(&(weft_section){WEFT_SECTION_KERNEL, 0, 2, pointers}, look_for_none);
}
// SPDX-License-Identifier: Apache-2.0
