// prof.c - profiling: runs are kept as lines while it is on, and written into a file when it stops. One
// profile is recorded at a time. Everything is under a lock of its own but the flag that says whether it is
// on.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state.h"
#include "weft/file.h"

enum { PROF_LINES = 1 << 20, PROF_NAME = 128, PROF_NESTED = 64, PROF_RANGES = 4096 };
static const uint64_t PROF_RUNS = ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS |
                                  ACL_PROF_AICPU | ACL_PROF_RUNTIME_API | ACL_PROF_GE_API_L0 |
                                  ACL_PROF_GE_API_L1 | ACL_PROF_TASK_TIME_L0 | ACL_PROF_TASK_TIME_L2 |
                                  ACL_PROF_TASK_TIME_L3;

typedef struct prof_line {
  const char *kind;
  char name[PROF_NAME];
  uint64_t number, begin_ns, duration_ns;
  uint64_t thread;
} prof_line;
struct aclprofConfig {
  uint64_t data;
};
struct aclprofStepInfo {
  uint64_t begin_ns;  // 0: it has not begun
};
typedef struct prof_stamp {
  char message[PROF_NAME];
} prof_stamp;
typedef struct prof_range {
  char message[PROF_NAME];
  uint64_t begin_ns;  // 0: this place is free
} prof_range;

static pthread_mutex_t prof_lock = PTHREAD_MUTEX_INITIALIZER;
static char *prof_folder;  // NULL: aclprofInit was not called
static const aclprofConfig *prof_config;
static prof_line *prof_lines;
static size_t prof_n, prof_room, prof_lost;
static uint64_t prof_start_ns;
static unsigned prof_files;         // that were written
static _Atomic uint64_t prof_data;  // what is recorded; 0: nothing is
static prof_range prof_ranges[PROF_RANGES];
static _Thread_local prof_range prof_nested[PROF_NESTED];
static _Thread_local size_t prof_depth;

// ---- lines ----
static uint64_t prof_begin(uint64_t data) {
  return atomic_load_explicit(&prof_data, memory_order_relaxed) & data ? acl_now_ns() : 0;
}
uint64_t acl_prof_begin(void) {
  return prof_begin(PROF_RUNS);
}
// Under the lock. NULL: there is no room for a line more.
static prof_line *prof_next(void) {
  if (prof_n < prof_room)
    return &prof_lines[prof_n++];
  const size_t room = prof_room ? 2 * prof_room : 1024;
  prof_line *more = room <= PROF_LINES ? realloc(prof_lines, room * sizeof *more) : NULL;
  if (!more)
    return NULL;
  prof_lines = more;
  prof_room = room;
  return &prof_lines[prof_n++];
}
void acl_prof_end(uint64_t begin, const char *kind, const char *name, uint64_t number) {
  if (!begin)
    return;
  const uint64_t now = acl_now_ns();
  pthread_mutex_lock(&prof_lock);
  prof_line *line = prof_config && begin >= prof_start_ns ? prof_next() : NULL;
  if (line) {
    *line = (prof_line){.kind = kind,
                        .number = number,
                        .begin_ns = begin - prof_start_ns,
                        .duration_ns = now - begin,
                        .thread = (uint64_t)gettid()};
    snprintf(line->name, sizeof line->name, "%s", name);
  } else if (prof_config && begin >= prof_start_ns)
    prof_lost++;
  pthread_mutex_unlock(&prof_lock);
}

