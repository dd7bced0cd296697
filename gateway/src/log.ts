import { destination } from 'pino';

type LogStream = ReturnType<typeof destination>;

const STANDARD_OUTPUT = 1;
/** Lines that wait for a disk that is full, or for a reader that is slow. What is more is lost. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;

/** The standard output for JSON lines. One that cannot be written must not end the process, and with it all tunnels. */
export function openLogStream(): LogStream {
  const stream = destination({ dest: STANDARD_OUTPUT, sync: false, maxLength: WAITING_BYTES_MAX });
  let isFailing = false;
  stream.on('error', () => (isFailing = true)); // The next line tries again.
  stream.on('write', () => (isFailing = false));
  // pino writes at the exit what is left, and tries for ever: its listener passes by a stream that is destroyed.
  process.prependListener('exit', () => {
    if (isFailing) stream.destroy();
  });
  return stream;
}
