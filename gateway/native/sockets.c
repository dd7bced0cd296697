/*
 * Sockets of clients and destinations without an object of Node.js each: accept, connect, read, write and close in batches, for JavaScript
 * that decides. It runs on the thread of the event loop. libuv watches one epoll descriptor, which watches the sockets; JavaScript is told of all
 * that happened in one call.
 *
 * It decides three things alone. Each has its twin in Node.js, to which JavaScript moves a socket (`take`) for everything else:
 *  1. accept a client, without Nagle's delay; without a descriptor, close it       (net.Server)
 *  2. read while it may, and what JavaScript has not asked to read stays unread    (net.Socket, paused)
 *  3. keep what a socket does not take now, and write it when it is writable       (net.Socket#write)
 *
 * A descriptor has one owner: this file until `take` or `drop`. While it is lent to the relay, it is not watched here.
 */
#define _GNU_SOURCE
#include "common.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

enum { READ_BYTES = 64 * 1024, BUFFER_BYTES = 256 * 1024, READY = 128 };
/* An address as text, with the interface of one that is local to a link. Two addresses, or a port and one, are behind the bytes of sockets. */
enum { TEXT_BYTES = INET6_ADDRSTRLEN + IF_NAMESIZE + 1, ADDRESSES_BYTES = 32 };
/* An id is an index and a number that no later socket of this index has. */
enum { SOCKET_BITS = 20, FIRST_SOCKETS = 256 };
enum event_kind { ACCEPTED, CONNECTED, DATA, ENDED, FAILED, DRAINED, UNWRITTEN, EXHAUSTED };
/* An event is four numbers: kind, id, offset or system error, length. */
enum { EVENT_NUMBERS = 4, EVENTS = 2 * READY + 2 };
enum { LISTENER = UINT32_MAX };

struct raw_socket {
  uint32_t index, generation, watched;
  int fd;
  bool is_connecting, may_read, is_dirty;
  /* What could not be written yet. */
  char *held;
  size_t held_at, held_bytes;
};

struct sockets {
  napi_env env;
  napi_async_context context;
  napi_async_cleanup_hook_handle cleanup;
  napi_ref on_events, events_array, buffer_array;
  double *events;
  char *buffer;
  size_t event_count, buffer_used;
  uv_poll_t poll;
  uv_prepare_t prepare;
  int open_handles;
  int epoll, listener, spare;
  struct raw_socket **all;
  uint32_t size, open, generation;
  struct free_indexes free;
  /* Indexes of those whose interest may have changed. */
  uint32_t *dirty, dirty_count;
};

/* ---- sockets ---- */

static double id_of(const struct raw_socket *socket) {
  return (double)(((uint64_t)socket->generation << SOCKET_BITS) | socket->index);
}

static void grow(struct sockets *sockets) {
  uint32_t before = sockets->size, size = before == 0 ? FIRST_SOCKETS : 2 * before;
  sockets->all = must_have(realloc(sockets->all, size * sizeof *sockets->all));
  sockets->dirty = must_have(realloc(sockets->dirty, size * sizeof(uint32_t)));
  memset(sockets->all + before, 0, (size - before) * sizeof *sockets->all);
  free_more(&sockets->free, before, size);
  sockets->size = size;
}

/* @returns NULL if there are too many */
static struct raw_socket *add(struct sockets *sockets, int fd) {
  if (sockets->free.count == 0 && sockets->size >> SOCKET_BITS != 0) return NULL;
  if (sockets->free.count == 0) grow(sockets);
  struct raw_socket *socket = must_have(calloc(1, sizeof *socket));
  socket->index = sockets->free.indexes[--sockets->free.count];
  socket->generation = ++sockets->generation;
  socket->fd = fd;
  sockets->all[socket->index] = socket;
  if (sockets->open++ == 0 && sockets->listener < 0) uv_ref((uv_handle_t *)&sockets->poll);
  return socket;
}

static void touch(struct sockets *sockets, struct raw_socket *socket) {
  if (socket->is_dirty) return;
  socket->is_dirty = true;
  sockets->dirty[sockets->dirty_count++] = socket->index;
}