// ---- the file ----
static weft_status prof_write_line(weft_file_out *to, const prof_line *line) {
  char name[2 * PROF_NAME];
  char text[sizeof name + 160];
  size_t n = 0;
  for (const char *c = line->name; *c; c++) {
    if (*c == '"')
      name[n++] = '"';
    name[n++] = (unsigned char)*c < ' ' ? ' ' : *c;
  }
  name[n] = 0;
  snprintf(text, sizeof text, "%s,\"%s\",%llu,%.3f,%.3f,%llu\n", line->kind, name,
           (unsigned long long)line->number, (double)line->begin_ns / 1e3, (double)line->duration_ns / 1e3,
           (unsigned long long)line->thread);
  return weft_file_write(to, text, strlen(text));
}
static weft_status prof_write_lines(weft_file_out *to) {
  static const char head[] = "what,name,number,begin_us,duration_us,thread\n";
  weft_status s = weft_file_write(to, head, sizeof head - 1);
  for (size_t i = 0; !s && i < prof_n; i++)
    s = prof_write_line(to, &prof_lines[i]);
  return s;
}
// Under the lock. The file is there whole or not at all.
static aclError prof_write(const char *call) {
  char path[4096];
  weft_diag d = {0};
  weft_file_out *to = NULL;
  const int n =
      snprintf(path, sizeof path, "%s/weft_profile_%d_%u.csv", prof_folder, (int)getpid(), prof_files);
  if (n < 0 || (size_t)n >= sizeof path)
    return acl_fail(ACL_ERROR_PROFILING_FAILURE, "%s: the folder's name is too long", call);
  weft_status s = weft_file_create(path, &to, &d);
  if (!s)
    s = weft_file_finish(to, prof_write_lines(to), &d);
  if (s)
    return acl_fail(ACL_ERROR_PROFILING_FAILURE, "%s: %s", call, d.text);
  prof_files++;
  if (prof_lost)
    return acl_fail(ACL_ERROR_PROFILING_FAILURE, "%s: %zu runs did not fit into '%s', which has %zu", call,
                    prof_lost, path, prof_n);
  return ACL_SUCCESS;
}
// Under the lock.
static aclError prof_end(const char *call) {
  atomic_store(&prof_data, 0);
  const aclError code = prof_write(call);
  free(prof_lines);
  prof_lines = NULL;
  prof_n = prof_room = prof_lost = 0;
  prof_config = NULL;
  return code;
}

