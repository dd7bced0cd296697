/*
 * Moves the bytes of tunnels between two TCP sockets without JavaScript. It runs on the thread of the event loop, so nothing here is shared
 * with another thread: libuv watches an epoll descriptor, which watches the sockets, and one wake-up serves all that are ready.
 * Streams are served at ticks instead, from an epoll descriptor of their own.
 *
 * It decides four things alone. The first three have their twins in TypeScript, which takes the tunnel back in every other case:
 *  1. read from a socket while its account has bytes left, at most so many   (Lane.forward, Credit.take)
 *  2. write what was read to the other socket, or wait until it is writable  (TcpSide.write, Lane.resumeSource)
 *  3. read many bytes at once through a kernel pipe, few through a buffer    (PumpReader)
 *  4. read a stream of small reads at the next tick
 *
 * Bytes are counted when they are read, before they are written. An end, a failure and an empty account are told to JavaScript after the
 * batch, in which it cannot change anything. What must not happen ends the process.
 */
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

/* A larger read gains little on streams and costs the cache of small ones. */
enum { COPY_BYTES = 64 * 1024, PIPE_BYTES = 256 * 1024, PIPE_BYTES_MIN = 64 * 1024 };
/* Reads of one socket in one batch. */
enum { COPIES = 2, SPLICES = 2, BATCH = 128 };
/* From this on a pipe is cheaper than a buffer; after so many small reads through a pipe, the buffer is. */
enum { WIDE_BYTES = 32 * 1024, SMALL_BYTES = 16 * 1024, SMALL_READS = 4 };
/*
 * A lane is a stream while small reads follow each other and nothing comes from the other side: each of them would wake this loop and the
 * other program for one or two packets. Answers, first bytes and bulk do not wait; an end of a stream waits for one tick at most.
 * WIDE_BYTES is less than the first window of a TCP connection, so a tick never holds up a sender that could be faster.
 */
enum { TICK_MS = 2, TICK_BATCHES = 4, QUIET_TICKS = 16 };
/* An id of a flow is its index and a number that no later flow of this index has. */
enum { INDEX_BITS = 20, FIRST_FLOWS = 256 };
/* What JavaScript is told of a flow; LOW is of an account. */
enum notice_kind { ENDED, FAILED, STARVED, RETURNED, LOW };
/* A notice is four numbers: kind, id, side, system error. Each event causes one of its flow and one of its account at most. */
enum { NOTICE_NUMBERS = 4, NOTICES = 2 * BATCH };

struct account {
  int64_t allowed, ask_at;
  int64_t passed[2];
  bool is_used, has_asked;
};

struct pipe_pair {
  int from, to;
};

/* One direction: 0 from the client to the exit, 1 back. It reads side `direction` and writes the other one. */
struct lane {
  /* Counted and not written: in the pipe, or in `held` from `offset`. Nothing is read before it is written. */
  size_t pending;
  struct pipe_pair pipe;
  char *held;
  size_t offset;
  bool has_pipe, is_wide, is_stream;
  int small_reads, following_reads;
  double read_at;
};

/* Sockets, and what tells libuv that some are ready. */
struct watcher {
  uv_poll_t poll;
  int epoll;
};

struct flow {
  uint32_t index, generation, account;
  int fd[2];
  struct watcher *watcher[2];
  uint32_t watched[2];
  struct lane lanes[2];
  int64_t passed[2];
  double last_at;
  /* JavaScript has a notice of it, and decides. */
  bool is_stopped;
};

struct relay {
  napi_env env;
  napi_async_context context;
  napi_async_cleanup_hook_handle cleanup;
  napi_ref on_notices, notices_array, numbers_array;
  double *notices, *numbers;
  size_t notice_count;
  struct watcher sockets, streams;
  uv_timer_t tick;
  int quiet_ticks, reads_of_stream, open_handles;
  struct flow **flows;
  uint32_t flows_size, flows_open, generation;
  struct free_indexes free_flows, free_accounts;
  struct account *accounts;
  uint32_t accounts_size;
  struct pipe_pair *free_pipes;
  size_t free_pipes_count, pipes_open, pipes_max;
  bool can_splice;
  int64_t spliced;
  double now;
  char buffer[COPY_BYTES];
};

