import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { acceleratorFile } from '../../test/accelerator.ts';
import { closePipes, joined, opened, UNLIMITED } from '../../test/joined-sockets.ts';
import { patternedBytes, Reader, sendUntilUnread, sha256, until } from '../../test/sockets.ts';
import { moveHandle } from './handle.ts';
import { Accelerator, loadNative } from './accelerator.ts';
import { Lane } from './lane.ts';
import { createPump } from './pump.ts';
import type { Relay } from './pipe.ts';
import { streams } from './joined-sides.ts';

/** Where it can be built. */
const accelerator = acceleratorFile === undefined ? undefined : new Accelerator(loadNative(acceleratorFile), 8);
/** All that it reads after a first byte waits for a tick. */
const ticking = acceleratorFile === undefined ? undefined : new Accelerator(loadNative(acceleratorFile), 8, 0);

afterEach(() => {
  vi.restoreAllMocks();
  closePipes();
});

/**
 * Pauses after every chunk, so that the writer must wait. It reads into its own buffer, because Node discards the data that
 * it has buffered for a paused socket when a reset follows.
 * @param lastWords what it writes first
 */
function readSlowly(socket: Socket, lastWords = ''): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const slice = Buffer.alloc(65_536);
  const early = socket.pause().read() as Buffer | null;
  if (early) chunks.push(early);
  const reader = moveHandle(socket, {
    buffer: () => slice,
    callback: (count) => {
      chunks.push(Buffer.from(slice.subarray(0, count)));
      setImmediate(() => reader.resume());
      return false;
    },
  });
  opened.push(reader);
  reader.write(lastWords);
  reader.on('error', () => reader.destroy());
  reader.on('end', () => reader.end());
  return new Promise((fulfil) => {
    reader.on('close', () => fulfil(Buffer.concat(chunks)));
    reader.resume();
  });
}

/** Writes pieces, each in a separate turn of the event loop. */
async function writeSlowly(socket: Socket, bytes: Buffer, pieceBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    socket.write(bytes.subarray(at, at + pieceBytes));
    await new Promise(setImmediate);
  }
  socket.end();
}

const withSockets = (relay: Relay, sockets: Relay['sockets']): Relay =>
  Object.create(relay, { sockets: { value: sockets } });

const created: readonly (readonly [string, () => Relay])[] = [
  ['pump', () => createPump(4)],
  ['pump without pooled buffers', () => createPump(0)],
  ['streams', () => streams],
  ...(accelerator
    ? ([
        ['native code', () => createPump(4, accelerator)],
        ['native code with sockets of Node', () => withSockets(createPump(4, accelerator), undefined)],
        ['streams with sockets of native code', () => withSockets(streams, accelerator.sockets)],
      ] as const)
    : []),
  ...(ticking ? [['native code at ticks', () => createPump(4, ticking)] as const] : []),
];

