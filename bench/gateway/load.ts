/** Asks a proxy for bulk data or for new tunnels, for a fixed time, and sends back what it got. */
import { connect, type Socket } from 'node:net';

export interface Step {
  /** `one` and `paced` have a single stream; the latter is sent at 1 Gbit/s. */
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
      const isAnswered = await new Promise<boolean>((fulfil) => {
        const socket = open(step, 'p', {
          buffer,
          received: () => {
            fulfil(true);
            socket.destroy();
          },
          failed: () => fulfil(false),
        });
      });
      if (isAnswered) counts.done += 1;
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

/** Speaks the whole handshake, waits for each answer, and then asks the origin. */
function open(step: Step, question: string, receiver: Receiver): Socket {
  const answers = handshake(step);
  const port = step.via === 'direct' ? step.originPort : step.proxyPort;
  let skipBytes = answers[0]?.answerBytes ?? 0;
  let text = '';
  const advance = () => {
    const next = answers.shift();
    skipBytes = answers[0]?.answerBytes ?? 0;
    socket.write(next ? (answers[0]?.send ?? question) : question);
  };
  const read = (count: number, slice: Uint8Array): boolean => {
    if (answers.length === 0) {
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
      socket.write(answers[0]?.send ?? question);
    },
  );
  socket.on('error', () => receiver.failed());
  socket.on('end', () => receiver.failed());
  return socket;
}

interface Message {
  readonly send: string | Buffer;
  readonly answerBytes: number;
}

function handshake({ via, originPort, username, password }: Step): Message[] {
  if (via === 'direct') return [];
  if (via === 'connect') {
    const login = Buffer.from(`${username}:${password}`).toString('base64');
    const authority = `127.0.0.1:${originPort}`;
    const head = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${login}\r\n\r\n`;
    return [{ send: head, answerBytes: 0 }];
  }
  const request = Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, originPort >> 8, originPort & 255]);
  const connectMessage = { send: request, answerBytes: 10 };
  if (via === 'socks5-open') return [{ send: Buffer.from([5, 1, 0]), answerBytes: 2 }, connectMessage];
  const user = Buffer.from(username);
  const secret = Buffer.from(password);
  const login = Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]);
  return [{ send: Buffer.from([5, 1, 2]), answerBytes: 2 }, { send: login, answerBytes: 2 }, connectMessage];
}

const pause = (milliseconds: number) => new Promise<void>((fulfil) => setTimeout(fulfil, milliseconds));
