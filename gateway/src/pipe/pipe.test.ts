import type { Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectLocally, listenLocally, patternedBytes, Reader, sha256, until } from '../../test/sockets.ts';
import { Credit, type CreditGrant } from '../metering/credit.ts';
import { Meter } from '../metering/meter.ts';
import { chooseMover } from './feature-test.ts';
import { moveHandle } from './handle.ts';
import { Lane } from './lane.ts';
import { createPump } from './pump.ts';
import type { Mover, Pipe, PipeEnd } from './pipe.ts';
import { streams } from './streams.ts';
import { TcpSide } from './tcp-side.ts';

interface Bench {
  /** The far ends of the two joined sockets. */
  readonly client: Socket;
  readonly origin: Socket;
  readonly credit: Credit;
  readonly meter: Meter;
  readonly pipe: Pipe;
  readonly ended: Promise<PipeEnd>;
  readonly events: string[];
}

const UNLIMITED: CreditGrant = { grantedBytes: Number.MAX_SAFE_INTEGER, state: 'open' };
const opened: Socket[] = [];

afterEach(() => {
  vi.restoreAllMocks();
  for (const socket of opened.splice(0)) socket.destroy();
});

async function pair(): Promise<[far: Socket, near: Socket]> {
  const accepted: Socket[] = [];
  const { server, port } = await listenLocally((socket) => accepted.push(socket.pause()));
  const far = await connectLocally(port);
  await until(() => accepted.length === 1);
  server.close();
  opened.push(far, ...accepted);
  return [far, accepted[0] as Socket];
}

async function joined(
  mover: Mover,
  grant: CreditGrant | Credit = UNLIMITED,
  early: Buffer = Buffer.alloc(0),
): Promise<Bench> {
  const [client, nearClient] = await pair();
  const [origin, nearOrigin] = await pair();
  const events: string[] = [];
  const credit =
    grant instanceof Credit
      ? grant
      : new Credit({ ...grant, usedBytes: 0, uploadedBytes: 0 }, Number.MAX_SAFE_INTEGER, {
          due: () => events.push('due'),
          ended: () => events.push('ended'),
          spent: () => {
            events.push('spent');
            meter.stop();
            pipe.stop('deliver');
          },
        });
  const wait = {
    timeoutMs: 60_000,
    begun: () => events.push('wait'),
    over: () => {},
    timedOut: () => events.push('late'),
  };
  const meter = new Meter(credit, { toExit: 0, toClient: 0 }, wait);
  const limits = { lingerMs: 50, flushMs: 5_000 };
  let pipe: Pipe = { stop: () => {}, replaceClient: () => {} };
  const ended = new Promise<PipeEnd>((fulfil) => {
    pipe = mover.start({
      client: new TcpSide(nearClient, limits),
      exit: new TcpSide(nearOrigin, limits),
      early,
      meter,
      exitClosed: () => {},
      halfClosed: () => events.push('half-closed'),
      ended: fulfil,
    });
  });
  return { client, origin, credit, meter, pipe, ended, events };
}

/**
 * Takes its time over every chunk, so that the writer before it has to wait. It reads into a buffer of its own: what Node
 * has buffered for a paused socket is lost to the program when a reset follows.
 */
function readSlowly(socket: Socket): Promise<Buffer> {
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
  reader.on('error', () => reader.destroy());
  reader.on('end', () => reader.end());
  return new Promise((fulfil) => {
    reader.on('close', () => fulfil(Buffer.concat(chunks)));
    reader.resume();
  });
}

/** Writes in pieces, each in a turn of its own. */
async function writeSlowly(socket: Socket, bytes: Buffer, pieceBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    socket.write(bytes.subarray(at, at + pieceBytes));
    await new Promise(setImmediate);
  }
  socket.end();
}

