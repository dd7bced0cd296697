/*
 * Loads a proxy over TCP, and is the origin behind it: one process and one epoll loop on one core, which needs far less CPU time than a
 * proxy. Bodies are neither copied nor read: `sendfile` sends them, MSG_TRUNC drops them.
 *
 * Usage: stream-load KIND VIA PROXY_PORT ORIGIN_PORT NAME_PORT USERNAME PASSWORD CLIENTS MILLISECONDS BYTES_PER_SECOND
 * KIND   down, up: each client has one endless stream; paced: the same down, each at BYTES_PER_SECOND in segments as of a mobile network;
 *        tunnels: a new tunnel for each byte; named-tunnels: the same to a name; ping: one message of 1 KB at a time, on all tunnels in turn;
 *        requests, kept-requests: GET in absolute form on new connections, or on kept ones;
 *        idle, stalled: tunnels without data, and with an endless stream that the client does not read; until SIGTERM.
 * VIA    none, socks5, connect. PROXY_PORT is that of the origin if there is no proxy.
 * USERNAME with a star at its end: by SOCKS5 each client has a name of its own, with its number in place of the star.
 * Prints a line when the measurement starts, and one of JSON when it ends.
 *
 * The origin listens on ORIGIN_PORT and does what the first byte of a client says. A SOCKS5 greeting makes it an upstream proxy in front of
 * itself, without a login. A name server on NAME_PORT gives its address to every name.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  BLOCK_BYTES = 1 << 20,
  MESSAGE_BYTES = 1024,
  HEAD_BYTES = 4096,
  EVENTS = 256,
  /* Tunnels that `idle` and `stalled` open at the same time. */
  OPENING_MAX = 16,
  OPENING_SECONDS_MAX = 20,
  WARM_UP_MS = 200,
  LATENCIES_MAX = 1 << 20,
  /* Addresses of clients and of the origin: a pair of addresses has 28,000 connections until TIME_WAIT ends. */
  ADDRESSES = 16,
  CLIENT_NETWORK = 0x7f000100,
  ORIGIN_NETWORK = 0x7f000200,
  /* MTU 1500 less the headers of IP and TCP. */
  MOBILE_SEGMENT_BYTES = 1460,
};

enum kind { DOWN, UP, PACED, TUNNELS, NAMED_TUNNELS, PING, REQUESTS, KEPT_REQUESTS, IDLE, STALLED, KINDS };
enum via { NONE, SOCKS5, CONNECT, VIAS };
static const char *const kind_names[KINDS] = {"down", "up", "paced", "tunnels", "named-tunnels", "ping", "requests", "kept-requests", "idle", "stalled"};
static const char *const via_names[VIAS] = {"none", "socks5", "connect"};
/* What a client of each kind sends first, which tells the origin what to do. */
static const char commands[KINDS] = {'d', 'u', 'm', 'p', 'p', 'e', 'G', 'G', 'i', 'd'};

enum stage {
  LISTENING, NAME_SERVER,
  /* A client: */
  CONNECTING, METHOD_REPLY, LOGIN_REPLY, CONNECT_REPLY, HTTP_REPLY, OPEN,
  /* A socket of the origin: */
  COMMAND, UPSTREAM_REQUEST, FLOODING, SINKING, ECHOING, SERVING,
};

struct peer {
  int descriptor;
  /* Of a client, in `clients`. */
  int index;
  enum stage stage;
  /* What has arrived of a message: a head in `head`, otherwise its length. */
  size_t received;
  /* The body of a response so far; -1 while its head is incomplete. */
  long body_bytes;
  uint32_t events;
  double sent_at;
  char head[HEAD_BYTES];
};

static enum kind kind;
static enum via via;
static int proxy_port, origin_port, name_port, client_count, bytes_per_second;
static const char *username, *password;
static const char origin_name[] = "origin.bench.test";
static int loop, block, opening, opened, next_ping;
static long bytes, count, errors;
static struct peer **clients;
static float latencies[LATENCIES_MAX];
static int latency_count;

static volatile sig_atomic_t is_over;

static void open_client(int index);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static struct sockaddr_in endpoint(uint32_t address, int port) {
  struct sockaddr_in result = {.sin_family = AF_INET, .sin_port = htons(port)};
  result.sin_addr.s_addr = htonl(address);
  return result;
}

static void set(int descriptor, int level, int option, int value) { setsockopt(descriptor, level, option, &value, sizeof value); }

