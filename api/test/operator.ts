/** An operator at a terminal, for tests of commands. */
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { type Command, exitCodes } from '../src/commands/command.ts';
import { type Machine, openTerminal } from '../src/commands/terminal.ts';
import type { Ctx } from '../src/ctx.ts';

/** Stands for Node's `process`: `emit` sends a signal. */
export class Operator extends EventEmitter implements Machine {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** What the standard output and the standard error output have received. */
  output = '';
  errors = '';
  readonly env: NodeJS.ProcessEnv;

  /** @param failure of each write to the standard output */
  constructor(env: NodeJS.ProcessEnv = {}, typed = '', failure?: Error) {
    super();
    this.env = env;
    this.stdin = Readable.from([Buffer.from(typed)]);
    this.stdout = receive((text) => (this.output += text), failure);
    this.stderr = receive((text) => (this.errors += text));
  }
}

function receive(take: (text: string) => void, failure?: Error): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      if (failure) return done(failure);
      take(String(chunk));
      done();
    },
  });
}

/** Runs a command without the shell. @throws what the shell would print */
export async function order(ctx: Ctx, command: Command, values: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const operator = new Operator(env);
  const { kind, run } = command.parse(values);
  const result = await run(ctx, openTerminal(operator));
  return {
    kind,
    code: result === false ? exitCodes.FAILED : exitCodes.DONE,
    output: operator.output + (result || ''),
    lines: operator.errors.split('\n').slice(0, -1),
  };
}
