/** Generates load through a proxy for a fixed time, bulk data or new tunnels, and returns the result. */
import { connect, type Socket } from 'node:net';

export interface Step {
  /** `one` and `paced` use a single stream; `paced` is sent at 1 Gbit/s. */
  readonly kind: 'bulk' | 'one' | 'paced' | 'tunnels';
  readonly via: 'direct' | 'connect' | 'socks5' | 'socks5-open';
  readonly proxyPort: number;
  readonly originPort: number;
  readonly username: string;
  readonly password: string;
  readonly milliseconds: number;
}

export interface StepResult {
  readonly perSecond: number;
  readonly errors: number;
  readonly streams: number;
}

const BULK_STREAMS = 8;
const TUNNEL_WORKERS = 16;
const WARM_UP_MS = 250;

process.on('message', (step: Step) => {
  void (step.kind === 'tunnels' ? tunnels(step) : bulk(step)).then((result) => process.send?.(result));
});

async function bulk(step: Step): Promise<StepResult> {
  let receivedBytes = 0;
  let errors = 0;
  const sink = Buffer.alloc(1_048_576);
  const sockets = Array.from({ length: step.kind === 'bulk' ? BULK_STREAMS : 1 }, () =>
    open(step, step.kind === 'paced' ? 'g' : 'b', {
      buffer: sink,
      received: (count) => {
        receivedBytes += count;
      },
      failed: () => {
        errors += 1;
      },
    }),
  );
  await pause(WARM_UP_MS);
  const [startBytes, startedAt] = [receivedBytes, performance.now()];
  await pause(step.milliseconds);
  const perSecond = (receivedBytes - startBytes) / ((performance.now() - startedAt) / 1000);
  const result = { perSecond, errors, streams: sockets.length };
  for (const socket of sockets) socket.destroy();
  await pause(100);
  return result;
}

async function tunnels(step: Step): Promise<StepResult> {
  const buffer = Buffer.alloc(4096);
  const endAt = performance.now() + step.milliseconds;
  const counts = { done: 0, errors: 0 };
  const worker = async () => {
    while (performance.now() < endAt) {
      const hasResponse = await new Promise<boolean>((fulfil) => {
        const socket = open(step, 'p', {
          buffer,
          received: () => {
            fulfil(true);
            socket.destroy();
          },
          failed: () => fulfil(false),
        });
      });
      if (hasResponse) counts.done += 1;
      else counts.errors += 1;
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: TUNNEL_WORKERS }, worker));
  return {
    perSecond: counts.done / ((performance.now() - startedAt) / 1000),
    errors: counts.errors,
    streams: TUNNEL_WORKERS,
  };
}

interface Receiver {
  readonly buffer: Buffer;
  received(count: number): void;
  failed(): void;
}

/** Does the complete handshake, waits for each reply, and then sends the command to the origin. */
function open(step: Step, command: string, receiver: Receiver): Socket {
  const messages = handshake(step);
  const port = step.via === 'direct' ? step.originPort : step.proxyPort;
  let skipBytes = messages[0]?.replyBytes ?? 0;
  let text = '';
  const advance = () => {
    const next = messages.shift();
    skipBytes = messages[0]?.replyBytes ?? 0;
    socket.write(next ? (messages[0]?.send ?? command) : command);
  };
  const read = (count: number, slice: Uint8Array): boolean => {
    if (messages.length === 0) {
      receiver.received(count);
    } else if (step.via === 'connect') {
      text += Buffer.from(slice.subarray(0, count)).toString('latin1');
      if (text.includes('\r\n\r\n')) advance();
    } else {
      skipBytes -= count;
      if (skipBytes <= 0) advance();
    }
    return true;
  };
  const socket: Socket = connect(
    { port, host: '127.0.0.1', noDelay: true, onread: { buffer: receiver.buffer, callback: read } },
    () => {
      socket.write(messages[0]?.send ?? command);
    },
  );
  socket.on('error', () => receiver.failed());
  socket.on('end', () => receiver.failed());
  return socket;
}

interface Message {
  readonly send: string | Buffer;
  readonly replyBytes: number;
}

function handshake({ via, originPort, username, password }: Step): Message[] {
  if (via === 'direct') return [];
  if (via === 'connect') {
    const login = Buffer.from(`${username}:${password}`).toString('base64');
    const authority = `127.0.0.1:${originPort}`;
    const head = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${login}\r\n\r\n`;
    return [{ send: head, replyBytes: 0 }];
  }
  const request = Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, originPort >> 8, originPort & 255]);
  const connectMessage = { send: request, replyBytes: 10 };
  if (via === 'socks5-open') return [{ send: Buffer.from([5, 1, 0]), replyBytes: 2 }, connectMessage];
  const user = Buffer.from(username);
  const secret = Buffer.from(password);
  const login = Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]);
  return [{ send: Buffer.from([5, 1, 2]), replyBytes: 2 }, { send: login, replyBytes: 2 }, connectMessage];
}

const pause = (milliseconds: number) => new Promise<void>((fulfil) => setTimeout(fulfil, milliseconds));