/* A socket without an interest is not watched at all: epoll reports failures of a watched one for ever. @returns 0 or the system's error */
static int watch(struct sockets *sockets, struct raw_socket *socket, uint32_t wanted) {
  if (wanted == socket->watched) return 0;
  struct epoll_event event = {.events = wanted, .data.u64 = socket->index};
  int operation = wanted == 0 ? EPOLL_CTL_DEL : socket->watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(sockets->epoll, operation, socket->fd, &event) != 0) return errno;
  socket->watched = wanted;
  return 0;
}

static uint32_t interest(const struct raw_socket *socket) {
  if (socket->is_connecting) return EPOLLOUT;
  return (socket->may_read ? EPOLLIN : 0u) | (socket->held_bytes > 0 ? EPOLLOUT : 0u);
}

/* The descriptor is not used here any more. Who goes on using it has it unwatched before; a close does that as well. */
static int forget(struct sockets *sockets, struct raw_socket *socket) {
  int fd = socket->fd;
  for (uint32_t at = 0; socket->is_dirty && at < sockets->dirty_count; at += 1) {
    if (sockets->dirty[at] != socket->index) continue;
    sockets->dirty[at] = sockets->dirty[--sockets->dirty_count];
    break;
  }
  sockets->all[socket->index] = NULL;
  sockets->free.indexes[sockets->free.count++] = socket->index;
  if (--sockets->open == 0 && sockets->listener < 0) uv_unref((uv_handle_t *)&sockets->poll);
  free(socket->held);
  free(socket);
  return fd;
}

static void tell_of(struct sockets *sockets, enum event_kind kind, double id, size_t offset, size_t length) {
  must(sockets->event_count < EVENTS, "too many events");
  double *event = sockets->events + EVENT_NUMBERS * sockets->event_count++;
  event[0] = kind;
  event[1] = id;
  event[2] = (double)offset;
  event[3] = (double)length;
}

/* After a failure nothing is read or written here. */
static void fail(struct sockets *sockets, struct raw_socket *socket, enum event_kind kind, int error) {
  socket->is_connecting = socket->may_read = false;
  must(watch(sockets, socket, 0) == 0, "a socket cannot be let go");
  tell_of(sockets, kind, id_of(socket), (size_t)error, 0);
}

/* ---- what epoll reports ---- */

/* The system reports a waiting client for ever while no descriptor is left: so it is accepted with a spare one, and closed. */
static void refuse_waiting(struct sockets *sockets) {
  close(sockets->spare);
  int fd = accept4(sockets->listener, NULL, NULL, SOCK_CLOEXEC);
  if (fd >= 0) close(fd);
  sockets->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
  tell_of(sockets, EXHAUSTED, 0, 0, 0);
}

static size_t address_text(const struct sockaddr_storage *address, char *text) {
  const void *bytes = address->ss_family == AF_INET ? (const void *)&((const struct sockaddr_in *)address)->sin_addr
                                                    : (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr;
  if (inet_ntop(address->ss_family, bytes, text, INET6_ADDRSTRLEN) == NULL) return 0;
  const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)address;
  char name[IF_NAMESIZE];
  size_t length = strlen(text);
  bool is_local = address->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&ipv6->sin6_addr) && ipv6->sin6_scope_id > 0;
  if (!is_local || if_indextoname(ipv6->sin6_scope_id, name) == NULL) return length;
  return length + (size_t)sprintf(text + length, "%%%s", name);
}

/*
 * One at a time, as Node.js does, and after what others sent: a network may have only so many clients that have not logged in, and whoever has
 * left counts until that was read.
 */
static void accept_one(struct sockets *sockets) {
  if (sockets->buffer_used + TEXT_BYTES > BUFFER_BYTES) return;
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  int fd = accept4(sockets->listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0 && (errno == EMFILE || errno == ENFILE)) return refuse_waiting(sockets);
  /* Other errors are of one client, which has left. */
  if (fd < 0) return;
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct raw_socket *socket = add(sockets, fd);
  if (socket == NULL) {
    close(fd);
    return;
  }
  size_t bytes = address_text(&address, sockets->buffer + sockets->buffer_used);
  tell_of(sockets, ACCEPTED, id_of(socket), sockets->buffer_used, bytes);
  sockets->buffer_used += bytes;
}