// ---- begin and end ----
aclError aclprofInit(const char *profilerResultPath, size_t length) {
  static const char *const call = "aclprofInit";
  struct stat about;
  if (!profilerResultPath || !length || strnlen(profilerResultPath, length + 1) != length)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: no folder, or its name has not %zu bytes", call, length);
  if (stat(profilerResultPath, &about) || !S_ISDIR(about.st_mode) || access(profilerResultPath, W_OK))
    return acl_fail(ACL_ERROR_INVALID_FILE, "%s: '%s' is no folder that can be written", call,
                    profilerResultPath);
  char *folder = strdup(profilerResultPath);
  if (!folder)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
  pthread_mutex_lock(&prof_lock);
  const bool twice = prof_folder;
  if (!twice)
    prof_folder = folder;
  pthread_mutex_unlock(&prof_lock);
  if (!twice)
    return ACL_SUCCESS;
  free(folder);
  return acl_fail(ACL_ERROR_PROF_ALREADY_RUN, "%s was called before", call);
}
static aclError prof_not_run(const char *call, const char *what) {
  return acl_fail(ACL_ERROR_PROF_NOT_RUN, "%s: %s", call, what);
}
aclError aclprofFinalize(void) {
  static const char *const call = "aclprofFinalize";
  aclError code = ACL_SUCCESS;
  pthread_mutex_lock(&prof_lock);
  char *folder = prof_folder;
  if (folder && prof_config)
    code = prof_end(call);
  prof_folder = NULL;
  pthread_mutex_unlock(&prof_lock);
  free(folder);
  return folder ? code : prof_not_run(call, "aclprofInit was not called");
}
aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength) {
  static const char *const call = "aclprofSetConfig";
  if (configType <= ACL_PROF_ARGS_MIN || configType >= ACL_PROF_ARGS_MAX)
    return acl_fail(ACL_ERROR_INVALID_PROFILING_CONFIG, "%s: there is no setting %d", call, (int)configType);
  if (!config || !configLength || strnlen(config, configLength + 1) != configLength)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: no value, or it has not %zu bytes", call, configLength);
  return ACL_SUCCESS;
}
aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
                                   aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig) {
  static const char *const call = "aclprofCreateConfig";
  const bool known =
      aicoreMetrics == ACL_AICORE_NONE || (unsigned)aicoreMetrics <= (unsigned)ACL_AICORE_MEMORY_ACCESS;
  (void)aicoreEvents;
  if (deviceNums != 1 || !deviceIdList || deviceIdList[0] != 0) {
    acl_fail(ACL_ERROR_INVALID_PROFILING_CONFIG, "%s: there is one device, 0; %u are given", call,
             deviceNums);
    return NULL;
  }
  if (!known || !dataTypeConfig) {
    acl_fail(ACL_ERROR_INVALID_PROFILING_CONFIG, "%s: metrics %d are not known, or nothing is to be recorded",
             call, (int)aicoreMetrics);
    return NULL;
  }
  aclprofConfig *c = calloc(1, sizeof *c);
  if (c)
    c->data = dataTypeConfig;
  else
    acl_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
  return c;
}
aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig) {
  if (!profilerConfig)
    return acl_missing("aclprofDestroyConfig: profilerConfig");
  pthread_mutex_lock(&prof_lock);
  const bool used = prof_config == profilerConfig;
  pthread_mutex_unlock(&prof_lock);
  if (used)
    return acl_fail(ACL_ERROR_PROF_ALREADY_RUN, "aclprofDestroyConfig: aclprofStop comes first");
  free((void *)(uintptr_t)profilerConfig);
  return ACL_SUCCESS;
}
aclError aclprofStart(const aclprofConfig *profilerConfig) {
  static const char *const call = "aclprofStart";
  if (!profilerConfig)
    return acl_missing("aclprofStart: profilerConfig");
  pthread_mutex_lock(&prof_lock);
  const bool ready = prof_folder;
  const bool runs = prof_config;
  if (ready && !runs) {
    prof_config = profilerConfig;
    prof_start_ns = acl_now_ns();
    atomic_store(&prof_data, profilerConfig->data);
  }
  pthread_mutex_unlock(&prof_lock);
  if (!ready)
    return prof_not_run(call, "aclprofInit was not called");
  return runs ? acl_fail(ACL_ERROR_PROF_ALREADY_RUN, "%s: a profile is recorded already", call) : ACL_SUCCESS;
}
aclError aclprofStop(const aclprofConfig *profilerConfig) {
  static const char *const call = "aclprofStop";
  pthread_mutex_lock(&prof_lock);
  const bool ours = profilerConfig && prof_config == profilerConfig;
  const aclError code = ours ? prof_end(call) : ACL_SUCCESS;
  pthread_mutex_unlock(&prof_lock);
  return ours ? code : prof_not_run(call, "nothing is recorded by this configuration");
}