describe.each(created)('the pipe: %s', (_name, create) => {
  it('relays large bodies in both directions concurrently and unchanged', async () => {
    const relay = create();
    const { client, origin, ended, meter } = await joined(relay);
    const up = patternedBytes(5_000_001);
    const down = patternedBytes(9_000_003);
    const [atOrigin, atClient] = [new Reader(origin), new Reader(client)];
    client.end(up);
    origin.end(down);
    expect(sha256((await atOrigin.rest()).bytes)).toBe(sha256(up));
    expect(sha256((await atClient.rest()).bytes)).toBe(sha256(down));
    expect(await ended).toBe('completed');
    expect(meter.usedBytes).toEqual({ toExit: up.length, toClient: down.length });
    expect(relay.buffersInUse).toBe(0);
  });

  it('loses no data with a slow reader', async () => {
    const relay = create();
    const { client, origin, ended } = await joined(relay);
    const body = patternedBytes(12_000_000);
    origin.end(body);
    const received = await readSlowly(client);
    expect(sha256(received)).toBe(sha256(body));
    expect(await ended).toBe('completed');
    expect(relay.buffersInUse).toBe(0);
  });

  it.each([100, 5_000, 40_000, 300_000])('relays pieces of %i bytes in order', async (pieceBytes) => {
    const { client, origin, ended } = await joined(create());
    const body = patternedBytes(Math.min(6_000_000, pieceBytes * 500));
    const reader = new Reader(client);
    await writeSlowly(origin, body, pieceBytes);
    client.end();
    expect(sha256((await reader.rest()).bytes)).toBe(sha256(body));
    expect(await ended).toBe('completed');
  });

  it('sends early data first', async () => {
    const early = patternedBytes(60_000);
    const { client, origin } = await joined(create(), UNLIMITED, early);
    client.end('and then this');
    const { bytes } = await new Reader(origin).rest();
    expect(bytes.equals(Buffer.concat([early, Buffer.from('and then this')]))).toBe(true);
  });

  it('forwards a half-close by the client', async () => {
    const { client, origin, events, ended } = await joined(create());
    client.end('question');
    expect((await new Reader(origin).rest()).bytes.toString()).toBe('question');
    expect(events).toContain('half-closed');
    origin.end('response after the end');
    expect((await new Reader(client).rest()).bytes.toString()).toBe('response after the end');
    expect(await ended).toBe('completed');
  });

  it('forwards a half-close by the origin', async () => {
    const { client, origin, ended } = await joined(create());
    origin.end('greeting');
    expect((await new Reader(client).rest()).bytes.toString()).toBe('greeting');
    client.end('still delivered');
    expect((await new Reader(origin).rest()).bytes.toString()).toBe('still delivered');
    expect(await ended).toBe('completed');
  });

  it.each(['client', 'origin'] as const)('forwards a reset by the %s', async (side) => {
    const fixture = await joined(create());
    const other = side === 'client' ? fixture.origin : fixture.client;
    const reader = new Reader(other);
    fixture[side].write('hello');
    await reader.take(5);
    fixture[side].resetAndDestroy();
    expect((await reader.rest()).end).toBe('reset');
    expect(await fixture.ended).toBe(side === 'client' ? 'client-failed' : 'exit-failed');
  });

  it('delivers what the origin had sent before its reset, if a write finds it', async () => {
    const relay = create();
    const { client, origin, meter, ended } = await joined(relay);
    client.pause();
    const sentBytes = await sendUntilUnread(origin, () => meter.usedBytes.toClient);
    origin.resetAndDestroy();
    await until(() => origin.closed);
    expect((await readSlowly(client, 'finds the reset')).length).toBe(sentBytes);
    expect(meter.usedBytes.toClient).toBe(sentBytes);
    expect(await ended).toBe('exit-failed');
    await until(() => relay.buffersInUse === 0);
  });

  it('stops exactly at the last granted byte', async () => {
    const relay = create();
    const grantedBytes = 1_234_567;
    const { client, origin, credit, meter, events } = await joined(relay, { grantedBytes, state: 'final' });
    const body = patternedBytes(4_000_000);
    origin.write(body);
    const { bytes, end } = await new Reader(client).rest();
    expect(end).toBe('reset');
    expect(bytes.length).toBe(grantedBytes);
    expect(sha256(bytes)).toBe(sha256(body.subarray(0, grantedBytes)));
    expect(credit.usedBytes).toBe(grantedBytes);
    expect(meter.usedBytes).toEqual({ toExit: 0, toClient: grantedBytes });
    expect(events).toContain('spent');
    client.end();
    await until(() => relay.buffersInUse === 0);
  });

  it('delivers every counted byte to a slow reader before the reset', async () => {
    const grantedBytes = 9_876_543;
    const { client, origin, events } = await joined(create(), { grantedBytes, state: 'final' });
    const body = patternedBytes(12_000_000);
    origin.write(body);
    await until(() => client.readableLength > 0);
    const received = await readSlowly(client);
    expect(received.length).toBe(grantedBytes);
    expect(sha256(received)).toBe(sha256(body.subarray(0, grantedBytes)));
    expect(events).toContain('spent');
  });

  it('stops an upload exactly at the last granted byte', async () => {
    const grantedBytes = 777_777;
    const { client, origin, credit } = await joined(create(), { grantedBytes, state: 'final' });
    const body = patternedBytes(2_000_000);
    client.write(body);
    const { bytes } = await new Reader(origin).rest();
    expect(bytes.equals(body.subarray(0, grantedBytes))).toBe(true);
    expect(credit.usedBytes).toBe(grantedBytes);
  });

  it('continues when the grant grows', async () => {
    const { client, origin, credit, events } = await joined(create(), { grantedBytes: 1_000, state: 'open' });
    const body = patternedBytes(3_000_000);
    const reader = new Reader(client);
    origin.end(body);
    for (let grantedBytes = 200_000; grantedBytes <= 3_000_000; grantedBytes += 200_000) {
      await until(() => credit.leftBytes === 0);
      credit.merge({ grantedBytes, state: 'open' });
    }
    client.end();
    expect(sha256((await reader.rest()).bytes)).toBe(sha256(body));
    expect(events).toContain('wait');
  });

  it('holds early data beyond the grant and sends it first after the next grant', async () => {
    const early = patternedBytes(5_000);
    const { client, origin, credit } = await joined(create(), { grantedBytes: 10, state: 'open' }, early);
    const reader = new Reader(origin);
    client.end('tail');
    expect((await reader.take(10)).equals(early.subarray(0, 10))).toBe(true);
    credit.merge({ grantedBytes: 100_000, state: 'open' });
    const { bytes } = await reader.rest();
    expect(bytes.equals(Buffer.concat([early.subarray(10), Buffer.from('tail')]))).toBe(true);
  });

  it('resets both sides immediately in stop mode `reset`', async () => {
    const relay = create();
    const { client, origin, pipe, meter } = await joined(relay);
    const readers = [new Reader(client), new Reader(origin)];
    origin.write(patternedBytes(500_000));
    await readers[0]?.take(500_000); // With data in its queue, libuv would report the reset as an end.
    meter.stop();
    pipe.stop('reset');
    for (const reader of readers) expect((await reader.rest()).end).toBe('reset');
    await until(() => relay.buffersInUse === 0);
  });
});

