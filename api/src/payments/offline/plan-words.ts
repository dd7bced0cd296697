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
  for (const chain of Object.keys(networks) as SweepChain[]) {
    const ofChain = sweeps.filter((sweep) => sweep.chain === chain);
    if (ofChain.length === 0) continue;
    for (const asset of ['usdt', 'coin'] as const) {
      const ofAsset = ofChain.filter((sweep) => sweep.asset === asset);
      if (ofAsset.length === 0) continue;
      const units = ofAsset.reduce((sum, sweep) => sum + sweep.units, 0n);
      // An asset has one destination.
      lines.push(`  ${formatAsset(chain, asset, units)} on ${networks[chain].title} to ${ofAsset[0]!.to}`);
    }
    const fees = ofChain.reduce((sum, sweep) => sum + sweep.feeMaxUnits, 0n);
    lines.push(`  ${formatAsset(chain, 'coin', fees)} of fees on ${networks[chain].title} at most`);
  }
  return lines.join('\n');
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
