import { commandLine } from '@cellhop/contract/command-line';
import { parseArgs } from 'node:util';
import { type Restored, skipShown } from '../modules/invoices/restored.service.ts';
import { endSessionsOfLostTime } from '../modules/auth/sessions.service.ts';
import { listCarried } from '../modules/billing/ending.service.ts';
import type { Command } from './command.ts';

const COUNT = /^[1-9]\d{0,4}$/;

export const restored: Command = {
  name: 'restored',
  summary:
    'Goes on after the database was restored to an earlier time: addresses that were shown since then are not given to others',
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
        return ctx.tx(async (ctx) => {
          const restored = await skipShown(ctx, witnessFile, count);
          if (restored.skipped.length === 0) return 'The database is not behind the witness: nothing was changed.';
          const endedCount = await endSessionsOfLostTime(ctx, restored.lost.from, restored.lost.until);
          return describe(restored, endedCount, await listCarried(ctx));
        });
      },
    };
  },
};

const MINUTE_MS = 60_000;
const NAMED_MAX = 20;

function describe(
  { lost, newestInvoiceAt, skipped }: Restored,
  endedCount: number,
  { openCount, carriedIds }: Awaited<ReturnType<typeof listCarried>>,
): string {
  const named = carriedIds.slice(0, NAMED_MAX).join(', ');
  const others = carriedIds.length > NAMED_MAX ? ` and ${carriedIds.length - NAMED_MAX} more` : '';
  return [
    describeLost(lost),
    `The newest invoice in this database is of ${newestInvoiceAt?.toISOString() ?? 'no time'}.`,
    ...skipped.map(({ space, count }) => `${space}: ${count} addresses are skipped and watched for 30 days.`),
    `Payments to them are on staff's screen of invoices, as unassigned. Invoices are created again. Compare what the chains hold: ` +
      commandLine('payments', 'check'),
    `${endedCount} sessions that the lost time may have changed were ended: their users sign in again.`,
    `Gateways carry ${carriedIds.length} of ${openCount} open connections${named === '' ? '.' : `: ${named}${others}.`} Those that were ` +
      'bought in the lost time end with the next report of their gateway; the others end as idle, and what was not used is refunded.',
  ].join('\n');
}

function describeLost({ from, until }: Restored['lost']): string {
  if (until === undefined) return 'Without a witness it is unknown how much was lost.';
  if (from === undefined) return `The database was last seen complete at ${until.toISOString()}.`;
  const minutes = Math.max(1, Math.ceil((until.getTime() - from.getTime()) / MINUTE_MS));
  return `About ${minutes} minutes were lost: from ${from.toISOString()} to ${until.toISOString()}.`;
}
