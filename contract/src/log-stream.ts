/** Where the programs write their log. */

/** Of pino's `destination`. */
export const LOG_STREAM_OPTIONS = {
  /** The standard output. */
  dest: 1,
  sync: false,
  /** Bytes of lines that wait for a disk that is full, or for a slow reader. What is more is lost. */
  maxLength: 4 * 1024 * 1024,
} as const;

interface LogStream {
  on(event: 'error' | 'write', listener: () => void): unknown;
  destroy(): void;
}

/** Node's `process`, which this package, shared with the web app, does not name. */
interface Program {
  prependListener(event: 'exit', listener: () => void): unknown;
}

/** A log that cannot be written, as on a full disk, must neither block nor end the process. */
export function outliveFailures<Stream extends LogStream>(stream: Stream, program: Program): Stream {
  let isFailing = false;
  stream.on('error', () => (isFailing = true)); // The next line tries again.
  stream.on('write', () => (isFailing = false));
  // pino writes at the exit what is left, and tries for ever: its listener passes by a stream that is destroyed.
  program.prependListener('exit', () => {
    if (isFailing) stream.destroy();
  });
  return stream;
}
