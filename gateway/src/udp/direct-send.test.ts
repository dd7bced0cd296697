import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { directSend, findSendRequest, ordinarySend, type Parts, type SendEvents } from './direct-send.ts';

async function bind(): Promise<Socket> {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

function recordEvents() {
  const seen: unknown[] = [];
  const events: SendEvents = {
    queued: () => seen.push('queued'),
    sent: () => seen.push('sent'),
    failed: (error) => seen.push('code' in error ? error.code : error),
  };
  return { seen, events };
}

interface FakeRequest {
  oncomplete(error: number): void;
}

/** A socket whose handle has these results. */
function socketReturning(results: number[]) {
  const requests: FakeRequest[] = [];
  const send = (request: FakeRequest) => {
    requests.push(request);
    return results.shift();
  };
  return { requests, socket: { [Symbol('state symbol')]: { handle: { send } } } as unknown as Socket };
}

describe('sending without Socket#send', () => {
  it('is tested again after a test that took too long, but not after one that failed', async () => {
    vi.resetModules();
    const fresh = await import('./direct-send.ts');
    expect(await fresh.findSendRequest(() => Promise.reject(new fresh.TestTimeout()))).toBeUndefined();
    expect(await fresh.findSendRequest()).toBeDefined();
    vi.resetModules();
    const other = await import('./direct-send.ts');
    expect(await other.findSendRequest(() => Promise.reject(new Error('no handle')))).toBeUndefined();
    expect(await other.findSendRequest()).toBeUndefined();
  });

  it('works in this version of Node: the parts arrive as one datagram', async () => {
    const [from, to] = [await bind(), await bind()];
    const SendRequest = await findSendRequest();
    const { seen, events } = recordEvents();
    const send = directSend(from, SendRequest!, events);
    const arrived = once(to, 'message');
    send([Buffer.from('one'), Buffer.alloc(0), Buffer.from('two')], to.address().port, '127.0.0.1');
    const [message, sender] = (await arrived) as [Buffer, { port: number }];
    expect([message.toString(), sender.port]).toEqual(['onetwo', from.address().port]);
    const empty = once(to, 'message');
    send([Buffer.alloc(0)], to.address().port, '127.0.0.1');
    expect((await empty)[0]).toHaveLength(0);
    expect(seen).toEqual([]);
  });

  it('reports errors of the system, also of a closed socket', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const SendRequest = await findSendRequest();
    const { seen, events } = recordEvents();
    const send = directSend(socket, SendRequest!, events);
    send([Buffer.alloc(65_508)], 9, '127.0.0.1');
    expect(seen).toEqual(['EMSGSIZE']);
    socket.close();
    send([Buffer.alloc(1)], 9, '127.0.0.1');
    expect(seen).toEqual(['EMSGSIZE', 'EBADF']);
  });

  it('uses a request again unless its datagram is queued', () => {
    class Request {
      oncomplete = () => {};
      parts: Parts = [Buffer.alloc(0)];
    }
    const { socket, requests } = socketReturning([6, 0, 6, -11]);
    const { seen, events } = recordEvents();
    const send = directSend(socket, Request, events);
    for (let sent = 0; sent < 4; sent += 1) send([Buffer.alloc(5)], 9, '127.0.0.1');
    expect(requests[1]).toBe(requests[0]);
    expect(requests[2]).not.toBe(requests[1]);
    expect(requests[3]).toBe(requests[2]);
    expect(seen).toEqual(['queued', 'EAGAIN']);
    requests[1]?.oncomplete(0);
    requests[1]?.oncomplete(-105);
    expect(seen.slice(2)).toEqual(['sent', 'sent', 'ENOBUFS']);
  });

  it('has a fallback that reports the same events', async () => {
    const [from, to] = [await bind(), await bind()];
    const { seen, events } = recordEvents();
    const send = ordinarySend(from, events);
    const arrived = once(to, 'message');
    send([Buffer.from('one'), Buffer.from('two')], to.address().port, '127.0.0.1');
    expect(String((await arrived)[0])).toBe('onetwo');
    send([Buffer.alloc(65_508)], 9, '127.0.0.1');
    await expect.poll(() => seen).toEqual(['queued', 'sent', 'queued', 'sent', 'EMSGSIZE']);
  });
});
