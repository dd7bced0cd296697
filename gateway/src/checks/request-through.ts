import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Dial } from '../exits/dial.ts';
import { DialAbort, type Exit } from '../exits/exit.ts';
import type { Target } from '../protocol/host.ts';
import { TunnelFailure } from '../statuses.ts';

export interface RequestSettings {
  readonly dial: Dial;
  /** The requests that run now, so that a node that stops can end them. */
  readonly running: Set<DialAbort>;
}

/**
 * Connects to a destination through an exit, and closes the connection after its use.
 * @throws what `use` throws, TunnelFailure, or an error of the network
 */
export async function requestThrough<Result>(
  { dial, running }: RequestSettings,
  exit: Exit,
  target: Target,
  timeoutMs: number,
  use: (stream: Duplex, abort: DialAbort) => Promise<Result>,
): Promise<Result> {
  const abort = new DialAbort();
  running.add(abort);
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  let stream: Duplex | undefined;
  try {
    ({ stream } = await dial(exit, target, abort));
    return await use(stream, abort);
  } finally {
    clearTimeout(timer);
    running.delete(abort);
    stream?.destroy();
  }
}

/** Whether a destination accepts a connection through this exit. Nothing is sent to it. */
export function accepts(settings: RequestSettings, exit: Exit, target: Target, timeoutMs: number): Promise<boolean> {
  return requestThrough(settings, exit, target, timeoutMs, () => Promise.resolve(true)).catch(() => false);
}

/**
 * Whether a destination answers a TLS hello through this exit. Whose certificate it shows has no meaning here: an echo over `https`
 * finds the exit that answers in the name of others.
 */
export function answersTls(settings: RequestSettings, exit: Exit, target: Target, timeoutMs: number): Promise<boolean> {
  return requestThrough(settings, exit, target, timeoutMs, (stream, abort) => greet(stream, target, abort)).catch(
    () => false,
  );
}

function greet(stream: Duplex, { host }: Target, abort: DialAbort): Promise<boolean> {
  return new Promise((fulfil, reject) => {
    const secured = connectTls({
      socket: stream,
      rejectUnauthorized: false,
      ...(host.kind === 'name' && { servername: host.name }),
    });
    abort.whenAborted(() => reject(new TunnelFailure('dial-timeout')));
    secured.once('secureConnect', () => fulfil(true));
    // Never removed: an error after the answer must not be fatal.
    secured.on('error', reject);
    secured.once('close', () => reject(new TunnelFailure('connection-terminated')));
  });
}
