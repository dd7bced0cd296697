/*
 * Sends datagrams through a SOCKS5 UDP association to an echo in the same program, and counts the replies. Both together
 * need a fraction of the CPU time of a proxy, which a load generator on Node would not.
 *
 * Usage: datagram-load PROXY_PORT PAYLOAD_BYTES IN_FLIGHT MILLISECONDS
 * PROXY_PORT is where the association receives; 0: directly to the echo, without a header.
 * Prints: replies, seconds, CPU seconds of load and echo, datagrams that were lost.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

enum {
  HEADER_BYTES = 10,
  BATCH = 32,
  SLOTS_MAX = 256,
  DATAGRAM_BYTES_MAX = 2048,
  STALL_MS = 50,
  CHECK_MS = 10,
  BUFFER_BYTES = 4 << 20,
};

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

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static int open_socket(void) {
  int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
  int bytes = BUFFER_BYTES;
  struct timeval timeout = {.tv_usec = STALL_MS * 1000};
  struct sockaddr_in address = loopback(0);
  if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) fail("bind");
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  return descriptor;
}

static int port_of(int descriptor) {
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) fail("getsockname");
  return ntohs(address.sin_port);
}

/* A batch of datagrams, each with a buffer and an address. */
struct batch {
  struct mmsghdr messages[BATCH];
  struct iovec parts[BATCH];
  struct sockaddr_in peers[BATCH];
  unsigned char bytes[BATCH][DATAGRAM_BYTES_MAX];
};

static void reset(struct batch *batch) {
  for (int index = 0; index < BATCH; index += 1) {
    batch->parts[index] = (struct iovec){batch->bytes[index], DATAGRAM_BYTES_MAX};
    batch->messages[index].msg_hdr = (struct msghdr){
        .msg_name = &batch->peers[index],
        .msg_namelen = sizeof batch->peers[index],
        .msg_iov = &batch->parts[index],
        .msg_iovlen = 1,
    };
  }
}

static void *echo(void *argument) {
  int descriptor = *(int *)argument;
  static struct batch batch;
  for (;;) {
    reset(&batch);
    int count = recvmmsg(descriptor, batch.messages, BATCH, MSG_WAITFORONE, NULL);
    for (int index = 0; index < count; index += 1) batch.parts[index].iov_len = batch.messages[index].msg_len;
    for (int sent = 0; sent < count;) {
      int done = sendmmsg(descriptor, batch.messages + sent, count - sent, 0);
      if (done < 0 && errno != EINTR) break;
      if (done > 0) sent += done;
    }
  }
  return NULL;
}

/* A datagram in flight. Its slot number is the first payload byte, so that a lost one can be sent again. */
struct slot {
  unsigned char bytes[DATAGRAM_BYTES_MAX];
  double sent_at;
};

static struct slot slots[SLOTS_MAX];

static void send_slots(int descriptor, const int *numbers, int count, size_t skip, size_t length, double at) {
  struct mmsghdr messages[SLOTS_MAX] = {0};
  struct iovec parts[SLOTS_MAX];
  for (int index = 0; index < count; index += 1) {
    struct slot *slot = &slots[numbers[index]];
    slot->sent_at = at;
    parts[index] = (struct iovec){slot->bytes + skip, length};
    messages[index].msg_hdr = (struct msghdr){.msg_iov = &parts[index], .msg_iovlen = 1};
  }
  for (int sent = 0; sent < count;) {
    int done = sendmmsg(descriptor, messages + sent, count - sent, 0);
    if (done < 0 && errno != EINTR) fail("sendmmsg");
    if (done > 0) sent += done;
  }
}

/* Sends the datagrams again whose replies did not arrive. */
static long send_lost(int descriptor, int in_flight, size_t skip, size_t length, double at) {
  int numbers[SLOTS_MAX], count = 0;
  for (int number = 0; number < in_flight; number += 1)
    if (at - slots[number].sent_at > STALL_MS / 1000.0) numbers[count++] = number;
  send_slots(descriptor, numbers, count, skip, length, at);
  return count;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  int proxy_port = atoi(argv[1]), payload_bytes = atoi(argv[2]), in_flight = atoi(argv[3]);
  if (in_flight > SLOTS_MAX || payload_bytes + HEADER_BYTES > DATAGRAM_BYTES_MAX) return 2;
  double seconds = atoi(argv[4]) / 1000.0;
  int target = open_socket(), load = open_socket();
  struct sockaddr_in peer = loopback(proxy_port == 0 ? port_of(target) : proxy_port);
  if (connect(load, (struct sockaddr *)&peer, sizeof peer) != 0) fail("connect");

  size_t skip = proxy_port == 0 ? HEADER_BYTES : 0;
  size_t length = payload_bytes + HEADER_BYTES - skip;
  unsigned char header[HEADER_BYTES] = {0, 0, 0, 1, 127, 0, 0, 1, port_of(target) >> 8, port_of(target) & 255};
  int numbers[SLOTS_MAX];
  for (int number = 0; number < in_flight; number += 1) {
    memcpy(slots[number].bytes, header, sizeof header);
    slots[number].bytes[HEADER_BYTES] = number;
    numbers[number] = number;
  }

  pthread_t thread;
  if (pthread_create(&thread, NULL, echo, &target) != 0) fail("pthread_create");
  static struct batch batch;
  long replies = 0, lost = 0;
  double cpu_before = cpu_seconds(), started = now(), checked = started;
  send_slots(load, numbers, in_flight, skip, length, started);
  for (double at = started; at - started < seconds; at = now()) {
    reset(&batch);
    int count = recvmmsg(load, batch.messages, BATCH, MSG_WAITFORONE, NULL);
    if (count < 0 && errno != EAGAIN && errno != EINTR) fail("recvmmsg");
    if (count < 0) count = 0;
    for (int index = 0; index < count; index += 1) numbers[index] = batch.bytes[index][HEADER_BYTES - skip] % in_flight;
    replies += count;
    send_slots(load, numbers, count, skip, length, at);
    if (at - checked < CHECK_MS / 1000.0) continue;
    checked = at;
    lost += send_lost(load, in_flight, skip, length, at);
  }
  printf("%ld %.6f %.6f %ld\n", replies, now() - started, cpu_seconds() - cpu_before, lost);
  return 0;
}
