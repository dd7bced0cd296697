/* Node.js cannot send urgent data. */
#include <node_api.h>
#include <sys/socket.h>

/* send(descriptor): one urgent byte. @returns whether the system has taken it */
static napi_value send_urgent(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value value;
  int descriptor = -1;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  napi_get_value_int32(env, value, &descriptor);
  napi_get_boolean(env, send(descriptor, "!", 1, MSG_OOB | MSG_NOSIGNAL | MSG_DONTWAIT) == 1, &value);
  return value;
}

NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "send", NAPI_AUTO_LENGTH, send_urgent, NULL, &function);
  napi_set_named_property(env, exports, "send", function);
  return exports;
}
