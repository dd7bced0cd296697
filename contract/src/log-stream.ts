/** Where the programs write their log. */

/** The options of pino's `destination`. */
export const LOG_STREAM_OPTIONS = {
  /** The standard output. */
  dest: 1,
  sync: false,
  /** The buffer, in bytes, while the disk is full or the reader is slow. Further lines are dropped. */
  maxLength: 4 * 1024 * 1024,
} as const;

/** Readable lines for a developer's terminal. @returns undefined without pino-pretty, which an installation for production lacks */
export function readableTransport() {
  try {
    const target = import.meta.resolve('pino-pretty');
    return { target, options: { ignore: 'pid,hostname', singleLine: true, translateTime: 'HH:MM:ss' } };
  } catch {
    return undefined;
  }
}

interface LogStream {
  on(event: 'error' | 'write', listener: () => void): unknown;
  destroy(): void;
}

/** Node's `process`: this package is shared with the web app, so it does not use Node's types. */
interface Program {
  prependListener(event: 'exit', listener: () => void): unknown;
}

/** A failed write of the log, for example to a full disk, must neither block nor end the process. */
export function ignoreWriteErrors<Stream extends LogStream>(stream: Stream, program: Program): Stream {
  let isFailing = false;
  stream.on('error', () => (isFailing = true)); // The next line tries again.
  stream.on('write', () => (isFailing = false));
  // At exit, pino flushes its buffer and retries forever. Its listener skips a destroyed stream.
  program.prependListener('exit', () => {
    if (isFailing) stream.destroy();
  });
  return stream;
}
