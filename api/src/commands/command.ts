/**
 * What each command declares, and the shell that runs it: arguments, help, settings, database, errors, signals and exit codes. Results are
 * written to the standard output, everything else to the standard error output.
 */
import { commandLine } from '@cellhop/contract/command-line';
import { AppError } from '@cellhop/contract/errors';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createCtx, type Ctx } from '../ctx.ts';
import { isDatabaseUnavailable } from '../db/database-connection.ts';
import { openDatabase } from '../db/db.ts';
import { describePending, listPending, migrate } from '../db/migrate.ts';
import { Mismatch, requireMatch } from '../modules/installation/installation.service.ts';
import { type Config, loadConfig } from '../process/config.ts';
import { createLog, type Log } from '../process/log.ts';
import { type Machine, openTerminal, type Terminal } from './terminal.ts';

export interface Command {
  name: string;
  /** One sentence, without a full stop. */
  summary: string;
  /** What follows the name. */
  usage: string;
  /** The rest of the help. */
  details?: string;
  /** What the details of an error are about, such as "The filter". */
  subject?: string;
  /** @throws Error with a sentence for each invalid argument */
  parse: (values: readonly string[]) => Order;
}

export interface Order {
  /**
   * A question changes nothing, which the database enforces. A change needs a current schema: only in development it migrates by itself.
   * A migration always does.
   */
  kind: 'question' | 'change' | 'migration';
  /** False: works on a database of any schema, and without one. */
  needsSchema?: boolean;
  /** True: works with another SECRET_KEY than that of the database. */
  acceptsKey?: boolean;
  /** @returns what is printed, or false if it was refused, which it has said */
  run: (ctx: Ctx, terminal: Terminal) => Promise<string | false>;
}

/** After a signal: 128 and its number. */
export const exitCodes = { DONE: 0, FAILED: 1, WRONG_ARGUMENTS: 2, OLD_SCHEMA: 3, WRONG_SETTINGS: 78 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

class CommandError extends Error {
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** How long the end of an interrupted command waits for its statement. */
const CLOSE_LIMIT_MS = 2000;

/** @returns the exit code, when the database is closed */
export async function runCommand(
  commands: readonly Command[],
  [name = '', ...values]: readonly string[],
  machine: Machine,
): Promise<number> {
  const terminal = openTerminal(machine);
  const command = commands.find((each) => each.name === name);
  const interruption = listenForSignals(machine);
  try {
    if (!command) throw new CommandError(exitCodes.WRONG_ARGUMENTS, listOf(commands));
    return await runOne(command, values, { terminal, environment: machine.env, interrupted: interruption.code });
  } catch (error) {
    // The reader of the output has seen enough, such as `head`.
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return exitCodes.DONE;
    terminal.say(describe(error, command?.subject));
    if (error instanceof Mismatch) return exitCodes.WRONG_SETTINGS;
    return error instanceof CommandError ? error.exitCode : exitCodes.FAILED;
  } finally {
    interruption.stop();
  }
}

interface Surroundings {
  terminal: Terminal;
  environment: NodeJS.ProcessEnv;
  interrupted: Promise<number>;
}

async function runOne(
  command: Command,
  values: readonly string[],
  { terminal, environment, interrupted }: Surroundings,
): Promise<number> {
  if (values.includes('--help')) {
    await terminal.write(`${helpOf(command)}\n`);
    return exitCodes.DONE;
  }
  const order = orFail(exitCodes.WRONG_ARGUMENTS, () => command.parse(values), `\n\n${helpOf(command)}`);
  const config = orFail(exitCodes.WRONG_SETTINGS, () => loadConfig(environment));
  const log =
    order.kind === 'migration'
      ? createLog(command.name, config.logLevel, config.isDevelopment && process.stdout.isTTY)
      : createLog(command.name, 'warn', false, { write: (line) => terminal.say(line.trimEnd()) });
  const database = openDatabase(config.databaseUrl, 2, { isReadOnly: order.kind === 'question' });
  const work = async () => {
    const ctx = createCtx(database, config, log);
    if (order.needsSchema !== false) await prepareSchema(order.kind, config, log);
    if (order.needsSchema !== false && !order.acceptsKey) await requireMatch(ctx);
    const result = await order.run(ctx, terminal);
    if (result === false) return exitCodes.FAILED;
    if (result !== '') await terminal.write(`${result}\n`);
    return exitCodes.DONE;
  };
  try {
    return await Promise.race([work(), interrupted]);
  } finally {
    // What is left ends with the process, and its transaction is rolled back.
    await Promise.race([database.close(), pause(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }
}

async function prepareSchema(kind: Order['kind'], config: Config, log: Log): Promise<void> {
  if (kind === 'migration' || (kind === 'change' && config.isDevelopment)) {
    const applied = await migrate(config.databaseUrl);
    if (applied.length > 0) log.info({ count: applied.length }, 'database migrated');
    return;
  }
  const pending = await listPending(config.databaseUrl);
  if (pending.length === 0) return;
  throw new CommandError(exitCodes.OLD_SCHEMA, `Nothing was done. ${describePending(pending)}`);
}

function listenForSignals(machine: Machine): { code: Promise<number>; stop: () => void } {
  const { promise: code, resolve } = Promise.withResolvers<number>();
  const listeners = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => {
    const listener = () => resolve(128 + constants.signals[name]);
    machine.on(name, listener);
    return () => machine.off(name, listener);
  });
  return { code, stop: () => listeners.forEach((remove) => remove()) };
}

function orFail<T>(exitCode: ExitCode, work: () => T, hint = ''): T {
  try {
    return work();
  } catch (error) {
    throw new CommandError(exitCode, `${describe(error)}${hint}`);
  }
}

function describe(error: unknown, subject = 'The request'): string {
  if (error instanceof AppError)
    return error.details?.map(({ message }) => `${subject} ${message}.`).join('\n') ?? `${error.message}.`;
  if (!(error instanceof Error)) return String(error);
  // An error of several addresses has no message.
  if (isDatabaseUnavailable(error)) return `The database cannot be used now: ${error.message || String(error)}`;
  return error.message;
}

const helpOf = ({ name, summary, usage, details }: Command): string =>
  [
    `Usage: ${commandLine(name, ...(usage === '' ? [] : [usage]))}`,
    `${summary}.`,
    ...(details === undefined ? [] : [details]),
  ].join('\n\n');

function listOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return ['The commands are:', ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)].join(
    '\n',
  );
}
