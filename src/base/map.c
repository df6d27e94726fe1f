// map.c - a hash map from byte strings to pointers that keeps the order of insertion.
//
// Entries lie in an array in order of insertion; slots, a power of two and twice the entries' capacity, hold
// entry numbers with half of the hash, so that a key that is absent rarely touches an entry, and are probed
// linearly; of few entries there are no slots, and their hashes are looked through. Removing sets the entry's
// value to NULL and leaves its slot, and its key is not read again; a full array is first rid of removed
// entries and doubles when more than half of it is in use. Find, set and remove take O(1) on average; memory
// is linear in the largest number of entries.
#include "base/base.h"

typedef struct weft_map_entry map_entry;
enum { FIRST_ENTRIES = 8 };

void weft__map_init(weft_map *m, const weft_allocator *a) {
  weft_map empty = {.alloc = a && a->fn ? *a : weft_allocator_default()};
  *m = empty;
}

void weft__map_deinit(weft_map *m) {
  if (!m->in_arena) {
    weft__free(&m->alloc, m->entries, m->cap * sizeof *m->entries, _Alignof(map_entry));
    weft__free(&m->alloc, m->slots, m->n_slots * sizeof *m->slots, _Alignof(uint64_t));
  }
  weft_allocator alloc = m->alloc;
  weft__map_init(m, &alloc);
}

static uint64_t slot_of(uint64_t hash, size_t entry) {
  return hash >> 32 << 32 | (uint32_t)(entry + 1);
}

static bool is_of(const map_entry *e, const char *key, size_t key_bytes, uint64_t hash) {
  return e->hash == hash && e->key_bytes == key_bytes && e->value &&
         (!key_bytes || !memcmp(e->key, key, key_bytes));
}

static map_entry *map_find(const weft_map *m, const char *key, size_t key_bytes, uint64_t hash) {
  if (!m->n)
    return NULL;
  if (!m->n_slots) {
    for (size_t i = 0; i < m->n; i++) {
      if (is_of(&m->entries[i], key, key_bytes, hash))
        return &m->entries[i];
    }
    return NULL;
  }
  size_t mask = m->n_slots - 1;
  for (size_t i = (size_t)hash & mask; m->slots[i]; i = (i + 1) & mask) {
    if ((m->slots[i] ^ hash) >> 32)
      continue;
    map_entry *e = &m->entries[(uint32_t)m->slots[i] - 1];
    if (is_of(e, key, key_bytes, hash))
      return e;
  }
  return NULL;
}

static void link_entry(weft_map *m, uint32_t entry) {
  if (!m->n_slots)
    return;
  size_t mask = m->n_slots - 1;
  size_t i = (size_t)m->entries[entry].hash & mask;
  while (m->slots[i])
    i = (i + 1) & mask;
  m->slots[i] = slot_of(m->entries[entry].hash, entry);
}

static size_t count_live(const weft_map *m) {
  size_t live = 0;
  for (size_t i = 0; i < m->n; i++)
    live += m->entries[i].value != NULL;
  return live;
}

// Closes the gaps that removed entries left and fills the slots anew.
static void map_rebuild(weft_map *m) {
  size_t n = 0;
  if (m->n_slots)
    memset(m->slots, 0, m->n_slots * sizeof *m->slots);
  for (size_t i = 0; i < m->n; i++) {
    if (!m->entries[i].value)
      continue;
    if (n != i)
      m->entries[n] = m->entries[i];
    link_entry(m, (uint32_t)n++);
  }
  m->n = n;
}

