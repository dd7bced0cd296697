/** In words: what the program is about to sign, and what it leaves where it is. */
import { networks } from '../sweep/networks.ts';
import { describePlace, formatAsset, type LeftOut, type Plan, type PlannedSweep } from '../sweep/plan.ts';
import type { SweepChain } from '../sweep/sweep.ts';

export function describePlan({ sweeps, leftOut }: Plan): string {
  return [
    ...(leftOut.length === 0 ? [] : ['', 'Left where it is:', ...leftOut.map(describeLeftOut)]),
    ...(sweeps.length === 0 ? [] : ['', 'To sign:', ...sweeps.flatMap(describeSweep)]),
  ].join('\n');
}

/** Sums by asset, and all fees. */
export function describeTotals(sweeps: readonly PlannedSweep[]): string {
  const lines = ['', 'In all:'];
  for (const ofChain of group(sweeps, 'chain', chains)) {
    const { chain } = ofChain[0]!;
    for (const ofAsset of group(ofChain, 'asset', ASSETS)) {
      const { asset, to } = ofAsset[0]!;
      const units = ofAsset.reduce((sum, sweep) => sum + sweep.units, 0n);
      // An asset has one destination.
      lines.push(`  ${formatAsset(chain, asset, units)} on ${networks[chain].title} to ${to}`);
    }
    const fees = ofChain.reduce((sum, sweep) => sum + sweep.feeMaxUnits, 0n);
    lines.push(`  ${formatAsset(chain, 'coin', fees)} of fees on ${networks[chain].title} at most`);
  }
  return lines.join('\n');
}

/** Each once, in the order of the totals. */
export function listDestinations(sweeps: readonly PlannedSweep[]): string[] {
  const byAsset = group(sweeps, 'chain', chains).flatMap((ofChain) => group(ofChain, 'asset', ASSETS));
  return [...new Set(byAsset.map(([first]) => first!.to))];
}

const chains = Object.keys(networks) as SweepChain[];
const ASSETS = ['usdt', 'coin'] as const;

/** By a property, in the order of its values. */
function group<Key extends 'chain' | 'asset'>(
  sweeps: readonly PlannedSweep[],
  key: Key,
  values: readonly PlannedSweep[Key][],
): PlannedSweep[][] {
  return values.map((value) => sweeps.filter((sweep) => sweep[key] === value)).filter(({ length }) => length > 0);
}

function describeSweep(sweep: PlannedSweep, position: number): string[] {
  const { chain, asset, units, index, from, to, contract, nonce, expiresAt, feeMaxUnits } = sweep;
  const { title, usdtContract } = networks[chain];
  const contractWords = contract === undefined || contract === usdtContract ? '' : `, contract ${contract}`;
  const place = nonce === undefined ? '' : `, transaction ${nonce} of the address`;
  const validity = expiresAt ? `, valid until ${expiresAt.toISOString()}` : '';
  return [
    `  ${position + 1}. ${formatAsset(chain, asset, units)} on ${title}${contractWords}`,
    `     from ${from} (${describePlace(chain, index)})`,
    `     to   ${to}`,
    `     fee at most ${formatAsset(chain, 'coin', feeMaxUnits)}${place}${validity}`,
  ];
}

function describeLeftOut({ chain, index, address, asset, units, reason }: LeftOut): string {
  const place = describePlace(chain, index);
  return `  ${formatAsset(chain, asset, units)} on ${networks[chain].title}, ${address} (${place}): ${reason}`;
}
