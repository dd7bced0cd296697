/** The gateway process: settings from the environment, drained by SIGTERM or SIGINT. */
import { LOG_STREAM_OPTIONS, ignoreWriteErrors, readableTransport } from '@cellhop/contract/log-stream';
import { fileURLToPath } from 'node:url';
import { destination, pino } from 'pino';
import { type Config, parseConfig } from './config.ts';
import { type Gateway, startGateway } from './gateway.ts';

/** Ctrl-C reaches every process of a group, and a parent may forward it again: signals this close together count as one. */
const REPEATED_SIGNAL_MS = 1_000;

interface ListenError {
  readonly code: string;
  readonly address: string;
  readonly port: number;
}

/** A supervisor need not try again. */
const WRONG_SETTINGS = 78;

/** Built beside this file. */
const ACCELERATOR = fileURLToPath(new URL('accelerator.node', import.meta.url));

const config = readConfig();
const gateway = await start(config);
let stoppingSince: number | undefined;
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(gateway, config.drainMs));

function readConfig(): Config {
  try {
    return parseConfig(process.env);
  } catch (error) {
    return fail(`The gateway cannot start:\n${toMessage(error)}`, WRONG_SETTINGS);
  }
}

async function start({ logLevel, isDevelopment, isAccelerated, limits, ...settings }: Config): Promise<Gateway> {
  const options = { name: 'gateway', level: logLevel };
  const transport = isDevelopment && process.stdout.isTTY ? readableTransport() : undefined;
  const log = transport
    ? pino({ ...options, transport })
    : pino(options, ignoreWriteErrors(destination(LOG_STREAM_OPTIONS), process));
  try {
    const accelerator = isAccelerated ? ACCELERATOR : undefined;
    return await startGateway({ ...settings, log, limits, accelerator });
  } catch (error) {
    // Two ports may fail; the system error names the one that did.
    const { code, address = settings.host, port = settings.port } = error as Partial<ListenError>;
    if (code === 'EADDRINUSE') return fail(`The gateway cannot listen on ${address}:${port}: the port is in use.`);
    return fail(`The gateway cannot listen on ${address}:${port}: ${toMessage(error)}.`);
  }
}

function stop(running: Gateway, drainMs: number): void {
  const now = performance.now();
  if (stoppingSince !== undefined) {
    if (now - stoppingSince >= REPEATED_SIGNAL_MS) running.abortDrain();
    return;
  }
  stoppingSince = now;
  running.close({ drainMs }).then(
    (areTotalsDelivered) => process.exit(areTotalsDelivered ? 0 : 1),
    (error: unknown) => fail(`The gateway did not stop cleanly: ${toMessage(error)}.`),
  );
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fail(message: string, exitCode = 1): never {
  process.stderr.write(`${message}\n`);
  process.exit(exitCode);
}
