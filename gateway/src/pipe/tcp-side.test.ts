import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectLocally, listenLocally, patternedBytes, Reader, until } from '../../test/sockets.ts';
import { closeGently } from '../listeners/closing.ts';
import { TcpSide } from './tcp-side.ts';

const LIMITS = { lingerMs: 50, flushMs: 200 };
/** More than the system buffers for a reader that takes nothing. */
const MUCH = Buffer.alloc(64 * 1_048_576);
const opened: Socket[] = [];

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

/** A side and the far end of its socket. */
async function open() {
  const accepted: Socket[] = [];
  const { server, port } = await listenLocally((socket) => accepted.push(socket.pause()));
  const far = await connectLocally(port);
  await until(() => accepted.length === 1);
  server.close();
  const near = accepted[0]!;
  opened.push(far, near);
  const events: string[] = [];
  const read: Buffer[] = [];
  const side = new TcpSide(near, LIMITS);
  side.open({
    data: (chunk) => read.push(chunk) > 0,
    ended: () => events.push('ended'),
    failed: () => events.push('failed'),
    closed: () => events.push('closed'),
  });
  return { far, near, side, events, readBytes: () => read.reduce((sum, { length }) => sum + length, 0) };
}

describe('a TCP side', () => {
  it('reports a reset that came behind unread data as a failure, after the data', async () => {
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

  it.each(['in the same turn', 'in the next turn', 'behind unsent data'])(
    'is reset behind its end %s',
    async (when) => {
      const { far, near, side, events } = await open();
      const seen = new Reader(far);
      if (when === 'behind unsent data') {
        far.pause();
        near.write(MUCH);
      }
      side.end();
      if (when === 'in the next turn') await new Promise(setImmediate);
      side.reset();
      side.reset();
      await until(() => events.includes('closed'));
      far.resume();
      far.write('x'); // A far end that has read an end learns of a reset by its next write.
      expect(['ended', 'reset']).toContain((await seen.rest()).end);
      await until(() => far.destroyed);
    },
  );

  it('keeps the socket whose write has failed: a moved one would report a reset as an end', async () => {
    const { far, near, side } = await open();
    near.pause();
    expect(side.isReady).toBe(true);
    far.resetAndDestroy();
    await until(() => far.closed);
    near.write('our reply');
    expect(side.isReady).toBe(false);
  });

  it('reports an end that came before it was opened', async () => {
    const accepted: Socket[] = [];
    const { server, port } = await listenLocally((socket) => accepted.push(socket.pause()));
    const far = await connectLocally(port);
    await until(() => accepted.length === 1);
    far.end();
    const near = accepted[0]!;
    near.resume();
    await until(() => near.readableEnded);
    const events: string[] = [];
    const note = (event: string) => () => events.push(event);
    new TcpSide(near, LIMITS).open({
      data: () => true,
      ended: note('ended'),
      failed: note('failed'),
      closed: note('closed'),
    });
    await until(() => events.length > 0);
    expect(events).toEqual(['ended']);
    near.destroy();
    server.close();
  });

  it('resets a peer only when it has everything', async () => {
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

  it('resets a peer that takes nothing any more', async () => {
    const { far, side, events } = await open();
    far.pause();
    side.write(MUCH, () => {});
    side.resetAfterDelivery();
    await until(() => events.length > 0);
    expect(events).toEqual(['closed']);
  });
});

describe('closing a client gently', () => {
  it('gives up on one that takes nothing any more', async () => {
    const { far, near } = await open();
    far.pause();
    near.write(MUCH);
    closeGently(near, LIMITS, 'last answer');
    await until(() => near.destroyed);
    expect(near.writableFinished).toBe(false);
  });

  it('lets one that goes on sending have the last answer and an end', async () => {
    const { far, near } = await open();
    far.pause();
    const sent = new Promise((fulfil) => far.write(Buffer.alloc(4_000_000), fulfil));
    closeGently(near, { ...LIMITS, lingerMs: 15_000 }, 'last answer');
    await sent;
    const { bytes, end } = await new Reader(far.resume()).rest();
    expect([bytes.toString(), end]).toEqual(['last answer', 'ended']);
  });
});
