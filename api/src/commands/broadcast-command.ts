/** `payments broadcast FILE`: sends what the offline program has signed, and reports in words. */
import { readFile } from 'node:fs/promises';
import type { Ctx } from '../ctx.ts';
import { broadcastSweeps, checkSweeps, type SweepOutcome } from '../modules/invoices/broadcast.service.ts';
import { networks } from '../payments/sweep/networks.ts';
import { formatAsset } from '../payments/sweep/plan.ts';
import { signedFileSchema, type SignedFile } from '../payments/sweep/signed-file.ts';
import type { Inclusion, SentSweep } from '../payments/sweep/sweep-source.ts';

const BYTES_MAX = 16 * 1024 * 1024;
/** Messages of sources are theirs. */
const NOT_PRINTABLE = /[^\x20-\x7e\n]/g;

/** @throws Error with a message for the operator */
export async function broadcastFile(ctx: Ctx, file: string): Promise<string> {
  const sweeps = await checkSweeps(ctx, await readSignedFile(file));
  if (sweeps.length === 0) return 'The file contains no transactions.';
  const lines: string[] = [];
  let number = 0;
  const counts = new Map<SweepOutcome['state'], number>();
  for await (const { sweep, outcome } of broadcastSweeps(ctx, sweeps, new Date())) {
    counts.set(outcome.state, (counts.get(outcome.state) ?? 0) + 1);
    number += 1;
    lines.push(...describe(number, sweep, outcome));
  }
  const done = (counts.get('IN_BLOCK') ?? 0) === sweeps.length;
  lines.push(done ? 'All are in blocks.' : 'Run the same command again to see how they go on: it sends nothing twice.');
  return lines.join('\n').replace(NOT_PRINTABLE, '?');
}

async function readSignedFile(file: string): Promise<SignedFile> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`${file} cannot be read.`);
  });
  if (text.length > BYTES_MAX) throw new Error(`${file} is larger than ${BYTES_MAX} bytes.`);
  const parsed = signedFileSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new Error(`${file} is not a file that the offline program has signed.`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(number: number, sweep: SentSweep, outcome: SweepOutcome): string[] {
  const { chain, contract, units, from, to, feeLimitUnits, transactionId } = sweep;
  const { title, chainId, usdtContract } = networks[chain];
  const asset = contract === undefined ? 'coin' : 'usdt';
  const chainWords = chainId === undefined ? title : `${title} (chain ${chainId})`;
  const contractWords = contract === undefined || contract === usdtContract ? '' : `, contract ${contract}`;
  // Elsewhere the network's prices alone say what it costs.
  const limit = feeLimitUnits === 0n ? '' : `fee limit ${formatAsset(chain, 'coin', feeLimitUnits)}, `;
  return [
    `${number}. ${formatAsset(chain, asset, units)} on ${chainWords}${contractWords}`,
    `   from ${from} to ${to}`,
    `   ${limit}transaction ${transactionId}`,
    `   ${describeOutcome(outcome)}`,
  ];
}

function describeInclusion({ height, isSuccessful }: Inclusion): string {
  const place = height === undefined ? 'in a block' : `in block ${height}`;
  return isSuccessful ? place : `FAILED ${place}: nothing was moved, and the fee is paid`;
}

function describeOutcome(outcome: SweepOutcome): string {
  switch (outcome.state) {
    case 'IN_BLOCK':
      return describeInclusion(outcome);
    case 'SENT':
      return 'sent';
    case 'SENT_BEFORE':
      return 'sent before, in no block yet';
    case 'WAITING':
      return 'NOT SENT YET: the one before it from this address has to be in a block first. Run the same command again';
    case 'EXPIRED':
      return 'NOT SENT: it has expired. Make a new list and sign again';
    case 'HELD_BACK':
      return 'NOT SENT, because the one before it from this address was not';
    case 'REFUSED':
      return `NOT SENT, refused: ${outcome.reason}`;
    case 'UNREACHABLE':
      return `NOT SENT: ${outcome.reason}`;
  }
}