/* @returns 0, or the system's error */
static int write_held(struct raw_socket *socket) {
  while (socket->held_bytes > 0) {
    ssize_t sent = send(socket->fd, socket->held + socket->held_at, socket->held_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN ? 0 : errno;
    socket->held_at += (size_t)sent;
    socket->held_bytes -= (size_t)sent;
  }
  free(socket->held);
  socket->held = NULL;
  return 0;
}

static void read_once(struct sockets *sockets, struct raw_socket *socket) {
  ssize_t got = recv(socket->fd, sockets->buffer + sockets->buffer_used, READ_BYTES, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got < 0) return fail(sockets, socket, FAILED, errno);
  tell_of(sockets, got == 0 ? ENDED : DATA, id_of(socket), sockets->buffer_used, (size_t)got);
  if (got == 0) socket->may_read = false;
  sockets->buffer_used += (size_t)got;
}

static void connected(struct sockets *sockets, struct raw_socket *socket) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(socket->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  if (error != 0) return fail(sockets, socket, FAILED, error);
  socket->is_connecting = false;
  int one = 1;
  setsockopt(socket->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  tell_of(sockets, CONNECTED, id_of(socket), 0, 0);
}

static void serve(struct sockets *sockets, struct raw_socket *socket, uint32_t events) {
  if (socket->is_connecting) return connected(sockets, socket);
  if (socket->held_bytes > 0) {
    int error = write_held(socket);
    if (error != 0) return fail(sockets, socket, UNWRITTEN, error);
    if (socket->held_bytes == 0) tell_of(sockets, DRAINED, id_of(socket), 0, 0);
  }
  if (socket->may_read && (events & ~(uint32_t)EPOLLOUT)) read_once(sockets, socket);
}

static void tell(struct sockets *sockets) {
  napi_env env = sockets->env;
  napi_handle_scope scope;
  napi_value function, global, number;
  must(napi_open_handle_scope(env, &scope) == napi_ok, "no handle scope");
  must(napi_get_reference_value(env, sockets->on_events, &function) == napi_ok, "no function for events");
  must(napi_get_global(env, &global) == napi_ok, "no global object");
  must(napi_create_uint32(env, (uint32_t)sockets->event_count, &number) == napi_ok, "no number");
  sockets->event_count = sockets->buffer_used = 0;
  call_back(env, sockets->context, global, function, number);
  napi_close_handle_scope(env, scope);
}

/* Interests change often between two waits: the system is told of the last one. */
static void on_prepare(uv_prepare_t *prepare) {
  struct sockets *sockets = prepare->data;
  while (sockets->dirty_count > 0) {
    struct raw_socket *socket = sockets->all[sockets->dirty[--sockets->dirty_count]];
    socket->is_dirty = false;
    int error = watch(sockets, socket, interest(socket));
    if (error != 0) fail(sockets, socket, FAILED, error);
    if (sockets->event_count == EVENTS - 1) tell(sockets);
  }
  if (sockets->event_count > 0) tell(sockets);
}

static void on_ready(uv_poll_t *poll, int status, int flags) {
  (void)flags;
  struct sockets *sockets = poll->data;
  must(status == 0, "the sockets cannot be watched");
  struct epoll_event ready[READY];
  int found = epoll_wait(sockets->epoll, ready, READY, 0);
  must(found >= 0 || errno == EINTR, "epoll_wait failed");
  bool is_client_waiting = false;
  for (int at = 0; at < found; at += 1) {
    if (ready[at].data.u64 == LISTENER) {
      is_client_waiting = true;
      continue;
    }
    /* The rest is reported again. */
    if (sockets->buffer_used + READ_BYTES > BUFFER_BYTES) continue;
    struct raw_socket *socket = sockets->all[ready[at].data.u64];
    must(socket != NULL, "an event of a closed socket");
    serve(sockets, socket, ready[at].events);
    /* JavaScript may have stopped reading long ago. */
    if (socket->watched != interest(socket)) touch(sockets, socket);
  }
  if (is_client_waiting) accept_one(sockets);
  if (sockets->event_count > 0) tell(sockets);
}

/* ---- the interface to JavaScript ---- */

enum { ARGUMENTS = 4 };

static struct sockets *read_arguments(napi_env env, napi_callback_info info, napi_value *values) {
  void *data;
  size_t count = ARGUMENTS;
  must(napi_get_cb_info(env, info, &count, values, NULL, &data) == napi_ok, "no arguments");
  return data;
}

static struct raw_socket *socket_of(struct sockets *sockets, napi_value value) {
  uint64_t id = (uint64_t)integer(sockets->env, value);
  uint64_t index = id & ((1u << SOCKET_BITS) - 1);
  struct raw_socket *socket = index < sockets->size ? sockets->all[index] : NULL;
  must(socket != NULL && socket->generation == id >> SOCKET_BITS, "an unknown socket");
  return socket;
}

static char *bytes_of(napi_env env, napi_value value, size_t *length) {
  void *data;
  must(napi_get_typedarray_info(env, value, NULL, length, &data, NULL, NULL) == napi_ok, "no bytes");
  return data;
}

static void close_all(struct sockets *sockets) {
  for (uint32_t index = 0; index < sockets->size; index += 1)
    if (sockets->all[index] != NULL) close_once(forget(sockets, sockets->all[index]));
  if (sockets->listener >= 0) close(sockets->listener);
  if (sockets->spare >= 0) close(sockets->spare);
}

static void closed(uv_handle_t *handle) {
  struct sockets *sockets = handle->data;
  if (--sockets->open_handles > 0) return;
  napi_remove_async_cleanup_hook(sockets->cleanup);
  close(sockets->epoll);
  free(sockets->all);
  free(sockets->free.indexes);
  free(sockets->dirty);
  free(sockets);
}

static void clean_up(napi_async_cleanup_hook_handle handle, void *data) {
  (void)handle;
  struct sockets *sockets = data;
  close_all(sockets);
  uv_poll_stop(&sockets->poll);
  uv_prepare_stop(&sockets->prepare);
  uv_close((uv_handle_t *)&sockets->poll, closed);
  uv_close((uv_handle_t *)&sockets->prepare, closed);
}

/* startSockets(onEvents, events, buffer): the arrays are those into which events and bytes are written. @returns whether the system allows it */
static napi_value start_sockets(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS], name;
  struct sockets *sockets = read_arguments(env, info, values);
  must(sockets->env == NULL, "started twice");
  size_t length;
  uv_loop_t *loop;
  sockets->env = env;
  must(napi_create_reference(env, values[0], 1, &sockets->on_events) == napi_ok, "no reference");
  sockets->events = (double *)(void *)bytes_of(env, values[1], &length);
  must(length >= EVENT_NUMBERS * EVENTS, "a small array of events");
  must(napi_create_reference(env, values[1], 1, &sockets->events_array) == napi_ok, "no reference");
  sockets->buffer = bytes_of(env, values[2], &length);
  must(length >= BUFFER_BYTES + ADDRESSES_BYTES, "a small buffer");
  must(napi_create_reference(env, values[2], 1, &sockets->buffer_array) == napi_ok, "no reference");
  must(napi_create_string_utf8(env, "sockets", NAPI_AUTO_LENGTH, &name) == napi_ok, "no name");
  must(napi_async_init(env, NULL, name, &sockets->context) == napi_ok, "no context");
  must(napi_get_uv_event_loop(env, &loop) == napi_ok, "no event loop");
  sockets->listener = -1;
  sockets->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
  sockets->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (sockets->epoll < 0 || uv_poll_init(loop, &sockets->poll, sockets->epoll) != 0) return to_boolean(env, false);
  sockets->poll.data = sockets->prepare.data = sockets;
  sockets->open_handles = 2;
  must(uv_poll_start(&sockets->poll, UV_READABLE, on_ready) == 0, "the sockets cannot be watched");
  uv_prepare_init(loop, &sockets->prepare);
  uv_prepare_start(&sockets->prepare, on_prepare);
  uv_unref((uv_handle_t *)&sockets->poll);
  uv_unref((uv_handle_t *)&sockets->prepare);
  must(napi_add_async_cleanup_hook(env, clean_up, sockets, &sockets->cleanup) == napi_ok, "no clean-up");
  return to_boolean(env, true);
}

/* listen(descriptor): of a listening socket, which stays the caller's. @returns whether it can be watched */
static napi_value listen_on(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct sockets *sockets = read_arguments(env, info, values);
  must(sockets->listener < 0, "it listens already");
  int fd = fcntl((int)integer(env, values[0]), F_DUPFD_CLOEXEC, 0);
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = LISTENER};
  if (fd < 0 || epoll_ctl(sockets->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
    if (fd >= 0) close(fd);
    return to_boolean(env, false);
  }
  sockets->listener = fd;
  uv_ref((uv_handle_t *)&sockets->poll);
  return to_boolean(env, true);
}

static napi_value stop_listening(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct sockets *sockets = read_arguments(env, info, values);
  if (sockets->listener < 0) return NULL;
  epoll_ctl(sockets->epoll, EPOLL_CTL_DEL, sockets->listener, NULL);
  close_once(sockets->listener);
  sockets->listener = -1;
  if (sockets->open == 0) uv_unref((uv_handle_t *)&sockets->poll);
  return NULL;
}

static socklen_t to_address(const char *bytes, size_t length, int64_t port, struct sockaddr_storage *address) {
  memset(address, 0, sizeof *address);
  if (length == sizeof(struct in_addr)) {
    struct sockaddr_in *to = (struct sockaddr_in *)address;
    to->sin_family = AF_INET;
    to->sin_port = htons((uint16_t)port);
    memcpy(&to->sin_addr, bytes, length);
    return sizeof *to;
  }
  must(length == sizeof(struct in6_addr), "not an address");
  struct sockaddr_in6 *to = (struct sockaddr_in6 *)address;
  to->sin6_family = AF_INET6;
  to->sin6_port = htons((uint16_t)port);
  memcpy(&to->sin6_addr, bytes, length);
  return sizeof *to;
}

static int begin_connect(int fd, const struct sockaddr_storage *to, socklen_t length) {
  int result;
  do result = connect(fd, (const struct sockaddr *)to, length);
  while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINPROGRESS ? 0 : errno;
}

/*
 * connect(addressBytes, port, localBytes, localPort): both addresses are behind the bytes of sockets; an empty local one is the host's choice.
 * @returns the id, or the negative system error
 */
static napi_value connect_to(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct sockets *sockets = read_arguments(env, info, values);
  struct sockaddr_storage to, from;
  int64_t length = integer(env, values[0]), from_length = integer(env, values[2]);
  must(length >= 0 && from_length >= 0 && length + from_length <= ADDRESSES_BYTES, "addresses that are too long");
  const char *bytes = sockets->buffer + BUFFER_BYTES, *from_bytes = bytes + length;
  socklen_t to_length = to_address(bytes, (size_t)length, integer(env, values[1]), &to);
  int fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error = 0, one = 1;
  if (fd < 0) return to_number(env, -errno);
  if (from_length > 0) {
    socklen_t local_length = to_address(from_bytes, (size_t)from_length, integer(env, values[3]), &from);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&from, local_length) != 0) error = errno;
  }
  if (error == 0) error = begin_connect(fd, &to, to_length);
  struct raw_socket *socket = error == 0 ? add(sockets, fd) : NULL;
  if (socket == NULL) {
    close(fd);
    return to_number(env, -(error == 0 ? EMFILE : error));
  }
  socket->is_connecting = true;
  touch(sockets, socket);
  return to_number(env, id_of(socket));
}

