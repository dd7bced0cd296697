/** Runs one input on a separate socket. */
import { connect, type Socket } from 'node:net';
import { resetSocket, wasReset } from '../../src/pipe/handle.ts';
import type { Plan } from './plan.ts';

const DELAYED_READ_MS = 15;
const UNREAD_MS = 60;

export interface Transcript {
  readonly received: Buffer;
  /** `ended`: the gateway has ended its direction, and everything was read. `closed`: the client has closed. */
  readonly end: 'ended' | 'reset' | 'closed' | 'timed-out';
  readonly isWritten: boolean;
  readonly milliseconds: number;
}

export function runClient(plan: Plan, port: number, timeoutMs: number): Promise<Transcript> {
  return new Promise((fulfil) => {
    const startedAt = performance.now();
    const chunks: Buffer[] = [];
    let end: Transcript['end'] | undefined;
    let isWritten = false;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const deadline = setTimeout(() => {
      end ??= 'timed-out';
      socket.destroy();
    }, timeoutMs);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      end ??= wasReset(socket) ? 'reset' : 'ended';
      // Other clients end after their last piece, as planned.
      if (plan.leaving === 'wait') socket.end();
    });
    socket.on('error', () => {
      end ??= 'reset';
      socket.destroy();
    });
    socket.once('connect', () => {
      if (plan.readMode !== 'immediately') delayReading(socket, plan.readMode);
      sendPieces(socket, plan, () => {
        isWritten = true;
      });
    });
    socket.once('close', () => {
      clearTimeout(deadline);
      const milliseconds = performance.now() - startedAt;
      fulfil({ received: Buffer.concat(chunks), end: end ?? 'closed', isWritten, milliseconds });
    });
  });
}

function delayReading(socket: Socket, readMode: 'delayed' | 'never'): void {
  socket.pause();
  const timer =
    readMode === 'delayed'
      ? setTimeout(() => socket.resume(), DELAYED_READ_MS)
      : setTimeout(() => (socket.readableLength > 0 ? resetSocket(socket) : socket.destroy()), UNREAD_MS);
  socket.once('close', () => clearTimeout(timer));
}

function sendPieces(socket: Socket, plan: Plan, written: () => void): void {
  const { bytes, cuts, pauseMs } = plan;
  let at = 0;
  let index = 0;
  const next = () => {
    if (socket.destroyed) return;
    const end = cuts[index] ?? bytes.length;
    index += 1;
    if (end > at) socket.write(bytes.subarray(at, end));
    at = end;
    if (index > cuts.length) {
      written();
      runAfter(plan.leaveAfterMs, () => leave(socket, plan));
    } else runAfter(pauseMs, next);
  };
  next();
}

function runAfter(pauseMs: number, callback: () => void): void {
  if (pauseMs === 0) setImmediate(callback);
  else setTimeout(callback, pauseMs);
}

function leave(socket: Socket, { leaving }: Plan): void {
  if (socket.destroyed) return;
  if (leaving === 'end') socket.end();
  else if (leaving === 'reset') resetSocket(socket);
  else if (leaving === 'destroy') socket.destroy();
}
