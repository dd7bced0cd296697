/** Plays one input on a socket of its own. */
import { connect, type Socket } from 'node:net';
import { resetSocket, wasReset } from '../../src/pipe/handle.ts';
import type { Plan } from './plan.ts';

const LATE_MS = 15;
const NEVER_MS = 60;

export interface Transcript {
  readonly received: Buffer;
  /** `ended`: the gateway has ended its side, and everything was read. `late`: the time is over. */
  readonly end: 'ended' | 'reset' | 'left' | 'late';
  readonly isWritten: boolean;
  readonly milliseconds: number;
}

export function playClient(plan: Plan, port: number, timeoutMs: number): Promise<Transcript> {
  return new Promise((fulfil) => {
    const startedAt = performance.now();
    const chunks: Buffer[] = [];
    let end: Transcript['end'] | undefined;
    let isWritten = false;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const deadline = setTimeout(() => {
      end ??= 'late';
      socket.destroy();
    }, timeoutMs);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      end ??= wasReset(socket) ? 'reset' : 'ended';
      // The others leave in a way of their own, behind their last piece.
      if (plan.leaving === 'stay') socket.end();
    });
    socket.on('error', () => {
      end ??= 'reset';
      socket.destroy();
    });
    socket.once('connect', () => {
      if (plan.reading !== 'at-once') readLater(socket, plan.reading);
      sendPieces(socket, plan, () => {
        isWritten = true;
      });
    });
    socket.once('close', () => {
      clearTimeout(deadline);
      const milliseconds = performance.now() - startedAt;
      fulfil({ received: Buffer.concat(chunks), end: end ?? 'left', isWritten, milliseconds });
    });
  });
}

function readLater(socket: Socket, reading: 'late' | 'never'): void {
  socket.pause();
  const timer =
    reading === 'late'
      ? setTimeout(() => socket.resume(), LATE_MS)
      : setTimeout(() => (socket.readableLength > 0 ? resetSocket(socket) : socket.destroy()), NEVER_MS);
  socket.once('close', () => clearTimeout(timer));
}

function sendPieces(socket: Socket, plan: Plan, written: () => void): void {
  const { bytes, cuts, pauseMs } = plan;
  let at = 0;
  let nth = 0;
  const next = () => {
    if (socket.destroyed) return;
    const end = cuts[nth] ?? bytes.length;
    nth += 1;
    if (end > at) socket.write(bytes.subarray(at, end));
    at = end;
    if (nth > cuts.length) {
      written();
      later(plan.leaveAfterMs, () => leave(socket, plan));
    } else later(pauseMs, next);
  };
  next();
}

function later(pauseMs: number, callback: () => void): void {
  if (pauseMs === 0) setImmediate(callback);
  else setTimeout(callback, pauseMs);
}

function leave(socket: Socket, { leaving }: Plan): void {
  if (socket.destroyed) return;
  if (leaving === 'end') socket.end();
  else if (leaving === 'reset') resetSocket(socket);
  else if (leaving === 'destroy') socket.destroy();
}
