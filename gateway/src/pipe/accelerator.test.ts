import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it } from 'vitest';
import { acceleratorFile } from '../../test/accelerator.ts';
import { closePipes, joined, UNLIMITED } from '../../test/joined-sockets.ts';
import { patternedBytes, Reader, sendUntilUnread, sha256, until, untilIdle } from '../../test/sockets.ts';
import { SpeedLimit } from '../metering/speed-limit.ts';
import { Accelerator, loadNative } from './accelerator.ts';
import { socketDescriptor } from './handle.ts';
import type { Relay } from './pipe.ts';
import { createPump } from './pump.ts';

const KIB = 1024;
const PIPES = 4;

afterEach(closePipes);

const open = (pipes = PIPES) => new Accelerator(loadNative(acceleratorFile!), pipes);
const descriptors = () => readdirSync('/proc/self/fd').length;

/** Small reads that follow each other. @returns what was sent */
async function stream(accelerator: Accelerator, source: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  while (accelerator.measure().streams === 0) {
    pieces.push(patternedBytes(1_000));
    source.write(pieces.at(-1)!);
    await new Promise(setImmediate);
  }
  return Buffer.concat(pieces);
}

// Without a compiler, test/accelerator.ts says so.
describe.runIf(acceleratorFile !== undefined)('native code', () => {
  it('moves many bytes through pipes, and returns them empty', async () => {
    const accelerator = open();
    const { client, origin, meter } = await joined(createPump(1, accelerator));
    const body = patternedBytes(20_000_000);
    origin.end(body);
    const reader = new Reader(client);
    expect(sha256((await reader.rest()).bytes)).toBe(sha256(body));
    const { passedBytes, pipes } = accelerator.measure();
    expect(passedBytes).toBeGreaterThan(1_000_000);
    expect(pipes).toBeLessThanOrEqual(PIPES);
    expect(meter.usedBytes).toEqual({ toExit: 0, toClient: body.length });
    client.destroy();
    await until(() => accelerator.measure().tunnels === 0);
  });

  it('copies if there are no pipes', async () => {
    const accelerator = open(0);
    const { client, origin } = await joined(createPump(1, accelerator));
    const body = patternedBytes(5_000_000);
    origin.end(body);
    expect(sha256((await new Reader(client).rest()).bytes)).toBe(sha256(body));
    expect(accelerator.measure()).toMatchObject({ pipes: 0, passedBytes: 0 });
  });

  it.each([1, 2, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 128 * KIB, 128 * KIB + 1, 1_000_003])(
    'passes exactly a final grant of %i bytes, in both directions together',
    async (grantedBytes) => {
      const accelerator = open();
      const relay = createPump(1, accelerator);
      const { client, origin, credit, meter, events } = await joined(relay, { grantedBytes, state: 'final' });
      const [atClient, atOrigin] = [new Reader(client), new Reader(origin)];
      origin.write(patternedBytes(2_000_000));
      client.write(patternedBytes(2_000_000));
      const [down, up] = [await atClient.rest(), await atOrigin.rest()];
      expect([down.end, up.end]).toEqual(['reset', 'reset']);
      expect(down.bytes.length + up.bytes.length).toBe(grantedBytes);
      expect(credit.usedBytes).toBe(grantedBytes);
      expect(credit.report()).toEqual({ usedBytes: grantedBytes, uploadedBytes: up.bytes.length });
      expect(meter.usedBytes).toEqual({ toExit: up.bytes.length, toClient: down.bytes.length });
      expect(events).toContain('spent');
    },
  );

  it('ends the connection when exactly the last granted byte has passed, without another one', async () => {
    const { client, origin, events } = await joined(createPump(1, open()), { grantedBytes: 1_000, state: 'final' });
    const reader = new Reader(client);
    origin.write(patternedBytes(1_000));
    expect((await reader.rest()).bytes.length).toBe(1_000);
    expect(events).toContain('spent');
  });

  it('shares one grant among tunnels of native code and of TypeScript, exactly', async () => {
    const grantedBytes = 3_333_333;
    const relay = createPump(1, open());
    const first = await joined(relay, { grantedBytes, state: 'open' });
    const second = await joined(relay, first.credit);
    const third = await joined(createPump(1), first.credit);
    const readers = [first, second, third].map(({ client }) => new Reader(client));
    for (const { origin } of [first, second, third]) origin.write(patternedBytes(4_000_000));
    await until(() => first.credit.leftBytes === 0);
    await until(() => readers.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0) >= grantedBytes);
    // What would pass beyond the grant would do so at once.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(readers.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0)).toBe(grantedBytes);
    expect(first.credit.usedBytes).toBe(grantedBytes);
    first.credit.merge({ grantedBytes: 12_000_000, state: 'open' });
    for (const reader of readers) expect((await reader.take(4_000_000)).equals(patternedBytes(4_000_000))).toBe(true);
    expect(first.credit.report().usedBytes).toBe(12_000_000);
  });

  it('requests a report as soon as TypeScript would', async () => {
    const { client, origin, credit, events } = await joined(createPump(1, open()), {
      grantedBytes: 10_000_000,
      state: 'open',
    });
    const reader = new Reader(client);
    origin.write(patternedBytes(4_999_999));
    await reader.take(4_999_999);
    expect(events).not.toContain('due');
    origin.write('x');
    await until(() => events.includes('due'));
    expect(credit.report().usedBytes).toBe(5_000_000);
  });

  it('holds for a stalled reader what one read brings, and delivers it', async () => {
    const accelerator = open();
    const { client, origin, meter } = await joined(createPump(1, accelerator));
    client.pause();
    const sentBytes = await sendUntilUnread(origin, () => meter.usedBytes.toClient);
    expect(accelerator.measure().tunnels).toBe(1);
    const reader = new Reader(client);
    client.resume();
    await reader.take(sentBytes);
    expect(meter.usedBytes.toClient).toBe(sentBytes);
  });

  it('leaves a tunnel to TypeScript as soon as its connection has a speed limit', async () => {
    const accelerator = open();
    const { client, origin, limits, meter } = await joined(createPump(1, accelerator));
    const reader = new Reader(client);
    origin.write('before');
    await reader.take(6);
    expect(accelerator.measure().tunnels).toBe(1);
    limits.speed = new SpeedLimit(1_000_000);
    accelerator.collect();
    expect(accelerator.measure().tunnels).toBe(0);
    origin.write('after');
    await reader.take(5);
    expect(accelerator.measure().tunnels).toBe(0);
    expect(meter.usedBytes.toClient).toBe(11);
  });

  it('has a tunnel of sockets of Node also after bytes that TypeScript has written at once', async () => {
    const accelerator = open();
    const relay: Relay = Object.create(createPump(1, accelerator), { sockets: { value: undefined } });
    const { client, origin, limits } = await joined(relay, UNLIMITED, Buffer.from('early'));
    const [atClient, atOrigin] = [new Reader(client), new Reader(origin)];
    await atOrigin.take(5);
    limits.speed = new SpeedLimit(1_000_000);
    accelerator.collect();
    expect(accelerator.measure().tunnels).toBe(0);
    limits.speed = undefined;
    origin.write('passed on by TypeScript');
    await atClient.take(23);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(accelerator.measure().tunnels).toBe(1);
    client.write('x');
    await atOrigin.take(1);
    expect(accelerator.measure().tunnels).toBe(1);
  });

  it('tells what a peer has not acknowledged, for which the tables of all sockets would be read', async () => {
    const accelerator = open();
    const { client, origin } = await joined(createPump(1), UNLIMITED);
    const unacknowledged = (socket: Socket) => accelerator.unacknowledgedBytes(socketDescriptor(socket)!);
    expect(unacknowledged(origin)).toBe(0);
    client.pause();
    // More than the buffers of all sockets, so the last of them fills, and stays full.
    origin.write(patternedBytes(30_000_000));
    await until(() => (unacknowledged(origin) ?? 0) > 100_000);
    client.resume();
    await until(() => origin.writableLength === 0 && unacknowledged(origin) === 0);
    expect(accelerator.unacknowledgedBytes(1_000_000)).toBeUndefined();
  });

  it('keeps the time of the last byte', async () => {
    const { client, origin, meter } = await joined(createPump(1, open()));
    const reader = new Reader(client);
    const before = performance.now();
    origin.write('x');
    await reader.take(1);
    expect(meter.lastUsedAt).toBeGreaterThanOrEqual(before - 5);
    expect(meter.lastUsedAt).toBeLessThanOrEqual(performance.now());
  });

  describe('a stream', () => {
    it('is read at ticks, unchanged and counted, until something comes from the other side', async () => {
      const accelerator = open();
      const { client, origin, meter } = await joined(createPump(1, accelerator));
      const [atClient, atOrigin] = [new Reader(client), new Reader(origin)];
      const sent = await stream(accelerator, origin);
      expect((await atClient.take(sent.length)).equals(sent)).toBe(true);
      expect(meter.usedBytes).toEqual({ toExit: 0, toClient: sent.length });
      client.write('question');
      await atOrigin.take(8);
      expect(accelerator.measure().streams).toBe(0);
      origin.write('answer');
      expect((await atClient.take(6)).toString()).toBe('answer');
    });

    it('is read at once again when it brings much', async () => {
      const accelerator = open();
      const { client, origin } = await joined(createPump(1, accelerator));
      const reader = new Reader(client);
      await reader.take((await stream(accelerator, origin)).length);
      const body = patternedBytes(5_000_000);
      origin.write(body);
      expect((await reader.take(body.length)).equals(body)).toBe(true);
      expect(accelerator.measure().streams).toBe(0);
    });

    it('is read at once again after a read that is smaller than the window of a TCP connection', async () => {
      const accelerator = open();
      const { client, origin } = await joined(createPump(1, accelerator));
      const reader = new Reader(client);
      await reader.take((await stream(accelerator, origin)).length);
      // The system may deliver one of them in two parts, on both sides of a tick.
      for (let write = 0; write < 5 && accelerator.measure().streams > 0; write += 1) {
        origin.write(patternedBytes(50_000));
        await reader.take(50_000);
      }
      expect(accelerator.measure().streams).toBe(0);
    });

    it.each(['client', 'origin'] as const)('of the %s ends after its last byte', async (name) => {
      const accelerator = open();
      const { client, origin, ended } = await joined(createPump(1, accelerator));
      const [from, to] = name === 'client' ? [client, origin] : [origin, client];
      const sent = await stream(accelerator, from);
      from.end('last');
      const { bytes, end } = await new Reader(to).rest();
      expect(sha256(bytes)).toBe(sha256(Buffer.concat([sent, Buffer.from('last')])));
      expect(end).toBe('ended');
      to.end();
      expect(await ended).toBe('completed');
      expect(accelerator.measure()).toMatchObject({ tunnels: 0, streams: 0 });
    });

    it('passes exactly a final grant', async () => {
      const accelerator = open();
      const { client, origin, events } = await joined(createPump(1, accelerator), {
        grantedBytes: 1_000_000,
        state: 'final',
      });
      const reader = new Reader(client);
      const sent = await stream(accelerator, origin);
      for (let at = sent.length; at < 1_100_000; at += 1_000) {
        origin.write(patternedBytes(1_000));
        await new Promise(setImmediate);
      }
      const { bytes, end } = await reader.rest();
      expect([bytes.length, end]).toEqual([1_000_000, 'reset']);
      expect(events).toContain('spent');
    });

    it('is no exchange of messages', async () => {
      const accelerator = open();
      const { client, origin } = await joined(createPump(1, accelerator));
      const [atClient, atOrigin] = [new Reader(client), new Reader(origin)];
      for (let message = 0; message < 50; message += 1) {
        client.write('question');
        await atOrigin.take(8);
        origin.write('answer');
        await atClient.take(6);
        expect(accelerator.measure().streams).toBe(0);
      }
    });

    it('that is silent causes no ticks', async () => {
      const accelerator = open();
      const { client, origin } = await joined(createPump(1, accelerator));
      const reader = new Reader(client);
      await reader.take((await stream(accelerator, origin)).length);
      await untilIdle();
      expect(accelerator.measure().streams).toBe(1);
      origin.write('again');
      expect((await reader.take(5)).toString()).toBe('again');
    });
  });

  it('leaks no descriptor, pipe or account in a thousand short tunnels', async () => {
    const accelerator = open();
    const relay = createPump(4, accelerator);
    const run = async () => {
      const { client, origin, ended } = await joined(relay, UNLIMITED, Buffer.from('early'));
      origin.end(patternedBytes(1_000));
      client.end('late');
      const [up, down] = await Promise.all([new Reader(origin).rest(), new Reader(client).rest()]);
      expect([up.bytes.length, down.bytes.length]).toEqual([9, 1_000]);
      expect(await ended).toBe('completed');
    };
    await run();
    closePipes();
    const before = descriptors();
    for (let round = 0; round < 50; round += 1) await Promise.all(Array.from({ length: 20 }, run));
    closePipes();
    await until(() => descriptors() <= before);
    expect(accelerator.measure().tunnels).toBe(0);
  });
});