describe.each([
  ['pump', () => createPump(4)],
  ['pump without own buffers', () => createPump(0)],
  ['streams', () => streams],
])('the pipe: %s', (_name, create) => {
  it('carries large bodies both ways at once unchanged', async () => {
    const mover = create();
    const { client, origin, ended, meter } = await joined(mover);
    const up = patternedBytes(5_000_001);
    const down = patternedBytes(9_000_003);
    const [atOrigin, atClient] = [new Reader(origin), new Reader(client)];
    client.end(up);
    origin.end(down);
    expect(sha256((await atOrigin.rest()).bytes)).toBe(sha256(up));
    expect(sha256((await atClient.rest()).bytes)).toBe(sha256(down));
    expect(await ended).toBe('completed');
    expect(meter.usedBytes).toEqual({ toExit: up.length, toClient: down.length });
    expect(mover.buffersInUse).toBe(0);
  });

  it('loses nothing to a slow reader', async () => {
    const mover = create();
    const { client, origin, ended } = await joined(mover);
    const body = patternedBytes(12_000_000);
    origin.end(body);
    const received = await readSlowly(client);
    expect(sha256(received)).toBe(sha256(body));
    expect(await ended).toBe('completed');
    expect(mover.buffersInUse).toBe(0);
  });

  it.each([100, 5_000, 40_000, 300_000])('carries pieces of %i bytes in order', async (pieceBytes) => {
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

  it('keeps a half-close by the client a half-close', async () => {
    const { client, origin, events, ended } = await joined(create());
    client.end('question');
    expect((await new Reader(origin).rest()).bytes.toString()).toBe('question');
    expect(events).toContain('half-closed');
    origin.end('answer after the end');
    expect((await new Reader(client).rest()).bytes.toString()).toBe('answer after the end');
    expect(await ended).toBe('completed');
  });

  it('keeps a half-close by the origin a half-close', async () => {
    const { client, origin, ended } = await joined(create());
    origin.end('greeting');
    expect((await new Reader(client).rest()).bytes.toString()).toBe('greeting');
    client.end('still heard');
    expect((await new Reader(origin).rest()).bytes.toString()).toBe('still heard');
    expect(await ended).toBe('completed');
  });

  it.each(['client', 'origin'] as const)('passes on a reset by the %s', async (side) => {
    const bench = await joined(create());
    const other = side === 'client' ? bench.origin : bench.client;
    const reader = new Reader(other);
    bench[side].write('hello');
    await reader.take(5);
    bench[side].resetAndDestroy();
    expect((await reader.rest()).end).toBe('reset');
    expect(await bench.ended).toBe(side === 'client' ? 'client-failed' : 'exit-failed');
  });

  it('cuts exactly at the last granted byte', async () => {
    const mover = create();
    const grantedBytes = 1_234_567;
    const { client, origin, credit, meter, events } = await joined(mover, { grantedBytes, state: 'final' });
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
    await until(() => mover.buffersInUse === 0);
  });

  it('delivers every paid byte to a slow reader before it cuts', async () => {
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

  it('cuts an upload exactly at the last granted byte', async () => {
    const grantedBytes = 777_777;
    const { client, origin, credit } = await joined(create(), { grantedBytes, state: 'final' });
    const body = patternedBytes(2_000_000);
    client.write(body);
    const { bytes } = await new Reader(origin).rest();
    expect(bytes.equals(body.subarray(0, grantedBytes))).toBe(true);
    expect(credit.usedBytes).toBe(grantedBytes);
  });

  it('goes on where it waited when the grant grows', async () => {
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

  it('keeps early data that no grant covers and sends it first later', async () => {
    const early = patternedBytes(5_000);
    const { client, origin, credit } = await joined(create(), { grantedBytes: 10, state: 'open' }, early);
    const reader = new Reader(origin);
    client.end('tail');
    expect((await reader.take(10)).equals(early.subarray(0, 10))).toBe(true);
    credit.merge({ grantedBytes: 100_000, state: 'open' });
    const { bytes } = await reader.rest();
    expect(bytes.equals(Buffer.concat([early.subarray(10), Buffer.from('tail')]))).toBe(true);
  });

  it('resets both sides at once when it is stopped so', async () => {
    const mover = create();
    const { client, origin, pipe, meter } = await joined(mover);
    const readers = [new Reader(client), new Reader(origin)];
    origin.write(patternedBytes(500_000));
    await readers[0]?.take(500_000); // With data in its queue, libuv would take the reset for an end.
    meter.stop();
    pipe.stop('reset');
    for (const reader of readers) expect((await reader.rest()).end).toBe('reset');
    await until(() => mover.buffersInUse === 0);
  });
});

describe('the pump', () => {
  it('gives a busy tunnel a buffer of its own and takes it back when it is quiet', async () => {
    const mover = createPump(4);
    const { client, origin } = await joined(mover);
    const reader = new Reader(client);
    origin.write(patternedBytes(400_000));
    await reader.take(400_000);
    expect(mover.buffersInUse).toBe(1);
    for (let count = 0; count < 20; count += 1) {
      origin.write('tick');
      await reader.take(4);
    }
    expect(mover.buffersInUse).toBe(0);
  });

  it('reads at most 64 KiB per tunnel that no grant covers', async () => {
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

  it('keeps to that when a tunnel pauses in the middle of a burst and others use up the credit', async () => {
    const mover = createPump(4);
    const quiet = await joined(mover, { grantedBytes: 40_000_000, state: 'open' });
    const busy = await joined(mover, quiet.credit);
    const forward = vi.spyOn(Lane.prototype, 'forward');
    const readers = [new Reader(quiet.client), new Reader(busy.client)];
    const burst = patternedBytes(8_000_000);
    quiet.origin.write(burst);
    await readers[0]?.take(burst.length);
    quiet.origin.write(patternedBytes(32_768)); // It fills a read of a busy lane, so the next may be wide.
    await readers[0]?.take(32_768);
    busy.origin.write(patternedBytes(40_000_000));
    await until(() => busy.events.includes('wait') || quiet.credit.leftBytes === 0);
    quiet.origin.write(patternedBytes(2_000_000));
    await until(() => quiet.events.includes('wait'));
    const readBytes = forward.mock.calls.reduce((sum, [chunk]) => sum + chunk.length, 0);
    expect(readBytes - 40_000_000).toBeLessThanOrEqual(2 * 65_536);
    for (const { socket } of readers) socket.destroy();
  });

  it('is what this version of Node runs', async () => {
    expect((await chooseMover(1, pino({ level: 'silent' }))).kind).toBe('pump');
  });
});