/* read(id, mayRead) */
static napi_value set_reading(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct sockets *sockets = read_arguments(env, info, values);
  struct raw_socket *socket = socket_of(sockets, values[0]);
  must(napi_get_value_bool(env, values[1], &socket->may_read) == napi_ok, "not a boolean");
  /* What is watched without being wanted may never happen, so the system is told when it does. */
  if (socket->may_read && socket->watched != interest(socket)) touch(sockets, socket);
  return NULL;
}

/* write(id, bytes): nothing is pending. @returns how many bytes wait, or the negative system error */
static napi_value write_bytes(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct sockets *sockets = read_arguments(env, info, values);
  struct raw_socket *socket = socket_of(sockets, values[0]);
  size_t length, done = 0;
  const char *bytes = bytes_of(env, values[1], &length);
  while (socket->held_bytes == 0 && done < length) {
    ssize_t sent = send(socket->fd, bytes + done, length - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) return to_number(env, -errno);
    if (sent < 0) break;
    done += (size_t)sent;
  }
  if (done == length) return to_number(env, 0);
  size_t rest = length - done;
  char *held = must_have(malloc(socket->held_bytes + rest));
  if (socket->held_bytes > 0) memcpy(held, socket->held + socket->held_at, socket->held_bytes);
  memcpy(held + socket->held_bytes, bytes + done, rest);
  free(socket->held);
  socket->held = held;
  socket->held_at = 0;
  socket->held_bytes += rest;
  touch(sockets, socket);
  return to_number(env, (double)socket->held_bytes);
}

