import { once } from 'node:events';
import { readSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import { acceleratorFile } from '../../test/accelerator.ts';
import { connectLocally, listenLocally, patternedBytes, Reader, sha256, until, untilIdle } from '../../test/sockets.ts';
import { Accelerator, loadNative } from './accelerator.ts';
import { listeningDescriptor, socketDescriptor } from './handle.ts';
import { RawSide } from './raw-side.ts';
import { ignored, type RawListener, RawSockets, type RawSocket } from './raw-sockets.ts';

const LOOPBACK = Uint8Array.of(127, 0, 0, 1);
const ANY = new Uint8Array(0);
const far: Socket[] = [];

afterEach(() => {
  for (const socket of far.splice(0)) socket.destroy();
});

/** Records what a socket reports. */
function record(socket: RawSocket) {
  const events: string[] = [];
  const chunks: Buffer[] = [];
  const listener: RawListener = {
    data: (chunk) => chunks.push(chunk),
    ended: () => events.push('ended'),
    failed: (error) => events.push(`failed ${error.message}`),
    unwritten: () => events.push('unwritten'),
    drained: () => events.push('drained'),
    connected: () => events.push('connected'),
    closed: () => events.push('closed'),
  };
  socket.listener = listener;
  return { events, text: () => Buffer.concat(chunks).toString('latin1') };
}

/** Waits for bytes that are on their way, without a turn of the event loop. */
function readNow(socket: Socket, wantedBytes: number): Buffer {
  const bytes = Buffer.alloc(wantedBytes);
  for (let at = 0; at < wantedBytes;) {
    try {
      at += readSync(socketDescriptor(socket)!, bytes.subarray(at));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
  return bytes;
}

const openSockets = () => new Accelerator(loadNative(acceleratorFile!), 1).sockets;

/** @returns a socket of native code that is connected, and its peer */
async function connected(sockets: RawSockets) {
  const accepted: Socket[] = [];
  const { server, port } = await listenLocally((socket) => accepted.push(socket));
  const near = sockets.connect({ address: LOOPBACK, port, localAddress: ANY, localPort: 0 });
  const log = record(near);
  await until(() => accepted.length === 1 && log.events.includes('connected'));
  server.close();
  far.push(accepted[0]!);
  return { near, peer: accepted[0]!, ...log };
}

describe.runIf(acceleratorFile !== undefined)('sockets of native code', () => {
  it('accept clients with their addresses, also after the server has closed its descriptor', async () => {
    const sockets = openSockets();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const accepted: RawSocket[] = [];
    expect(
      sockets.listen(listeningDescriptor(server)!, {
        accepted: (socket) => accepted.push(socket),
        exhausted: () => {},
      }),
    ).toBe(true);
    server.close();
    for (const address of ['127.0.0.2', '127.0.0.3']) far.push(await connectLocally(port, address));
    await until(() => accepted.length === 2);
    expect(accepted.map(({ remoteAddress }) => remoteAddress)).toEqual(['127.0.0.2', '127.0.0.3']);
    const { text, events } = record(accepted[0]!);
    far[0]!.end('hello');
    expect(text()).toBe('');
    accepted[0]!.read(true);
    await until(() => events.includes('ended'));
    expect(text()).toBe('hello');
    sockets.stopListening();
    await expect(connectLocally(port)).rejects.toThrow('ECONNREFUSED');
    for (const socket of accepted) socket.close();
    expect(sockets.open).toBe(0);
  });

  it('keep what the peer does not read, and write it later, in order', async () => {
    const sockets = openSockets();
    const { near, peer, events } = await connected(sockets);
    const sent = patternedBytes(20_000_003);
    for (let at = 0; at < sent.length; at += 5_000_000) near.write(sent.subarray(at, at + 5_000_000));
    expect(near.pendingBytes).toBeGreaterThan(0);
    expect(near.lend()).toBeUndefined();
    const reader = new Reader(peer);
    const received = await reader.take(sent.length);
    await until(() => events.includes('drained'));
    expect([sha256(received), near.pendingBytes]).toEqual([sha256(sent), 0]);
    near.close();
    expect(await reader.rest()).toMatchObject({ end: 'ended' });
  });

  it('report a reset once, after what came before it, and are closed then', async () => {
    const sockets = openSockets();
    const { near, peer, events, text } = await connected(sockets);
    near.read(true);
    peer.write('last');
    await until(() => text() === 'last');
    peer.resetAndDestroy();
    await until(() => events.includes('closed'));
    expect(events).toEqual(['connected', 'failed read ECONNRESET', 'closed']);
    expect([near.isOpen, near.write(Buffer.from('x')), near.lend(), sockets.open]).toEqual([
      false,
      false,
      undefined,
      0,
    ]);
    near.reset();
    near.close();
    expect(near.toSocket().destroyed).toBe(true);
  });

  it('reset their peers, or end them', async () => {
    const sockets = openSockets();
    for (const [close, end] of [
      ['reset', 'reset'],
      ['close', 'ended'],
    ] as const) {
      const { near, peer, events } = await connected(sockets);
      const reader = new Reader(peer);
      near[close]();
      near.close();
      expect(await reader.rest()).toMatchObject({ end });
      expect(events).toEqual(['connected', 'closed']);
    }
  });

  it('say why a destination cannot be reached', async () => {
    const sockets = openSockets();
    const { server, port } = await listenLocally(() => {});
    server.close();
    const { events } = record(sockets.connect({ address: LOOPBACK, port, localAddress: ANY, localPort: 0 }));
    await until(() => events.includes('closed'));
    expect(events).toEqual(['failed connect ECONNREFUSED', 'closed']);
    const elsewhere = Uint8Array.of(192, 0, 2, 1);
    expect(() => sockets.connect({ address: LOOPBACK, port, localAddress: elsewhere, localPort: 1 })).toThrow(
      'EADDRNOTAVAIL',
    );
    expect(sockets.open).toBe(0);
  });

  it('connect from a port of which an earlier connection is not forgotten yet', async () => {
    const sockets = openSockets();
    const localPort = await freePort();
    for (let count = 0; count < 2; count += 1) {
      const { server, port } = await listenLocally((socket) => far.push(socket.resume()));
      const near = sockets.connect({ address: LOOPBACK, port, localAddress: LOOPBACK, localPort });
      const { events } = record(near);
      await until(() => events.length > 0 && far.length > count);
      expect(events).toEqual(['connected']);
      // Whoever closes first keeps the port for a minute.
      near.close();
      await new Promise((fulfil) => far[count]!.once('end', fulfil));
      server.close();
    }
  });

  it('report an end once, and keep nobody busy with it', async () => {
    const { near, peer, events, text } = await connected(openSockets());
    near.read(true);
    peer.end('last');
    await until(() => events.includes('ended'));
    await untilIdle();
    expect([text(), events]).toEqual(['last', ['connected', 'ended']]);
    near.close();
  });

  it('give what was read of them before they became sockets of Node to these', async () => {
    const sockets = openSockets();
    const [one, other] = [await connected(sockets), await connected(sockets)];
    const moved: Reader[] = [];
    const moveOther = (near: RawSocket) => ({
      ...ignored,
      data: () => {
        if (moved.length === 0) moved.push(new Reader(near.toSocket()));
      },
    });
    one.near.listener = moveOther(other.near);
    other.near.listener = moveOther(one.near);
    for (const { near } of [one, other]) near.read(true);
    // Both are ready when the system is asked next.
    one.peer.end('first and last');
    other.peer.end('first and last');
    await until(() => moved.length === 1);
    moved[0]!.socket.resume();
    expect((await moved[0]!.rest()).bytes.toString()).toBe('first and last');
    moved[0]!.socket.destroy();
    for (const { near } of [one, other]) near.close();
    expect(sockets.open).toBe(0);
  });

  it('report what came with a reset before a failed write makes them sockets of Node', async () => {
    const sockets = openSockets();
    const [one, other] = [await connected(sockets), await connected(sockets)];
    const side = new RawSide(other.near, { limits: { lingerMs: 50, flushMs: 60_000 } });
    const received: Buffer[] = [];
    const closed = new Promise<void>((fulfil) => {
      side.open({
        data: (chunk) => received.push(chunk) > 0,
        ended: () => {},
        failed: () => side.close(),
        closed: () => fulfil(),
      });
    });
    side.resume();
    one.near.listener = { ...ignored, data: (chunk) => void side.write(chunk, () => {}) };
    one.near.read(true);
    await new Promise(setImmediate);
    // All in one turn, so that native code reports both in one batch.
    one.peer.write('question');
    other.peer.write('answer');
    other.peer.resetAndDestroy();
    await closed;
    expect(Buffer.concat(received).toString()).toBe('answer');
  });

  it('say that what they held is written when they become sockets of Node that write it at once', async () => {
    const { near, peer } = await connected(openSockets());
    const side = new RawSide(near, { limits: { lingerMs: 50, flushMs: 60_000 } });
    side.open({ data: () => true, ended: () => {}, failed: () => {}, closed: () => {} });
    peer.pause();
    const sent = patternedBytes(20_000_000);
    let [at, drained] = [0, 0];
    while (side.write(sent.subarray(at, (at += 20_000)), () => (drained += 1)));
    // In one turn, in which native code cannot see that there is room again.
    const read = readNow(peer, at - side.pendingBytes);
    expect(side.socket.destroyed).toBe(false);
    await until(() => drained > 0);
    expect([drained, side.pendingBytes]).toEqual([1, 0]);
    side.end();
    const received = Buffer.concat([read, (await new Reader(peer.resume()).rest()).bytes]);
    expect([received.length, sha256(received)]).toEqual([at, sha256(sent.subarray(0, at))]);
    side.close();
  });

  it('report what came before a reset also when what they held cannot be written any more', async () => {
    const { near, peer } = await connected(openSockets());
    const side = new RawSide(near, { limits: { lingerMs: 50, flushMs: 60_000 } });
    const events: string[] = [];
    const closed = new Promise<void>((fulfil) => {
      side.open({
        data: (chunk) => events.push(chunk.toString()) > 0,
        ended: () => events.push('ended'),
        failed: (restBytes) => events.push(`failed after ${restBytes}`),
        closed: () => fulfil(),
      });
    });
    peer.pause();
    while (side.write(Buffer.alloc(20_000), () => events.push('drained')));
    await new Promise((fulfil) => peer.write('answer', fulfil));
    peer.resetAndDestroy();
    // What was held has failed.
    await until(() => side.raw === undefined);
    side.resume();
    await closed;
    expect(events).toEqual(['answer', 'failed after 6']);
  });

  it('report nothing of one that was closed to the next one that has its place', async () => {
    const sockets = openSockets();
    const [one, other, spare] = [await connected(sockets), await connected(sockets), await connected(sockets)];
    const texts: string[] = [];
    const replace = (closing: RawSocket) => ({
      ...ignored,
      data: () => {
        if (texts.length > 0) return;
        texts.push('replaced');
        closing.close();
        const { localPort = 0 } = spare.peer;
        const next = sockets.connect({ address: LOOPBACK, port: localPort, localAddress: ANY, localPort: 0 });
        next.listener = { ...ignored, data: (chunk) => texts.push(chunk.toString()) };
      },
    });
    one.near.listener = replace(other.near);
    other.near.listener = replace(one.near);
    for (const { near } of [one, other]) near.read(true);
    await new Promise(setImmediate);
    // Native code reports both in one batch.
    for (const { peer } of [one, other]) peer.write('of before');
    await until(() => texts.length > 0);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(texts).toEqual(['replaced']);
    for (const { near } of [one, other, spare]) near.close();
  });

  it('leave unread what they are not asked to read', async () => {
    const { near, peer, text } = await connected(openSockets());
    const { listener } = near;
    near.listener = {
      ...listener,
      data: (chunk) => {
        listener.data(chunk);
        near.read(false);
      },
    };
    near.read(true);
    peer.write('first');
    await until(() => text() === 'first');
    await new Promise((fulfil) => peer.write(' and second', fulfil));
    await untilIdle();
    expect(text()).toBe('first');
    near.read(true);
    await until(() => text() === 'first and second');
    near.close();
  });

  it('read nothing while they are lent, and go on when they read again', async () => {
    const sockets = openSockets();
    const { near, peer, text } = await connected(sockets);
    near.read(true);
    expect(near.lend()).toBeGreaterThan(0);
    await new Promise((fulfil) => peer.write('while it is lent', fulfil));
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(text()).toBe('');
    near.read(true);
    await until(() => text() === 'while it is lent');
    near.close();
  });
});
