import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectLocally, listenLocally, until } from '../../test/sockets.ts';
import { acceptDirectly, DirectSocket } from './direct-socket.ts';
import { handleMoves } from './handle.ts';

const MUCH = Buffer.alloc(1_048_576, 'cellhop');
const opened: Socket[] = [];
let far: Socket;
let near: DirectSocket;
let byNode: Socket[];

async function accept(): Promise<[far: Socket, near: Socket]> {
  const accepted: Socket[] = [];
  const { server, port } = await listenLocally((socket) => byNode.push(socket));
  acceptDirectly(server, (socket) => accepted.push(socket));
  const client = await connectLocally(port);
  await until(() => accepted.length + byNode.length === 1);
  server.close();
  const socket = accepted[0] ?? byNode[0]!;
  opened.push(client, socket);
  return [client, socket];
}

beforeEach(async () => {
  byNode = [];
  const [client, socket] = await accept();
  if (!(socket instanceof DirectSocket)) throw new Error('Node accepted the client');
  [far, near] = [client, socket];
});

afterEach(() => {
  handleMoves.areSupported = true;
  for (const socket of opened.splice(0)) socket.destroy();
});

/** A reader that copies what it gets. */
function collect() {
  const chunks: Buffer[] = [];
  const slice = Buffer.alloc(4_096);
  return {
    text: () => Buffer.concat(chunks).toString(),
    buffer: () => slice,
    callback: (count: number, read: Uint8Array) => chunks.push(Buffer.from(read.subarray(0, count))) > 0,
  };
}

describe('a direct socket', () => {
  it('is a stream that stops reading when its receiver is slow, and loses nothing', async () => {
    near.pause();
    far.end(MUCH);
    await until(() => near.readableLength >= near.readableHighWaterMark);
    expect(near.readableLength).toBeLessThan(MUCH.length);
    const chunks: Buffer[] = [];
    near.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
    await once(near, 'end');
    expect(Buffer.concat(chunks).equals(MUCH)).toBe(true);
  });

  it('sees the end of its peer while it is paused', async () => {
    near.pause();
    far.end();
    await once(near, 'end');
    expect(near.readableEnded).toBe(true);
  });

  it('gives what it has read to the relay that takes over, and the rest to its reader, once it is resumed', async () => {
    near.pause();
    far.write('first');
    await until(() => near.readableLength > 0);
    const reader = collect();
    expect(near.takeOver(reader).toString()).toBe('first');
    far.end('second');
    near.resume();
    await once(near, 'end');
    expect(reader.text()).toBe('second');
  });

  it('reads nothing while it is paused after the relay took over', async () => {
    const reader = collect();
    near.takeOver(reader);
    await new Promise((fulfil) => far.write('later', fulfil));
    const [otherFar, other] = await accept();
    // Its bytes arrive after the others, and are read.
    otherFar.write('now');
    await once(other, 'data');
    expect(reader.text()).toBe('');
    near.resume();
    await until(() => reader.text() === 'later');
  });

  it('moves to another one that reads as a stream', async () => {
    const moved = near.move();
    opened.push(moved);
    far.end('moved');
    const chunks: Buffer[] = [];
    moved.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
    await once(moved, 'end');
    expect(Buffer.concat(chunks).toString()).toBe('moved');
    expect(near.destroyed).toBe(true);
  });

  it('is not used if handles cannot be moved in this version of Node', async () => {
    handleMoves.areSupported = false;
    const [, socket] = await accept();
    expect(socket).not.toBeInstanceOf(DirectSocket);
    expect(byNode).toEqual([socket]);
  });
});
