import { commandLine } from '@cellhop/contract/command-line';
import { parseArgs } from 'node:util';
import { type Restored, skipShown } from '../modules/invoices/restored.service.ts';
import type { Command } from './command.ts';

const COUNT = /^[1-9]\d{0,4}$/;

export const restored: Command = {
  name: 'restored',
  summary:
    'Goes on after the database was restored to an earlier time: addresses that were shown since then are given to nobody',
  usage: '[--skip COUNT]',
  details:
    '--skip: only without a witness (WITNESS_FILE), how many addresses of each account may have been shown in the lost time.',
  parse(given) {
    const { values } = parseArgs({ args: [...given], options: { skip: { type: 'string' } } });
    if (values.skip !== undefined && !COUNT.test(values.skip)) throw new Error('--skip needs a number from 1 to 99999');
    const count = values.skip === undefined ? undefined : BigInt(values.skip);
    return {
      kind: 'change',
      async run(ctx) {
        const { witnessFile } = ctx.config;
        if (witnessFile === undefined) throw new Error('WITNESS_FILE is not set: docs/settings.md describes it');
        return describe(await skipShown(ctx, witnessFile, count));
      },
    };
  },
};

function describe({ witnessedAt, newestInvoiceAt, skipped }: Restored): string {
  if (skipped.length === 0) return 'The database is not behind the witness: nothing was changed.';
  return [
    `The newest invoice in this database is of ${newestInvoiceAt?.toISOString() ?? 'no time'}.` +
      (witnessedAt === undefined ? '' : ` It was last seen complete at ${witnessedAt}.`),
    ...skipped.map(({ space, count }) => `${space}: ${count} addresses are skipped and watched for 30 days.`),
    `Payments to them are on staff's screen of invoices, as unassigned. Invoices are created again. Compare what the chains hold: ` +
      commandLine('payments', 'check'),
  ].join('\n');
}