describe('the pump', () => {
  it('assigns a pooled buffer to a busy tunnel and releases it when the tunnel is quiet', async () => {
    const relay = createPump(4);
    const { client, origin } = await joined(relay);
    const reader = new Reader(client);
    origin.write(patternedBytes(400_000));
    await reader.take(400_000);
    expect(relay.buffersInUse).toBe(1);
    for (let count = 0; count < 20; count += 1) {
      origin.write('tick');
      await reader.take(4);
    }
    expect(relay.buffersInUse).toBe(0);
  });

  it('reads at most 64 KiB per tunnel beyond the grant', async () => {
    const { client, origin, events } = await joined(createPump(4), { grantedBytes: 5_000_000, state: 'open' });
    const forward = vi.spyOn(Lane.prototype, 'forward');
    const readers = [new Reader(client), new Reader(origin)];
    origin.write(patternedBytes(12_000_000));
    client.write(patternedBytes(12_000_000));
    await until(() => events.filter((event) => event === 'wait').length === 2);
    const readBytes = forward.mock.calls.reduce((sum, [chunk]) => sum + chunk.length, 0);
    expect(readBytes - 5_000_000).toBeLessThanOrEqual(65_536);
    for (const { socket } of readers) socket.destroy();
  });

  it('keeps that limit if a tunnel pauses in a burst and others use up the credit', async () => {
    const relay = createPump(4);
    const quiet = await joined(relay, { grantedBytes: 40_000_000, state: 'open' });
    const busy = await joined(relay, quiet.credit);
    const forward = vi.spyOn(Lane.prototype, 'forward');
    const readers = [new Reader(quiet.client), new Reader(busy.client)];
    const burst = patternedBytes(8_000_000);
    quiet.origin.write(burst);
    await readers[0]?.take(burst.length);
    quiet.origin.write(patternedBytes(32_768)); // This fills a read of a busy lane, so the next read may be wide.
    await readers[0]?.take(32_768);
    busy.origin.write(patternedBytes(40_000_000));
    await until(() => busy.events.includes('wait') || quiet.credit.leftBytes === 0);
    quiet.origin.write(patternedBytes(2_000_000));
    await until(() => quiet.events.includes('wait'));
    const readBytes = forward.mock.calls.reduce((sum, [chunk]) => sum + chunk.length, 0);
    expect(readBytes - 40_000_000).toBeLessThanOrEqual(2 * 65_536);
    for (const { socket } of readers) socket.destroy();
  });
});
