/* What the files of the accelerator share. */
#ifndef CELLHOP_COMMON_H
#define CELLHOP_COMMON_H
#include <errno.h>
#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static inline void must(bool is_so, const char *what) {
  if (!is_so) napi_fatal_error("accelerator", NAPI_AUTO_LENGTH, what, NAPI_AUTO_LENGTH);
}

static inline void *must_have(void *memory) {
  must(memory != NULL, "out of memory");
  return memory;
}

/* After its close, the number of a descriptor may be that of another customer. */
static inline void close_once(int fd) {
  must(close(fd) == 0 || errno != EBADF, "a descriptor was closed twice");
}

static inline int64_t integer(napi_env env, napi_value value) {
  int64_t number;
  must(napi_get_value_int64(env, value, &number) == napi_ok, "not a number");
  return number;
}

static inline napi_value to_number(napi_env env, double number) {
  napi_value value;
  must(napi_create_double(env, number, &value) == napi_ok, "no number");
  return value;
}

static inline napi_value to_boolean(napi_env env, bool is_true) {
  napi_value value;
  must(napi_get_boolean(env, is_true, &value) == napi_ok, "no boolean");
  return value;
}

/* An exception in JavaScript is one that nobody catches. */
static inline void call_back(napi_env env, napi_async_context context, napi_value self, napi_value function, napi_value value) {
  napi_value error;
  if (napi_make_callback(env, context, self, function, 1, &value, NULL) != napi_pending_exception) return;
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

/* The indexes of an array that are free, so that nobody searches for one. */
struct free_indexes {
  uint32_t *indexes;
  uint32_t count;
};

/* The array has grown: those from `before` on are free, the first one is taken first. */
static inline void free_more(struct free_indexes *free, uint32_t before, uint32_t size) {
  free->indexes = must_have(realloc(free->indexes, size * sizeof(uint32_t)));
  for (uint32_t index = size; index-- > before;) free->indexes[free->count++] = index;
}

struct native_function {
  const char *name;
  napi_callback function;
};

static inline void export_functions(
  napi_env env, napi_value exports, const struct native_function *functions, size_t count, void *data
) {
  for (size_t at = 0; at < count; at += 1) {
    napi_value function;
    const char *name = functions[at].name;
    must(napi_create_function(env, name, NAPI_AUTO_LENGTH, functions[at].function, data, &function) == napi_ok, name);
    must(napi_set_named_property(env, exports, name, function) == napi_ok, name);
  }
}

void export_sockets(napi_env env, napi_value exports);

#endif