static double id_of(const struct flow *flow) {
  return (double)(((uint64_t)flow->generation << INDEX_BITS) | flow->index);
}

static void notify(struct relay *relay, enum notice_kind kind, double id, int side, int error) {
  must(relay->notice_count < NOTICES, "too many notices");
  double *notice = relay->notices + NOTICE_NUMBERS * relay->notice_count++;
  notice[0] = kind;
  notice[1] = id;
  notice[2] = side;
  notice[3] = error;
}

/* ---- pipes ---- */

static void close_pipe(struct relay *relay, struct pipe_pair pipe) {
  close_once(pipe.from);
  close_once(pipe.to);
  relay->pipes_open -= 1;
}

/* Without a pipe the buffer is used. The system gives pipes of a page or two above fs.pipe-user-pages-soft. */
static bool take_pipe(struct relay *relay, struct lane *lane) {
  if (lane->has_pipe) return true;
  if (!relay->can_splice) return false;
  if (relay->free_pipes_count > 0) {
    lane->pipe = relay->free_pipes[--relay->free_pipes_count];
    return lane->has_pipe = true;
  }
  int ends[2];
  if (relay->pipes_open >= relay->pipes_max || pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return false;
  relay->pipes_open += 1;
  lane->pipe = (struct pipe_pair){.from = ends[0], .to = ends[1]};
  fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
  if (fcntl(ends[1], F_GETPIPE_SZ) >= PIPE_BYTES_MIN) return lane->has_pipe = true;
  close_pipe(relay, lane->pipe);
  return false;
}

/* The next user is another customer, so only a pipe that the system calls empty is kept. */
static void give_pipe(struct relay *relay, struct lane *lane) {
  if (!lane->has_pipe) return;
  lane->has_pipe = false;
  int left = -1;
  if (ioctl(lane->pipe.from, FIONREAD, &left) == 0 && left == 0) relay->free_pipes[relay->free_pipes_count++] = lane->pipe;
  else close_pipe(relay, lane->pipe);
}

/* ---- moving ---- */

/* A side without an interest is not watched at all: epoll reports failures of a watched one for ever. */
static bool watch(struct relay *relay, struct flow *flow, int side) {
  bool may_read = !flow->is_stopped && flow->lanes[side].pending == 0;
  bool may_write = !flow->is_stopped && flow->lanes[1 - side].pending > 0;
  uint32_t wanted = (may_read ? EPOLLIN : 0u) | (may_write ? EPOLLOUT : 0u);
  uint32_t watched = flow->watched[side];
  struct watcher *watcher = flow->lanes[side].is_stream ? &relay->streams : &relay->sockets;
  struct epoll_event event = {.events = wanted, .data.u64 = (uint64_t)flow->index << 1 | (uint64_t)side};
  if (watched != 0 && (wanted == 0 || watcher != flow->watcher[side])) {
    if (epoll_ctl(flow->watcher[side]->epoll, EPOLL_CTL_DEL, flow->fd[side], &event) != 0) return false;
    watched = flow->watched[side] = 0;
  }
  if (wanted == watched) return true;
  if (epoll_ctl(watcher->epoll, watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, flow->fd[side], &event) != 0) return false;
  flow->watched[side] = wanted;
  flow->watcher[side] = watcher;
  return true;
}

static bool watch_both(struct relay *relay, struct flow *flow) {
  return watch(relay, flow, 0) && watch(relay, flow, 1);
}

static void stop(struct relay *relay, struct flow *flow, enum notice_kind kind, int side, int error) {
  if (flow->is_stopped) return;
  flow->is_stopped = true;
  must(watch_both(relay, flow), "a socket is watched that should not be");
  notify(relay, kind, id_of(flow), side, error);
}

/* Writes what is pending. If that fails, JavaScript writes the rest, fails as well, and reads what is left. */
static void flush(struct relay *relay, struct flow *flow, int direction) {
  struct lane *lane = &flow->lanes[direction];
  int to = flow->fd[1 - direction];
  while (lane->pending > 0) {
    ssize_t count = lane->has_pipe
      ? splice(lane->pipe.from, NULL, to, NULL, lane->pending, SPLICE_F_MOVE | SPLICE_F_NONBLOCK)
      : send(to, lane->held + lane->offset, lane->pending, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return stop(relay, flow, RETURNED, 1 - direction, errno);
    lane->pending -= (size_t)count;
    lane->offset += (size_t)count;
  }
  free(lane->held);
  lane->held = NULL;
}

static void count(struct relay *relay, struct flow *flow, int direction, size_t bytes) {
  struct account *account = &relay->accounts[flow->account];
  account->allowed -= (int64_t)bytes;
  must(account->allowed >= 0, "more was read than was allowed");
  account->passed[direction] += (int64_t)bytes;
  flow->passed[direction] += (int64_t)bytes;
  flow->last_at = relay->now;
  if (account->allowed > account->ask_at || account->has_asked) return;
  account->has_asked = true;
  notify(relay, LOW, flow->account, 0, 0);
}

/* Sends from the shared buffer; what the socket does not take now is copied. */
static void send_copy(struct relay *relay, struct flow *flow, int direction, size_t bytes) {
  struct lane *lane = &flow->lanes[direction];
  ssize_t sent = send(flow->fd[1 - direction], relay->buffer, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  size_t done = sent > 0 ? (size_t)sent : 0;
  if (done == bytes) return;
  lane->pending = bytes - done;
  lane->offset = 0;
  lane->held = must_have(malloc(lane->pending));
  memcpy(lane->held, relay->buffer + done, lane->pending);
  /* The next attempt reports the failure, if it is one. */
  if (sent < 0 && errno != EAGAIN && errno != EINTR) stop(relay, flow, RETURNED, 1 - direction, errno);
}

/*
 * A pipe takes nothing beyond urgent data, for which the socket stays readable: if the first read after an event brings nothing, the next one
 * uses the buffer, which skips it. Otherwise a peer could keep this loop busy.
 * @returns whether more may wait
 */
static bool move_once(struct relay *relay, struct flow *flow, int direction, bool is_first) {
  struct lane *lane = &flow->lanes[direction];
  int64_t allowed = relay->accounts[flow->account].allowed;
  if (allowed <= 0) return stop(relay, flow, STARVED, direction, 0), false;
  bool is_spliced = lane->is_wide && take_pipe(relay, lane);
  size_t most = is_spliced ? PIPE_BYTES : COPY_BYTES;
  size_t wanted = allowed < (int64_t)most ? (size_t)allowed : most;
  ssize_t got = is_spliced
    ? splice(flow->fd[direction], NULL, lane->pipe.to, NULL, wanted, SPLICE_F_MOVE | SPLICE_F_NONBLOCK)
    : recv(flow->fd[direction], relay->buffer, wanted, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    if (is_first) lane->is_wide = false;
    return false;
  }
  if (got < 0 && is_spliced && (errno == EINVAL || errno == ENOSYS)) {
    relay->can_splice = false;
    give_pipe(relay, lane);
    return true;
  }
  if (got < 0) return stop(relay, flow, FAILED, direction, errno), false;
  if (got == 0) return stop(relay, flow, ENDED, direction, 0), false;
  count(relay, flow, direction, (size_t)got);
  if (!is_spliced) {
    if (got >= WIDE_BYTES) lane->is_wide = true;
    send_copy(relay, flow, direction, (size_t)got);
    return (size_t)got == wanted;
  }
  relay->spliced += got;
  lane->small_reads = got < SMALL_BYTES ? lane->small_reads + 1 : 0;
  if (lane->small_reads >= SMALL_READS) lane->is_wide = false, lane->small_reads = 0;
  lane->pending = (size_t)got;
  flush(relay, flow, direction);
  return true;
}

static void was_read(struct relay *relay, struct flow *flow, int direction, int64_t bytes) {
  struct lane *lane = &flow->lanes[direction], *other = &flow->lanes[1 - direction];
  /* At a tick more has come than before. */
  bool follows = relay->now - lane->read_at <= QUIET_TICKS * TICK_MS && bytes < (lane->is_stream ? WIDE_BYTES : SMALL_BYTES);
  if (!follows) lane->following_reads = 0;
  else if (!lane->is_stream) lane->following_reads += 1;
  lane->is_stream = lane->following_reads >= relay->reads_of_stream;
  lane->read_at = relay->now;
  other->following_reads = 0;
  other->is_stream = false;
}

static void move(struct relay *relay, struct flow *flow, int direction) {
  struct lane *lane = &flow->lanes[direction];
  int64_t before = flow->passed[direction];
  int most = lane->is_wide ? SPLICES : COPIES;
  for (int read = 0; read < most && lane->pending == 0 && !flow->is_stopped; read += 1)
    if (!move_once(relay, flow, direction, read == 0)) break;
  if (lane->pending == 0) give_pipe(relay, lane);
  if (flow->passed[direction] > before) was_read(relay, flow, direction, flow->passed[direction] - before);
}

static void serve(struct relay *relay, const struct epoll_event *event) {
  struct flow *flow = relay->flows[event->data.u64 >> 1];
  int side = (int)(event->data.u64 & 1);
  must(flow != NULL, "an event of a closed flow");
  if (flow->is_stopped) return;
  if (event->events & ~(uint32_t)EPOLLIN && flow->lanes[1 - side].pending > 0) {
    flush(relay, flow, 1 - side);
    if (flow->lanes[1 - side].pending == 0) give_pipe(relay, &flow->lanes[1 - side]);
  }
  if (event->events & ~(uint32_t)EPOLLOUT && flow->watched[side] & EPOLLIN) move(relay, flow, side);
  if (!watch_both(relay, flow)) stop(relay, flow, RETURNED, side, errno);
}

static void tell(struct relay *relay) {
  napi_env env = relay->env;
  napi_handle_scope scope;
  napi_value function, global, number;
  must(napi_open_handle_scope(env, &scope) == napi_ok, "no handle scope");
  must(napi_get_reference_value(env, relay->on_notices, &function) == napi_ok, "no function for notices");
  must(napi_get_global(env, &global) == napi_ok, "no global object");
  must(napi_create_uint32(env, (uint32_t)relay->notice_count, &number) == napi_ok, "no number");
  relay->notice_count = 0;
  call_back(env, relay->context, global, function, number);
  napi_close_handle_scope(env, scope);
}

/* @returns how many were ready, at most BATCH */
static int serve_ready(struct relay *relay, struct watcher *watcher) {
  struct epoll_event ready[BATCH];
  int found = epoll_wait(watcher->epoll, ready, BATCH, 0);
  must(found >= 0 || errno == EINTR, "epoll_wait failed");
  relay->now = (double)uv_hrtime() / 1e6;
  for (int at = 0; at < found; at += 1) serve(relay, &ready[at]);
  if (relay->notice_count > 0) tell(relay);
  return found;
}

static void on_ready(uv_poll_t *poll, int status, int events) {
  (void)events;
  struct relay *relay = poll->data;
  must(status == 0, "the sockets cannot be watched");
  serve_ready(relay, &relay->sockets);
}

static void on_stream(uv_poll_t *poll, int status, int events);

static void on_tick(uv_timer_t *tick) {
  struct relay *relay = tick->data;
  relay->quiet_ticks += 1;
  for (int batch = 0; batch < TICK_BATCHES; batch += 1) {
    int found = serve_ready(relay, &relay->streams);
    if (found > 0) relay->quiet_ticks = 0;
    if (found < BATCH) break;
  }
  if (relay->quiet_ticks < QUIET_TICKS) return;
  must(uv_timer_stop(tick) == 0, "a timer does not stop");
  must(uv_poll_start(&relay->streams.poll, UV_READABLE, on_stream) == 0, "the sockets cannot be watched");
}

/* The first one after a silence does not wait. */
static void on_stream(uv_poll_t *poll, int status, int events) {
  (void)events;
  struct relay *relay = poll->data;
  must(status == 0, "the sockets cannot be watched");
  relay->quiet_ticks = 0;
  must(uv_poll_stop(poll) == 0, "a poll does not stop");
  must(uv_timer_start(&relay->tick, on_tick, TICK_MS, TICK_MS) == 0, "no timer");
  serve_ready(relay, &relay->streams);
}

/* ---- the interface to JavaScript ---- */

enum { ARGUMENTS = 3, NUMBERS = 4 };

static struct relay *read_arguments(napi_env env, napi_callback_info info, napi_value *values) {
  void *data;
  size_t count = ARGUMENTS;
  must(napi_get_cb_info(env, info, &count, values, NULL, &data) == napi_ok, "no arguments");
  return data;
}

static struct account *account_of(struct relay *relay, int64_t number) {
  must(number >= 0 && number < relay->accounts_size && relay->accounts[number].is_used, "an unknown account");
  return &relay->accounts[number];
}

static struct flow *flow_of(struct relay *relay, int64_t id) {
  uint64_t index = (uint64_t)id & ((1u << INDEX_BITS) - 1);
  struct flow *flow = index < relay->flows_size ? relay->flows[index] : NULL;
  must(flow != NULL && flow->generation == (uint64_t)id >> INDEX_BITS, "an unknown flow");
  return flow;
}

/* start(onNotices, notices, numbers): the arrays are those into which notices and results are written. */
static double *keep_array(napi_env env, napi_value array, size_t length, napi_ref *reference) {
  napi_typedarray_type type;
  size_t given;
  void *data;
  must(napi_get_typedarray_info(env, array, &type, &given, &data, NULL, NULL) == napi_ok, "not an array");
  must(type == napi_float64_array && given >= length, "a wrong array");
  must(napi_create_reference(env, array, 1, reference) == napi_ok, "no reference");
  return data;
}

static void closed(uv_handle_t *handle) {
  struct relay *relay = handle->data;
  if (--relay->open_handles > 0) return;
  napi_remove_async_cleanup_hook(relay->cleanup);
  close(relay->sockets.epoll);
  close(relay->streams.epoll);
  free(relay->flows);
  free(relay->accounts);
  free(relay->free_flows.indexes);
  free(relay->free_accounts.indexes);
  free(relay->free_pipes);
  free(relay);
}

static void drop_lane(struct relay *relay, struct lane *lane) {
  free(lane->held);
  lane->held = NULL;
  if (lane->pending > 0 && lane->has_pipe) {
    lane->has_pipe = false;
    close_pipe(relay, lane->pipe);
  }
  give_pipe(relay, lane);
  lane->pending = 0;
}

static void drop_flow(struct relay *relay, struct flow *flow) {
  flow->is_stopped = true;
  must(watch_both(relay, flow), "a socket is watched that should not be");
  for (int direction = 0; direction < 2; direction += 1) drop_lane(relay, &flow->lanes[direction]);
  relay->flows[flow->index] = NULL;
  relay->free_flows.indexes[relay->free_flows.count++] = flow->index;
  relay->flows_open -= 1;
  if (relay->flows_open == 0) uv_unref((uv_handle_t *)&relay->sockets.poll);
  free(flow);
}

static void clean_up(napi_async_cleanup_hook_handle handle, void *data) {
  (void)handle;
  struct relay *relay = data;
  for (uint32_t index = 0; index < relay->flows_size; index += 1)
    if (relay->flows[index] != NULL) drop_flow(relay, relay->flows[index]);
  while (relay->free_pipes_count > 0) close_pipe(relay, relay->free_pipes[--relay->free_pipes_count]);
  uv_close((uv_handle_t *)&relay->sockets.poll, closed);
  uv_close((uv_handle_t *)&relay->streams.poll, closed);
  uv_close((uv_handle_t *)&relay->tick, closed);
}

static bool start_watcher(struct relay *relay, uv_loop_t *loop, struct watcher *watcher, uv_poll_cb callback) {
  watcher->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (watcher->epoll < 0 || uv_poll_init(loop, &watcher->poll, watcher->epoll) != 0) return false;
  watcher->poll.data = relay;
  must(uv_poll_start(&watcher->poll, UV_READABLE, callback) == 0, "the sockets cannot be watched");
  uv_unref((uv_handle_t *)&watcher->poll);
  relay->open_handles += 1;
  return true;
}

static napi_value start(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS], name;
  struct relay *relay = read_arguments(env, info, values);
  must(relay->env == NULL, "started twice");
  uv_loop_t *loop;
  relay->env = env;
  relay->can_splice = true;
  must(napi_create_reference(env, values[0], 1, &relay->on_notices) == napi_ok, "no reference");
  relay->notices = keep_array(env, values[1], NOTICE_NUMBERS * NOTICES, &relay->notices_array);
  relay->numbers = keep_array(env, values[2], NUMBERS, &relay->numbers_array);
  must(napi_create_string_utf8(env, "accelerator", NAPI_AUTO_LENGTH, &name) == napi_ok, "no name");
  must(napi_async_init(env, NULL, name, &relay->context) == napi_ok, "no context");
  must(napi_get_uv_event_loop(env, &loop) == napi_ok, "no event loop");
  if (!start_watcher(relay, loop, &relay->sockets, on_ready) || !start_watcher(relay, loop, &relay->streams, on_stream))
    return to_boolean(env, false);
  must(uv_timer_init(loop, &relay->tick) == 0, "no timer");
  relay->tick.data = relay;
  uv_unref((uv_handle_t *)&relay->tick);
  relay->open_handles += 1;
  must(napi_add_async_cleanup_hook(env, clean_up, relay, &relay->cleanup) == napi_ok, "no clean-up");
  return to_boolean(env, true);
}

/* configure(pipes, readsOfStream): how many pipes may be open, each with two descriptors; after how many reads a lane is a stream. */
static napi_value configure(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct relay *relay = read_arguments(env, info, values);
  must(relay->free_pipes == NULL, "configured twice");
  relay->pipes_max = (size_t)integer(env, values[0]);
  relay->reads_of_stream = (int)integer(env, values[1]);
  relay->free_pipes = must_have(calloc(relay->pipes_max + 1, sizeof(struct pipe_pair)));
  return NULL;
}

static napi_value open_account(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct relay *relay = read_arguments(env, info, values);
  if (relay->free_accounts.count == 0) {
    uint32_t before = relay->accounts_size, size = before == 0 ? FIRST_FLOWS : 2 * before;
    relay->accounts = must_have(realloc(relay->accounts, size * sizeof(struct account)));
    memset(relay->accounts + before, 0, (size - before) * sizeof(struct account));
    free_more(&relay->free_accounts, before, size);
    relay->accounts_size = size;
  }
  uint32_t number = relay->free_accounts.indexes[--relay->free_accounts.count];
  relay->accounts[number] = (struct account){.is_used = true};
  return to_number(env, number);
}

static napi_value close_account(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct relay *relay = read_arguments(env, info, values);
  int64_t number = integer(env, values[0]);
  account_of(relay, number)->is_used = false;
  relay->free_accounts.indexes[relay->free_accounts.count++] = (uint32_t)number;
  return NULL;
}

/* allow(account, bytes, askAt): replaces what may pass. */
static napi_value allow(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct relay *relay = read_arguments(env, info, values);
  struct account *account = account_of(relay, integer(env, values[0]));
  account->allowed = integer(env, values[1]);
  account->ask_at = integer(env, values[2]);
  account->has_asked = false;
  must(account->allowed >= 0, "a negative allowance");
  return NULL;
}

/* readAccount(account): the bytes to the exit and to the client. */
static napi_value read_account(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct relay *relay = read_arguments(env, info, values);
  struct account *account = account_of(relay, integer(env, values[0]));
  for (int direction = 0; direction < 2; direction += 1) relay->numbers[direction] = (double)account->passed[direction];
  return NULL;
}

static void grow(struct relay *relay) {
  uint32_t before = relay->flows_size, size = before == 0 ? FIRST_FLOWS : 2 * before;
  relay->flows = must_have(realloc(relay->flows, size * sizeof *relay->flows));
  memset(relay->flows + before, 0, (size - before) * sizeof *relay->flows);
  free_more(&relay->free_flows, before, size);
  relay->flows_size = size;
}

/* attach(clientDescriptor, exitDescriptor, account): @returns the id of the flow, or -1 */
static napi_value attach(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct relay *relay = read_arguments(env, info, values);
  int64_t account = integer(env, values[2]);
  account_of(relay, account);
  if (relay->flows_open >> INDEX_BITS != 0) return to_number(env, -1);
  if (relay->free_flows.count == 0) grow(relay);
  struct flow *flow = must_have(calloc(1, sizeof(struct flow)));
  flow->index = relay->free_flows.indexes[--relay->free_flows.count];
  flow->generation = ++relay->generation;
  flow->account = (uint32_t)account;
  for (int side = 0; side < 2; side += 1) flow->fd[side] = (int)integer(env, values[side]);
  flow->last_at = (double)uv_hrtime() / 1e6;
  relay->flows[flow->index] = flow;
  if (relay->flows_open++ == 0) uv_ref((uv_handle_t *)&relay->sockets.poll);
  if (watch_both(relay, flow)) return to_number(env, id_of(flow));
  drop_flow(relay, flow);
  return to_number(env, -1);
}

/* readFlow(id): the bytes to the exit and to the client, and when the last one was read. */
static napi_value read_flow(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct relay *relay = read_arguments(env, info, values);
  struct flow *flow = flow_of(relay, integer(env, values[0]));
  for (int direction = 0; direction < 2; direction += 1) relay->numbers[direction] = (double)flow->passed[direction];
  relay->numbers[2] = flow->last_at;
  return NULL;
}

/* resume(id): after a notice. @returns false if its sockets cannot be watched */
static napi_value resume(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct relay *relay = read_arguments(env, info, values);
  struct flow *flow = flow_of(relay, integer(env, values[0]));
  flow->is_stopped = false;
  return to_boolean(env, watch_both(relay, flow));
}

/* What was counted and not written, which JavaScript writes first. */
static napi_value take_pending(struct relay *relay, struct lane *lane) {
  napi_value buffer;
  void *bytes;
  if (lane->pending == 0) return must(napi_get_undefined(relay->env, &buffer) == napi_ok, "no value"), buffer;
  must(napi_create_buffer(relay->env, lane->pending, &bytes, &buffer) == napi_ok, "no buffer");
  if (!lane->has_pipe) memcpy(bytes, lane->held + lane->offset, lane->pending);
  for (size_t done = 0; lane->has_pipe && done < lane->pending;) {
    ssize_t got = read(lane->pipe.from, (char *)bytes + done, lane->pending - done);
    must(got > 0 || (got < 0 && errno == EINTR), "counted bytes are not in their pipe");
    if (got > 0) done += (size_t)got;
  }
  lane->pending = 0;
  return buffer;
}

/* detach(id): @returns what is pending, to the exit and to the client; each may be undefined */
static napi_value detach(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS], both;
  struct relay *relay = read_arguments(env, info, values);
  struct flow *flow = flow_of(relay, integer(env, values[0]));
  must(napi_create_array_with_length(env, 2, &both) == napi_ok, "no array");
  for (uint32_t direction = 0; direction < 2; direction += 1)
    must(napi_set_element(env, both, direction, take_pending(relay, &flow->lanes[direction])) == napi_ok, "no element");
  drop_flow(relay, flow);
  return both;
}

/* measure(): flows, open pipes, bytes that passed through pipes, lanes that are streams. */
static napi_value measure(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  struct relay *relay = read_arguments(env, info, values);
  relay->numbers[0] = relay->flows_open;
  relay->numbers[1] = (double)relay->pipes_open;
  relay->numbers[2] = (double)relay->spliced;
  relay->numbers[3] = 0;
  for (uint32_t index = 0; index < relay->flows_size; index += 1)
    if (relay->flows[index] != NULL) relay->numbers[3] += relay->flows[index]->lanes[0].is_stream + relay->flows[index]->lanes[1].is_stream;
  return to_number(env, (double)uv_hrtime() / 1e6);
}

/* unacknowledged(descriptor): the bytes that the peer has not acknowledged, or -1 if the system does not tell. */
static napi_value unacknowledged(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS];
  read_arguments(env, info, values);
  int bytes = -1;
  if (ioctl((int)integer(env, values[0]), SIOCOUTQ, &bytes) != 0) bytes = -1;
  return to_number(env, bytes);
}

NAPI_MODULE_INIT() {
  static const struct native_function functions[] = {
    {"start", start},     {"configure", configure}, {"openAccount", open_account}, {"closeAccount", close_account},
    {"allow", allow},     {"readAccount", read_account}, {"attach", attach},      {"readFlow", read_flow},
    {"resume", resume},   {"detach", detach},      {"measure", measure},
    {"unacknowledged", unacknowledged},
  };
  struct relay *relay = must_have(calloc(1, sizeof(struct relay)));
  export_functions(env, exports, functions, sizeof functions / sizeof functions[0], relay);
  export_sockets(env, exports);
  return exports;
}
