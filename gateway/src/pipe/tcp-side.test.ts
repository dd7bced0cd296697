/** @module-tag thorough */
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectLocally, listenLocally, patternedBytes, Reader, until } from '../../test/sockets.ts';
import { closeGracefully } from '../listeners/closing.ts';
import { TcpSide } from './tcp-side.ts';

const LIMITS = { lingerMs: 50, flushMs: 60_000 };
/** For peers that have stopped reading for good. */
const IMPATIENT = { ...LIMITS, flushMs: 200 };
/** More than the kernel buffers for a peer that does not read. */
const MUCH = Buffer.alloc(64 * 1_048_576);
const opened: Socket[] = [];

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

/** A side and the far end of its socket. */
async function open(limits = LIMITS) {
  const accepted: Socket[] = [];
  const { server, port } = await listenLocally((socket) => accepted.push(socket.pause()));
  const far = await connectLocally(port);
  await until(() => accepted.length === 1);
  server.close();
  const near = accepted[0]!;
  opened.push(far, near);
  const events: string[] = [];
  const read: Buffer[] = [];
  const side = new TcpSide(near, limits);
  side.open({
    data: (chunk) => read.push(chunk) > 0,
    ended: () => events.push('ended'),
    failed: () => events.push('failed'),
    closed: () => events.push('closed'),
  });
  return { far, near, side, events, readBytes: () => read.reduce((sum, { length }) => sum + length, 0) };
}

describe('a TCP side', () => {
  it('reports a reset after unread data as a failure, not as an end', async () => {
    const { far, side, events, readBytes } = await open();
    await new Promise((fulfil) => far.write(Buffer.alloc(30_000), fulfil));
    far.resetAndDestroy();
    await until(() => far.destroyed);
    side.resume();
    await until(() => events.includes('closed'));
    expect(events).not.toContain('ended');
    expect(events[0]).toBe('failed');
    expect(readBytes()).toBeLessThanOrEqual(30_000);
  });

  it.each(['in the same turn', 'in the next turn', 'after unsent data'])(
    'can be reset after its end: %s',
    async (when) => {
      const { far, near, side, events } = await open();
      const seen = new Reader(far);
      if (when === 'after unsent data') {
        far.pause();
        near.write(MUCH);
      }
      side.end();
      if (when === 'in the next turn') await new Promise(setImmediate);
      side.reset();
      side.reset();
      await until(() => events.includes('closed'));
      far.resume();
      far.write('x'); // After it has read an end, a peer detects a reset only by a write.
      expect(['ended', 'reset']).toContain((await seen.rest()).end);
      await until(() => far.destroyed);
    },
  );

  it('is not ready for the pump after a failed write, because a moved handle would report the reset as an end', async () => {
    const { far, near, side } = await open();
    near.pause();
    expect(side.isReady).toBe(true);
    far.resetAndDestroy();
    await until(() => far.closed);
    near.write('our reply');
    expect(side.isReady).toBe(false);
  });

  it.each(['a', 'another'])('is reset after %s failed write only when all that had arrived is read', async (which) => {
    const { far, side, events, readBytes } = await open();
    await new Promise((fulfil) => far.write(Buffer.alloc(30_000), fulfil));
    far.resetAndDestroy();
    await until(() => far.closed);
    expect(side.write(Buffer.alloc(1), () => {})).toBe(true);
    if (which === 'another') side.write(Buffer.alloc(1), () => {});
    await new Promise(setImmediate);
    expect(side.write(Buffer.alloc(1), () => {})).toBe(false);
    expect(side.pendingBytes).toBeGreaterThan(0);
    expect(events).toEqual([]);
    side.resume();
    await until(() => events.includes('closed'));
    expect(events).toEqual(['failed', 'closed']);
    expect(readBytes()).toBe(30_000);
  });

  it('reports an end that arrived before `open`', async () => {
    const accepted: Socket[] = [];
    const { server, port } = await listenLocally((socket) => accepted.push(socket.pause()));
    const far = await connectLocally(port);
    await until(() => accepted.length === 1);
    far.end();
    const near = accepted[0]!;
    near.resume();
    await until(() => near.readableEnded);
    const events: string[] = [];
    const record = (event: string) => () => events.push(event);
    new TcpSide(near, LIMITS).open({
      data: () => true,
      ended: record('ended'),
      failed: record('failed'),
      closed: record('closed'),
    });
    await until(() => events.length > 0);
    expect(events).toEqual(['ended']);
    near.destroy();
    server.close();
  });

  it('resets the peer only after it has received everything', async () => {
    const { far, side, events } = await open();
    far.pause();
    const body = patternedBytes(3_000_000);
    side.write(body, () => {});
    side.resetAfterDelivery();
    const { bytes, end } = await new Reader(far.resume()).rest();
    expect(end).toBe('reset');
    expect(bytes.equals(body)).toBe(true);
    await until(() => events.includes('closed'));
  });

  it('resets a peer that stops reading', async () => {
    const { far, side, events } = await open(IMPATIENT);
    far.pause();
    side.write(MUCH, () => {});
    side.resetAfterDelivery();
    await until(() => events.length > 0);
    expect(events).toEqual(['closed']);
  });
});

describe('closing a client gracefully', () => {
  it('times out if the client stops reading', async () => {
    const { far, near } = await open();
    far.pause();
    near.write(MUCH);
    closeGracefully(near, IMPATIENT, 'last response');
    await until(() => near.destroyed);
    expect(near.writableFinished).toBe(false);
  });

  it('delivers the last response and an end to a client that is still sending', async () => {
    const { far, near } = await open();
    far.pause();
    const sent = new Promise((fulfil) => far.write(Buffer.alloc(4_000_000), fulfil));
    closeGracefully(near, { ...LIMITS, lingerMs: 15_000 }, 'last response');
    await sent;
    const { bytes, end } = await new Reader(far.resume()).rest();
    expect([bytes.toString(), end]).toEqual(['last response', 'ended']);
  });
});