// ---- marks ----
void *aclprofCreateStamp(void) {
  return calloc(1, sizeof(prof_stamp));
}
void aclprofDestroyStamp(void *stamp) {
  free(stamp);
}
aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen) {
  if (!stamp || !msg)
    return acl_missing("aclprofSetStampTraceMessage: the stamp or the message");
  if (msgLen >= PROF_NAME)
    return acl_fail(ACL_ERROR_INVALID_PARAM,
                    "aclprofSetStampTraceMessage: a message of %u bytes; %d are possible", msgLen,
                    PROF_NAME - 1);
  prof_stamp *s = stamp;
  snprintf(s->message, sizeof s->message, "%.*s", (int)msgLen, msg);
  return ACL_SUCCESS;
}
aclError aclprofMark(void *stamp) {
  if (!stamp)
    return acl_missing("aclprofMark: stamp");
  acl_prof_end(prof_begin(ACL_PROF_MSPROFTX), "mark", ((const prof_stamp *)stamp)->message, 0);
  return ACL_SUCCESS;
}
static void prof_range_begin(prof_range *r, const void *stamp) {
  snprintf(r->message, sizeof r->message, "%s", ((const prof_stamp *)stamp)->message);
  r->begin_ns = WEFT_MAX(prof_begin(ACL_PROF_MSPROFTX), 1);
}
// A range that began before the profile has no line.
static void prof_range_end(const prof_range *r, uint64_t number) {
  acl_prof_end(r->begin_ns > 1 ? r->begin_ns : 0, "range", r->message, number);
}
aclError aclprofPush(void *stamp) {
  if (!stamp)
    return acl_missing("aclprofPush: stamp");
  if (prof_depth == PROF_NESTED)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclprofPush: more than %d ranges in each other", PROF_NESTED);
  prof_range_begin(&prof_nested[prof_depth++], stamp);
  return ACL_SUCCESS;
}
aclError aclprofPop(void) {
  if (!prof_depth)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclprofPop: this thread has no range that aclprofPush began");
  prof_depth--;
  prof_range_end(&prof_nested[prof_depth], prof_depth);
  return ACL_SUCCESS;
}
aclError aclprofRangeStart(void *stamp, uint32_t *rangeId) {
  if (!stamp || !rangeId)
    return acl_missing("aclprofRangeStart: the stamp or the place for the range's number");
  uint32_t at = 0;
  pthread_mutex_lock(&prof_lock);
  while (at < PROF_RANGES && prof_ranges[at].begin_ns)
    at++;
  if (at < PROF_RANGES)
    prof_range_begin(&prof_ranges[at], stamp);
  pthread_mutex_unlock(&prof_lock);
  if (at == PROF_RANGES)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclprofRangeStart: %d ranges are open", PROF_RANGES);
  *rangeId = at + 1;
  return ACL_SUCCESS;
}
aclError aclprofRangeStop(uint32_t rangeId) {
  prof_range r = {0};
  pthread_mutex_lock(&prof_lock);
  if (rangeId && rangeId <= PROF_RANGES) {
    r = prof_ranges[rangeId - 1];
    prof_ranges[rangeId - 1].begin_ns = 0;
  }
  pthread_mutex_unlock(&prof_lock);
  if (!r.begin_ns)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclprofRangeStop: range %u is not open", rangeId);
  prof_range_end(&r, rangeId);
  return ACL_SUCCESS;
}
aclprofStepInfo *aclprofCreateStepInfo(void) {
  return calloc(1, sizeof(aclprofStepInfo));
}
void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo) {
  free(stepinfo);
}
aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream) {
  static const char *const call = "aclprofGetStepTimestamp";
  if (!stepInfo)
    return acl_missing("aclprofGetStepTimestamp: stepInfo");
  const bool begins = tag == ACL_STEP_START;
  if ((!begins && tag != ACL_STEP_END) || begins == (stepInfo->begin_ns != 0))
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: a step begins, ends, and then begins again", call);
  const aclError code = acl_stream_ready(stream);
  if (code)
    return code;
  if (!begins)
    acl_prof_end(stepInfo->begin_ns > 1 ? stepInfo->begin_ns : 0, "step", "", 0);
  stepInfo->begin_ns = begins ? WEFT_MAX(prof_begin(ACL_PROF_MSPROFTX), 1) : 0;
  return ACL_SUCCESS;
}

// ---- subscriptions ----
static aclError prof_unsubscribed(const char *call) {
  return acl_fail(ACL_ERROR_FEATURE_UNSUPPORTED,
                  "%s: there are no subscriptions; aclprofStart records runs, `weft bench --profile` the "
                  "nodes of a model",
                  call);
}
aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
                                                     aclprofAicoreMetrics aicoreMetrics, void *fd) {
  (void)timeInfoSwitch;
  (void)aicoreMetrics;
  (void)fd;
  prof_unsubscribed("aclprofCreateSubscribeConfig");
  return NULL;
}
aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig) {
  (void)profSubscribeConfig;
  return prof_unsubscribed("aclprofDestroySubscribeConfig");
}
aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig) {
  (void)modelId;
  (void)profSubscribeConfig;
  return prof_unsubscribed("aclprofModelSubscribe");
}
aclError aclprofModelUnSubscribe(uint32_t modelId) {
  (void)modelId;
  return prof_unsubscribed("aclprofModelUnSubscribe");
}
// SPDX-License-Identifier: Apache-2.0