static weft_status map_make_room(weft_map *m) {
  if (m->n < m->cap)
    return WEFT_OK;
  if (m->cap && count_live(m) <= m->cap / 2) {
    map_rebuild(m);
    return WEFT_OK;
  }
  size_t cap = m->cap < FIRST_ENTRIES ? FIRST_ENTRIES : m->cap * 2;
  size_t entry_bytes;
  size_t slot_bytes;
  if (cap > UINT32_MAX / 2 || !weft_mul_size(cap, sizeof *m->entries, &entry_bytes))
    return WEFT_E_NOMEM;
  if (!weft_mul_size(cap, 2 * sizeof *m->slots, &slot_bytes))
    return WEFT_E_NOMEM;
  uint64_t *slots = NULL;
  if (cap <= FIRST_ENTRIES)
    slot_bytes = 0;
  else if (!(slots = weft__alloc(&m->alloc, slot_bytes, _Alignof(uint64_t))))
    return WEFT_E_NOMEM;
  map_entry *entries = m->in_arena ? weft__alloc(&m->alloc, entry_bytes, _Alignof(map_entry))
                                   : weft__realloc(&m->alloc, m->entries, m->cap * sizeof *m->entries,
                                                   entry_bytes, _Alignof(map_entry));
  if (!entries) {
    weft__free(&m->alloc, slots, slot_bytes, _Alignof(uint64_t));
    return WEFT_E_NOMEM;
  }
  if (m->in_arena && m->n)
    memcpy(entries, m->entries, m->n * sizeof *entries);
  else if (!m->in_arena)
    weft__free(&m->alloc, m->slots, m->n_slots * sizeof *m->slots, _Alignof(uint64_t));
  m->entries = entries;
  m->cap = cap;
  m->slots = slots;
  m->n_slots = slots ? cap * 2 : 0;
  m->in_arena = false;
  map_rebuild(m);
  return WEFT_OK;
}

weft_status weft__map_reserve(weft_map *m, weft_arena *arena, size_t n) {
  size_t cap = WEFT_MAX(WEFT_MIN(n, FIRST_ENTRIES), 1);
  bool few = n <= FIRST_ENTRIES;
  WEFT_ASSERT(!m->cap);
  while (cap < n && cap <= UINT32_MAX / 4)
    cap *= 2;
  map_entry *entries = weft__arena_alloc(arena, cap * sizeof *entries, _Alignof(map_entry));
  uint64_t *slots = entries && !few ? WEFT_NEW_N(arena, uint64_t, cap * 2) : NULL;
  if (!entries || (!few && !slots))
    return WEFT_E_NOMEM;
  m->entries = entries;
  m->cap = cap;
  m->slots = slots;
  m->n_slots = few ? 0 : cap * 2;
  m->in_arena = true;
  return WEFT_OK;
}

weft_status weft__map_settle(weft_map *m, weft_arena *arena) {
  size_t entry_bytes = m->cap * sizeof *m->entries;  // of what lies in memory: no overflow
  size_t slot_bytes = m->n_slots * sizeof *m->slots;
  if (m->in_arena || !m->cap)
    return WEFT_OK;
  map_entry *entries = weft__arena_alloc(arena, entry_bytes, _Alignof(map_entry));
  uint64_t *slots = slot_bytes ? weft__arena_alloc(arena, slot_bytes, _Alignof(uint64_t)) : NULL;
  if (!entries || (slot_bytes && !slots))
    return WEFT_E_NOMEM;
  memcpy(entries, m->entries, m->n * sizeof *entries);
  if (slots)
    memcpy(slots, m->slots, slot_bytes);
  weft__free(&m->alloc, m->entries, entry_bytes, _Alignof(map_entry));
  weft__free(&m->alloc, m->slots, slot_bytes, _Alignof(uint64_t));
  m->entries = entries;
  m->slots = slots;
  m->in_arena = true;
  return WEFT_OK;
}

weft_key weft__key(const char *text) {
  const size_t bytes = strlen(text);
  return (weft_key){text, bytes, weft__hash(text, bytes)};
}

void *weft__map_find_key(const weft_map *m, const weft_key *k) {
  const map_entry *e = map_find(m, k->text, k->bytes, k->hash);
  return e ? e->value : NULL;
}

void *weft__map_find(const weft_map *m, const char *key, size_t key_bytes) {
  if (!m->n)
    return NULL;
  map_entry *e = map_find(m, key, key_bytes, weft__hash(key, key_bytes));
  return e ? e->value : NULL;
}

