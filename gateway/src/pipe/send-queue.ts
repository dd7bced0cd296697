import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Limits } from '../limits.ts';
import { socketDescriptor, type Transport } from './handle.ts';

interface Delivery {
  readonly socket: Transport;
  /** Identifies the socket in the system's tables. */
  readonly inode: number | undefined;
  readonly limits: Pick<Limits, 'lingerMs' | 'flushMs'>;
  readonly done: () => void;
  pendingBytes: number;
  changedAt: number;
}

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
/** Columns: sl, local_address, rem_address, st, tx_queue:rx_queue (hexadecimal), tr:tm->when, retrnsmt, uid, timeout, inode. */
const TABLE_LINE = /^ *\d+: \S+ \S+ \S+ ([0-9A-F]{8}):\S+ \S+ \S+ +\d+ +\d+ (\d+)/gm;
const CHECK_MS = 25;
const CHECK_MS_MAX = 1_000;
/** The tables contain every socket of the host, so reading and parsing them may use at most this share of the time. */
const CHECK_SHARE = 0.1;

const deliveries = new Set<Delivery>();
let isChecking = false;
let ask: ((descriptor: number) => number | undefined) | undefined;

/**
 * From now on native code asks the system for each socket. The tables come in pieces of a page, each in a turn of the event loop of its own: on
 * a host with many sockets, and while this process is busy, one look at them takes seconds.
 */
export function askQueues(unacknowledgedBytes: (descriptor: number) => number | undefined): void {
  ask = unacknowledgedBytes;
}

/**
 * Calls back `lingerMs` after the peer has acknowledged all written bytes, or when it has acknowledged none for `flushMs`.
 * An earlier reset would discard the kernel's send buffer. Only Linux exposes its size; on other systems only `lingerMs`
 * applies.
 */
export function whenDelivered(socket: Transport, limits: Delivery['limits'], done: () => void): void {
  const pendingBytes = Number.POSITIVE_INFINITY;
  deliveries.add({ socket, inode: socketInode(socket), limits, done, pendingBytes, changedAt: performance.now() });
  if (!isChecking) checkInBackground();
}

/** A failed check is retried: without a check the socket would never be closed. */
function checkInBackground(): void {
  isChecking = true;
  checkAll().catch(() => setTimeout(checkInBackground, CHECK_MS).unref());
}

async function checkAll(): Promise<void> {
  const startedAt = performance.now();
  const queued = ask === undefined ? await readQueues() : askQueue;
  for (const delivery of deliveries) check(delivery, queued(delivery));
  isChecking = deliveries.size > 0;
  const pauseMs = Math.max(CHECK_MS, (performance.now() - startedAt) / CHECK_SHARE);
  if (isChecking) setTimeout(checkInBackground, Math.min(CHECK_MS_MAX, pauseMs)).unref();
}

/** Of a socket that is closed, nothing is pending. */
function askQueue({ socket }: Delivery): number {
  const descriptor = socketDescriptor(socket);
  return descriptor === undefined ? 0 : (ask?.(descriptor) ?? 0);
}

async function readQueues(): Promise<(delivery: Delivery) => number> {
  const texts = await Promise.all(TABLES.map((table) => readFile(table, 'latin1').catch(() => '')));
  const queuedBytes = parseSendQueues(texts);
  return ({ inode }) => (inode === undefined ? 0 : (queuedBytes.get(inode) ?? 0));
}

function check(delivery: Delivery, queuedBytes: number): void {
  const { socket, limits, done } = delivery;
  const pendingBytes = socket.writableLength + queuedBytes;
  if (pendingBytes !== delivery.pendingBytes) {
    delivery.pendingBytes = pendingBytes;
    delivery.changedAt = performance.now();
  }
  const waitMs = pendingBytes === 0 ? limits.lingerMs : limits.flushMs;
  if (!socket.destroyed && performance.now() - delivery.changedAt < waitMs) return;
  deliveries.delete(delivery);
  done();
}

/** The unacknowledged bytes of each socket of this host, by inode; empty on systems without these tables. */
function parseSendQueues(tables: readonly string[]): Map<number, number> {
  const queues = new Map<number, number>();
  for (const table of tables)
    for (const [, bytes = '0', inode] of table.matchAll(TABLE_LINE))
      queues.set(Number(inode), Number.parseInt(bytes, 16));
  return queues;
}

function socketInode(socket: Transport): number | undefined {
  const descriptor = socketDescriptor(socket);
  try {
    return descriptor === undefined ? undefined : fstatSync(descriptor).ino;
  } catch {
    return undefined; // The system has closed the descriptor; nothing can be pending.
  }
}