static uint32_t origin_address(void) {
  static uint32_t next;
  return ORIGIN_NETWORK + 1 + next++ % ADDRESSES;
}

static struct peer *watch(int descriptor, enum stage stage, uint32_t events) {
  struct peer *peer = calloc(1, sizeof *peer);
  if (!peer) fail("calloc");
  *peer = (struct peer){.descriptor = descriptor, .stage = stage, .events = events, .body_bytes = -1};
  struct epoll_event event = {.events = events, .data.ptr = peer};
  if (epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll_ctl");
  return peer;
}

static void wait_for(struct peer *peer, uint32_t events) {
  if (peer->events == events) return;
  peer->events = events;
  struct epoll_event event = {.events = events, .data.ptr = peer};
  epoll_ctl(loop, EPOLL_CTL_MOD, peer->descriptor, &event);
}

/* One of a batch of events may free only its own peer, because each peer has one descriptor. */
static void forget(struct peer *peer) {
  close(peer->descriptor);
  free(peer);
}

/* Small messages always fit into the socket's buffer. */
static int send_all(struct peer *peer, const void *message, size_t length) {
  return send(peer->descriptor, message, length, MSG_NOSIGNAL) == (ssize_t)length;
}

/* A client that has failed is only replaced where each connection is used once. */
static void lose(struct peer *client) {
  int index = client->index;
  errors += 1;
  if (client->stage != OPEN) opening -= 1;
  clients[index] = NULL;
  forget(client);
  if (kind == TUNNELS || kind == NAMED_TUNNELS || kind == REQUESTS || kind == KEPT_REQUESTS) open_client(index);
}

static void reopen(struct peer *client) {
  int index = client->index;
  forget(client);
  open_client(index);
}

static void send_request(struct peer *client) {
  static char login[600];
  if (login[0] == 0 && via != NONE) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char pair[400], *out = login;
    int length = snprintf(pair, sizeof pair, "%s:%s", username, password);
    out += sprintf(out, "Proxy-Authorization: Basic ");
    for (int at = 0; at < length; at += 3) {
      unsigned word = (unsigned char)pair[at] << 16;
      if (at + 1 < length) word |= (unsigned char)pair[at + 1] << 8;
      if (at + 2 < length) word |= (unsigned char)pair[at + 2];
      for (int digit = 0; digit < 4; digit += 1) *out++ = at + digit > length ? '=' : digits[word >> (18 - 6 * digit) & 63];
    }
    strcpy(out, "\r\n");
  }
  char head[1024], authority[32];
  struct in_addr address = {htonl(origin_address())};
  snprintf(authority, sizeof authority, "%s:%d", kind == NAMED_TUNNELS ? origin_name : inet_ntoa(address), origin_port);
  int length = kind == REQUESTS || kind == KEPT_REQUESTS
      ? snprintf(head, sizeof head, "GET http://%s/ HTTP/1.1\r\nHost: %s\r\n%sUser-Agent: bench\r\nAccept: */*\r\n%s\r\n", authority,
                 authority, login, kind == REQUESTS ? "Connection: close\r\n" : "")
      : snprintf(head, sizeof head, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", authority, authority, login);
  client->received = 0;
  client->body_bytes = -1;
  if (!send_all(client, head, length)) lose(client);
}

/* A client that was lost ends the round: the run is invalid. */
static void send_ping(void) {
  struct peer *client = clients[next_ping];
  next_ping = (next_ping + 1) % client_count;
  if (!client) return;
  static char message[MESSAGE_BYTES] = {'e'};
  client->received = 0;
  client->sent_at = now();
  if (!send_all(client, message, sizeof message)) errors += 1;
}

/* The tunnel is open, or the connection to a proxy that gets requests. */
static void client_opened(struct peer *client) {
  client->stage = OPEN;
  opening -= 1;
  opened += 1;
  if (kind == REQUESTS || kind == KEPT_REQUESTS) return send_request(client);
  if (kind == PING) {
    if (opened == client_count) send_ping();
    return;
  }
  if (!send_all(client, &commands[kind], 1)) return lose(client);
  if (kind == UP) wait_for(client, EPOLLOUT);
  if (kind == STALLED) wait_for(client, 0);
}

/* @returns 0 if the connection is not established yet */
static int begin_handshake(struct peer *client) {
  if (send(client->descriptor, "", 0, MSG_NOSIGNAL) < 0 && errno == EAGAIN) return 0;
  wait_for(client, EPOLLIN);
  if (via == NONE || kind == REQUESTS || kind == KEPT_REQUESTS) {
    client_opened(client);
  } else if (via == CONNECT) {
    client->stage = HTTP_REPLY;
    send_request(client);
  } else {
    client->stage = METHOD_REPLY;
    if (!send_all(client, "\5\1\2", 3)) lose(client);
  }
  return 1;
}

static void open_client(int index) {
  static uint32_t next_address;
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in from = endpoint(CLIENT_NETWORK + 1 + next_address++ % ADDRESSES, 0);
  struct sockaddr_in to = endpoint(INADDR_LOOPBACK, proxy_port);
  if (descriptor < 0) fail("socket");
  set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
  if (kind == PACED) set(descriptor, IPPROTO_TCP, TCP_MAXSEG, MOBILE_SEGMENT_BYTES);
  if (bind(descriptor, (struct sockaddr *)&from, sizeof from) != 0) fail("bind");
  if (connect(descriptor, (struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS) fail("connect");
  opening += 1;
  clients[index] = watch(descriptor, CONNECTING, EPOLLIN);
  clients[index]->index = index;
  if (!begin_handshake(clients[index])) wait_for(clients[index], EPOLLOUT);
}

static void send_socks_login(struct peer *client) {
  char name[256], message[600];
  size_t prefix = strcspn(username, "*");
  int end = snprintf(name, sizeof name, "%.*s", (int)prefix, username);
  if (username[prefix]) snprintf(name + end, sizeof name - end, "%d", client->index);
  int length = sprintf(message, "\1%c%s%c%s", (int)strlen(name), name, (int)strlen(password), password);
  client->stage = LOGIN_REPLY;
  if (!send_all(client, message, length)) lose(client);
}

static void send_socks_request(struct peer *client) {
  unsigned char message[64] = {5, 1, 0, 1};
  uint32_t address = htonl(origin_address());
  size_t length = 8;
  memcpy(message + 4, &address, 4);
  if (kind == NAMED_TUNNELS) {
    message[3] = 3;
    message[4] = sizeof origin_name - 1;
    memcpy(message + 5, origin_name, sizeof origin_name - 1);
    length = 4 + sizeof origin_name;
  }
  message[length++] = origin_port >> 8;
  message[length++] = origin_port & 255;
  client->stage = CONNECT_REPLY;
  if (!send_all(client, message, length)) lose(client);
}

/* @returns whether the reply is complete; 0 after the client was lost, too */
static int receive_reply(struct peer *client, size_t length) {
  ssize_t received = recv(client->descriptor, client->head + client->received, length - client->received, 0);
  if (received < 0 && errno == EAGAIN) return 0;
  if (received <= 0) {
    lose(client);
    return 0;
  }
  client->received += received;
  if (length < HEAD_BYTES - 1 && client->received < length) return 0;
  client->head[client->received] = 0;
  return 1;
}

static void handle_reply(struct peer *client) {
  size_t length = client->stage == HTTP_REPLY ? HEAD_BYTES - 1 : client->stage == CONNECT_REPLY ? 10 : 2;
  if (!receive_reply(client, length)) return;
  const char *head = client->head;
  enum stage stage = client->stage;
  if (stage == HTTP_REPLY && !strstr(head, "\r\n\r\n")) return;
  client->received = 0;
  if (stage == HTTP_REPLY ? strncmp(head + 8, " 200", 4) != 0 : head[1] != (stage == METHOD_REPLY ? 2 : 0)) return lose(client);
  if (stage == METHOD_REPLY) return send_socks_login(client);
  if (stage == LOGIN_REPLY) return send_socks_request(client);
  client_opened(client);
}

static void handle_response(struct peer *client) {
  ssize_t received = client->body_bytes < 0
      ? recv(client->descriptor, client->head + client->received, HEAD_BYTES - 1 - client->received, 0)
      : recv(client->descriptor, NULL, BLOCK_BYTES, MSG_TRUNC);
  if (received < 0 && errno == EAGAIN) return;
  if (received <= 0) {
    /* A proxy may close a connection between two responses. */
    int is_between = kind == KEPT_REQUESTS && client->received == 0 && client->body_bytes < 0;
    return is_between ? reopen(client) : lose(client);
  }
  if (client->body_bytes >= 0) {
    client->body_bytes += received;
  } else {
    client->received += received;
    client->head[client->received] = 0;
    const char *end = strstr(client->head, "\r\n\r\n");
    if (!end) return;
    if (strncmp(client->head + 8, " 200", 4) != 0) return lose(client);
    client->body_bytes = client->head + client->received - (end + 4);
  }
  if (client->body_bytes < MESSAGE_BYTES) return;
  count += 1;
  if (kind == REQUESTS || strcasestr(client->head, "connection: close")) reopen(client);
  else send_request(client);
}

static void handle_open_client(struct peer *client) {
  if (kind == REQUESTS || kind == KEPT_REQUESTS) return handle_response(client);
  if (kind == UP) {
    off_t offset = 0;
    if (sendfile(client->descriptor, block, &offset, BLOCK_BYTES) < 0 && errno != EAGAIN) lose(client);
    return;
  }
  ssize_t received = recv(client->descriptor, NULL, BLOCK_BYTES, MSG_TRUNC);
  if (received < 0 && errno == EAGAIN) return;
  if (received <= 0) return lose(client);
  bytes += received;
  if (kind == TUNNELS || kind == NAMED_TUNNELS) {
    count += 1;
    return reopen(client);
  }
  if (kind != PING || (client->received += received) < MESSAGE_BYTES) return;
  count += 1;
  if (latency_count < LATENCIES_MAX) latencies[latency_count++] = now() - client->sent_at;
  send_ping();
}

static void accept_peer(const struct peer *listener) {
  for (;;) {
    int descriptor = accept4(listener->descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
    watch(descriptor, COMMAND, EPOLLIN);
  }
}

/* @returns whether the origin's socket is still open */
static int answer_request(struct peer *peer, size_t received) {
  static char response[512 + MESSAGE_BYTES];
  static size_t length;
  if (length == 0) {
    length = sprintf(response, "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n",
                     MESSAGE_BYTES) + MESSAGE_BYTES;
    memset(response + length - MESSAGE_BYTES, 'x', MESSAGE_BYTES);
  }
  peer->stage = SERVING;
  peer->received += received;
  peer->head[peer->received] = 0;
  if (!strstr(peer->head, "\r\n\r\n")) return 1;
  peer->received = 0;
  return send_all(peer, response, length);
}

/* @returns whether the origin's socket is still open */
static int obey(struct peer *peer, size_t received) {
  switch (peer->head[0]) {
    case 5:
      peer->stage = UPSTREAM_REQUEST;
      return send_all(peer, "\5\0", 2);
    case 'm':
      set(peer->descriptor, SOL_SOCKET, SO_MAX_PACING_RATE, bytes_per_second);
      __attribute__((fallthrough));
    case 'd':
      peer->stage = FLOODING;
      wait_for(peer, EPOLLOUT);
      return 1;
    case 'e':
      peer->stage = ECHOING;
      return send_all(peer, peer->head, received);
    case 'G':
      return answer_request(peer, received);
    case 'p':
      if (!send_all(peer, "p", 1)) return 0;
      __attribute__((fallthrough));
    default:
      peer->stage = SINKING;
      return 1;
  }
}

/* @returns whether the origin's socket is still open */
static int serve(struct peer *peer) {
  if (peer->stage == FLOODING) {
    off_t offset = 0;
    return sendfile(peer->descriptor, block, &offset, BLOCK_BYTES) >= 0 || errno == EAGAIN;
  }
  ssize_t received = peer->stage == SINKING
      ? recv(peer->descriptor, NULL, BLOCK_BYTES, MSG_TRUNC)
      : recv(peer->descriptor, peer->head + peer->received, HEAD_BYTES - 1 - peer->received, 0);
  if (received <= 0) return received < 0 && errno == EAGAIN;
  if (peer->stage == SINKING && kind == UP) bytes += received;
  if (peer->stage == ECHOING) return send_all(peer, peer->head, received);
  if (peer->stage == SERVING) return answer_request(peer, received);
  if (peer->stage == COMMAND) return obey(peer, received);
  if (peer->stage == UPSTREAM_REQUEST) {
    peer->stage = COMMAND;
    return send_all(peer, "\5\0\0\1\0\0\0\0\0\0", 10);
  }
  return 1;
}

/* Answers questions for IPv4 addresses; there are no IPv6 addresses. The answer repeats the spelling of the question. */
static void answer_name(const struct peer *server) {
  enum { HEADER = 12, FLAGS = 2, ANSWERS = 7, ADDITIONAL = 11, TYPE_A = 1 };
  unsigned char message[1024];
  unsigned char record[16] = {0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4};
  struct sockaddr_in from;
  socklen_t from_length = sizeof from;
  ssize_t received = recvfrom(server->descriptor, message, 512, 0, (struct sockaddr *)&from, &from_length);
  ssize_t end = HEADER;
  while (end < received && message[end] != 0) end += message[end] + 1;
  end += 5;
  if (end > received) return;
  uint32_t address = htonl(origin_address());
  memcpy(record + 12, &address, 4);
  message[FLAGS] = 0x81, message[FLAGS + 1] = 0x80;
  message[ANSWERS] = message[end - 3] == TYPE_A;
  message[ADDITIONAL] = 0;
  memcpy(message + end, record, sizeof record);
  if (message[ANSWERS]) end += sizeof record;
  sendto(server->descriptor, message, end, 0, (struct sockaddr *)&from, from_length);
}

static void handle(struct peer *peer) {
  if (peer->stage == LISTENING) accept_peer(peer);
  else if (peer->stage == NAME_SERVER) answer_name(peer);
  else if (peer->stage == CONNECTING) begin_handshake(peer);
  else if (peer->stage == OPEN) handle_open_client(peer);
  else if (peer->stage < OPEN) handle_reply(peer);
  else if (!serve(peer)) forget(peer);
}

static void run_until(double end, int until_opened) {
  struct epoll_event events[EVENTS];
  int started = opened + opening;
  while (!is_over && now() < end && !(until_opened && opened + errors >= client_count)) {
    while (until_opened && opening < OPENING_MAX && started < client_count) open_client(started++);
    int ready = epoll_wait(loop, events, EVENTS, 20);
    for (int index = 0; index < ready; index += 1) handle(events[index].data.ptr);
  }
}

static void finish(int signal) {
  (void)signal;
  is_over = 1;
}

static void listen_as_origin(void) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = endpoint(INADDR_ANY, origin_port);
  set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);
  if (kind == PACED) set(descriptor, IPPROTO_TCP, TCP_MAXSEG, MOBILE_SEGMENT_BYTES);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0 || listen(descriptor, 4096) != 0) fail("listen");
  watch(descriptor, LISTENING, EPOLLIN);
  int names = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in name_address = endpoint(INADDR_LOOPBACK, name_port);
  if (bind(names, (struct sockaddr *)&name_address, sizeof name_address) != 0) fail("bind");
  watch(names, NAME_SERVER, EPOLLIN);
}

static int compare(const void *one, const void *other) {
  float difference = *(const float *)one - *(const float *)other;
  return difference < 0 ? -1 : difference > 0;
}

static int find(const char *name, const char *const *names, int length) {
  for (int index = 0; index < length; index += 1)
    if (strcmp(name, names[index]) == 0) return index;
  fprintf(stderr, "unknown: %s\n", name);
  exit(2);
}

int main(int argc, char **argv) {
  if (argc != 11) return 2;
  kind = find(argv[1], kind_names, KINDS);
  via = find(argv[2], via_names, VIAS);
  proxy_port = atoi(argv[3]), origin_port = atoi(argv[4]), name_port = atoi(argv[5]);
  username = argv[6], password = argv[7];
  client_count = atoi(argv[8]);
  double seconds = atoi(argv[9]) / 1000.0;
  bytes_per_second = atoi(argv[10]);
  clients = calloc(client_count, sizeof *clients);
  loop = epoll_create1(EPOLL_CLOEXEC);
  block = memfd_create("block", MFD_CLOEXEC);
  if (!clients || loop < 0 || block < 0 || ftruncate(block, BLOCK_BYTES) != 0) fail("start");
  listen_as_origin();
  signal(SIGTERM, finish);

  run_until(now() + OPENING_SECONDS_MAX, 1);
  run_until(now() + WARM_UP_MS / 1000.0, 0);
  bytes = count = latency_count = 0;
  puts("measuring");
  fflush(stdout);
  double started = now(), cpu_before = cpu_seconds();
  run_until(started + seconds, 0);
  double elapsed = now() - started, cpu = cpu_seconds() - cpu_before;
  qsort(latencies, latency_count, sizeof *latencies, compare);
  printf("{\"seconds\":%.6f,\"cpuSeconds\":%.6f,\"bytes\":%ld,\"count\":%ld,\"errors\":%ld,\"opened\":%d,\"p50\":%.7f,\"p99\":%.7f}\n",
         elapsed, cpu, bytes, count, errors, opened, latencies[latency_count / 2], latencies[latency_count * 99 / 100]);
  return 0;
}
