import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** What a command sees of the operator. */
export interface Terminal {
  /** Writes a result to the standard output. @throws EPIPE if its reader has gone */
  write: (text: string) => Promise<void>;
  /** Writes a line for the operator, which is no result. */
  say: (line: string) => void;
  /** The standard input. */
  read: () => Promise<string>;
  /** The path of a file that the operator has named. */
  path: (name: string) => string;
}

/** The parts of Node's `process` that commands use. */
export interface Machine {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  env: NodeJS.ProcessEnv;
  on(name: NodeJS.Signals, listener: () => void): unknown;
  off(name: NodeJS.Signals, listener: () => void): unknown;
}

export function openTerminal({ stdin, stdout, stderr, env }: Machine): Terminal {
  // Failed writes reject below; without a listener they would also end the process.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  return {
    write: (result) =>
      new Promise((resolve, reject) => {
        stdout.write(result, (error) => (error ? reject(error) : resolve()));
      }),
    say: (line) => void stderr.write(`${line}\n`),
    read: () => text(stdin),
    // npm runs commands in the project's folder, and tells where it was called.
    path: (name) => path.resolve(env['INIT_CWD'] ?? '.', name),
  };
}