/* shutdown(id): nothing is pending. @returns the system's error */
static napi_value shut_down(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct sockets *sockets = read_arguments(env, info, values);
  return to_number(env, shutdown(socket_of(sockets, values[0])->fd, SHUT_WR) == 0 ? 0 : errno);
}

/* local(id): writes the port and the address behind the bytes of sockets. @returns the length of the address; 0 if there is none */
static napi_value local_end(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct sockets *sockets = read_arguments(env, info, values);
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(socket_of(sockets, values[0])->fd, (struct sockaddr *)&address, &length) != 0) return to_number(env, 0);
  bool is_ipv4 = address.ss_family == AF_INET;
  const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)&address;
  const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)&address;
  size_t bytes = is_ipv4 ? sizeof ipv4->sin_addr : sizeof ipv6->sin6_addr;
  memcpy(sockets->buffer + BUFFER_BYTES, is_ipv4 ? &ipv4->sin_port : &ipv6->sin6_port, sizeof(in_port_t));
  memcpy(sockets->buffer + BUFFER_BYTES + sizeof(in_port_t), is_ipv4 ? (const void *)&ipv4->sin_addr : (const void *)&ipv6->sin6_addr, bytes);
  return to_number(env, (double)bytes);
}

/* lend(id): nothing is watched until the next call for this socket. @returns its descriptor */
static napi_value lend(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct sockets *sockets = read_arguments(env, info, values);
  struct raw_socket *socket = socket_of(sockets, values[0]);
  socket->may_read = false;
  must(socket->held_bytes == 0 && !socket->is_connecting, "a busy socket is lent");
  must(watch(sockets, socket, 0) == 0, "a socket cannot be let go");
  return to_number(env, socket->fd);
}

