/** Set by bin/cellhop.mjs. The browser has none. */
const environment = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env;

/** `migrate` and the programs, which `npm start` runs. */
const OF_START = new Set(['migrate', 'api', 'worker', 'gateway']);

/** How the operator calls a program or a command, for all texts that name one: as this one was called. */
export function commandLine(name: string, ...values: string[]): string {
  if (environment?.['CELLHOP_COMMAND']) return ['cellhop', name, ...values].join(' ');
  if (OF_START.has(name)) return 'npm start';
  return ['npm run', name, ...(values.length > 0 ? ['--', ...values] : [])].join(' ');
}