static map_entry *map_append(weft_map *m, const char *key, size_t key_bytes, uint64_t hash, void *value) {
  if (map_make_room(m))
    return NULL;
  m->entries[m->n] = (map_entry){key, key_bytes, hash, value};
  link_entry(m, (uint32_t)m->n);
  return &m->entries[m->n++];
}

weft_status weft__map_put(weft_map *m, const weft_key *k, void *value) {
  WEFT_ASSERT(value && !map_find(m, k->text, k->bytes, k->hash));
  return map_append(m, k->text, k->bytes, k->hash, value) ? WEFT_OK : WEFT_E_NOMEM;
}

void *weft__map_intern(weft_map *m, const char *key, size_t key_bytes, void *value_when_absent) {
  uint64_t hash = weft__hash(key, key_bytes);
  map_entry *e = map_find(m, key, key_bytes, hash);
  if (!e)
    e = map_append(m, key, key_bytes, hash, value_when_absent);
  return e ? e->value : NULL;
}

// Setting NULL removes. A key that was removed and is set again comes last.
weft_status weft__map_set(weft_map *m, const char *key, size_t key_bytes, void *value) {
  uint64_t hash = weft__hash(key, key_bytes);
  map_entry *e = map_find(m, key, key_bytes, hash);
  if (e || !value) {
    if (e)
      e->value = value;
    return WEFT_OK;
  }
  return map_append(m, key, key_bytes, hash, value) ? WEFT_OK : WEFT_E_NOMEM;
}

weft_status weft__map_add(weft_map *m, const char *key, size_t key_bytes, void *value) {
  uint64_t hash = weft__hash(key, key_bytes);
  if (map_find(m, key, key_bytes, hash))
    return WEFT_E_EXISTS;
  return map_append(m, key, key_bytes, hash, value) ? WEFT_OK : WEFT_E_NOMEM;
}

void weft__map_remove(weft_map *m, const char *key, size_t key_bytes) {
  map_entry *e = m->n ? map_find(m, key, key_bytes, weft__hash(key, key_bytes)) : NULL;
  if (e)
    e->value = NULL;
}

bool weft__map_has_at(const weft_map *m, uint32_t entry, const char *key, const void *value) {
  if (entry < m->n && m->entries[entry].key == key && m->entries[entry].value == value)
    return true;
  return weft__map_find(m, key, strlen(key)) == value;
}

void weft__map_remove_at(weft_map *m, uint32_t entry, const char *key) {
  if (entry < m->n && m->entries[entry].key == key)
    m->entries[entry].value = NULL;
  else
    weft__map_remove(m, key, strlen(key));
}

// Takes the last entry out of its slot: no later entry was probed past it.
static void unlink_last(weft_map *m) {
  if (!m->n_slots)
    return;
  const uint64_t hash = m->entries[m->n - 1].hash;
  size_t mask = m->n_slots - 1;
  size_t i = (size_t)hash & mask;
  while (m->slots[i] != slot_of(hash, m->n - 1))
    i = (i + 1) & mask;
  m->slots[i] = 0;
}

weft_status weft__map_rekey_at(weft_map *m, uint32_t entry, const char *key, const weft_key *to) {
  map_entry *e = entry < m->n && m->entries[entry].key == key ? &m->entries[entry] : NULL;
  if (!e)
    e = m->n ? map_find(m, key, strlen(key), weft__hash(key, strlen(key))) : NULL;
  if (!e || !e->value)
    return WEFT_OK;
  if (e != &m->entries[m->n - 1]) {
    void *value = e->value;
    const size_t at = (size_t)(e - m->entries);
    const bool moves = m->n == m->cap;
    WEFT_TRY(weft__map_put(m, to, value));
    if (moves)
      weft__map_remove(m, key, strlen(key));
    else
      m->entries[at].value = NULL;
    return WEFT_OK;
  }
  unlink_last(m);
  e->key = to->text;
  e->key_bytes = to->bytes;
  e->hash = to->hash;
  link_entry(m, (uint32_t)(m->n - 1));
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