/* held(id): @returns what waits to be written, which nobody writes any more; undefined if nothing does */
static napi_value take_held(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS], buffer;
  struct sockets *sockets = read_arguments(env, info, values);
  struct raw_socket *socket = socket_of(sockets, values[0]);
  if (socket->held_bytes == 0) return NULL;
  must(napi_create_buffer_copy(env, socket->held_bytes, socket->held + socket->held_at, NULL, &buffer) == napi_ok, "no buffer");
  socket->held_bytes = 0;
  return buffer;
}

/* take(id): @returns the descriptor, which is the caller's from now on */
static napi_value take(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct sockets *sockets = read_arguments(env, info, values);
  struct raw_socket *socket = socket_of(sockets, values[0]);
  must(watch(sockets, socket, 0) == 0, "a socket cannot be let go");
  return to_number(env, forget(sockets, socket));
}

/* drop(id, isReset): closes the descriptor, after a reset if it is one */
static napi_value drop(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  bool is_reset;
  struct sockets *sockets = read_arguments(env, info, values);
  int fd = forget(sockets, socket_of(sockets, values[0]));
  must(napi_get_value_bool(env, values[1], &is_reset) == napi_ok, "not a boolean");
  struct linger none = {.l_onoff = 1, .l_linger = 0};
  if (is_reset) setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close_once(fd);
  return NULL;
}

/* countSockets(): @returns how many are open */
static napi_value count_sockets(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  return to_number(env, read_arguments(env, info, values)->open);
}

void export_sockets(napi_env env, napi_value exports) {
  static const struct native_function functions[] = {
    {"startSockets", start_sockets}, {"listen", listen_on}, {"stopListening", stop_listening}, {"connect", connect_to},
    {"read", set_reading}, {"write", write_bytes}, {"shutdown", shut_down}, {"local", local_end}, {"lend", lend},
    {"held", take_held}, {"take", take}, {"drop", drop}, {"countSockets", count_sockets},
  };
  struct sockets *sockets = must_have(calloc(1, sizeof(struct sockets)));
  export_functions(env, exports, functions, sizeof functions / sizeof functions[0], sockets);
}
