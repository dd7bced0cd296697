import fs from 'node:fs';
import { expect, test } from 'vitest';
import { holdingsFile, TRON_TREASURY, tronHoldings } from '../../../test/holdings.ts';
import { createOfflineMachine, SEED_WORDS } from '../../../test/offline-machine.ts';
import { signList } from '../../../test/offline-signing.ts';
import { networks } from '../sweep/networks.ts';
import { formatAsset } from '../sweep/plan.ts';
import type { SweepChain } from '../sweep/sweep.ts';
import { runOffline } from './program.ts';

const guide = fs.readFileSync(new URL('../../../../docs/sweeping.md', import.meta.url), 'utf8');

/** The output after the command in a block of the guide. */
function shownAfter(mark: string): string {
  const [, block] = guide.split(`<!-- ${mark} -->\n\n\`\`\`\n`);
  const text = block!.slice(0, block!.indexOf('\n```'));
  return text.slice(text.indexOf('\n') + 1);
}

/** Editors remove spaces at the ends of lines. */
const trimLines = (text: string) => text.replace(/ +$/gm, '').trim();

test('the guide shows what the program prints for accounts', async () => {
  const offline = createOfflineMachine({ typed: [SEED_WORDS, ''] });
  await runOffline(offline.machine, ['accounts']);
  expect(shownAfter('accounts')).toBe(trimLines(offline.screen()));
});

test('the guide shows what the program prints when it signs', async () => {
  const { screen, sweeps } = await signList(holdingsFile(tronHoldings()), [TRON_TREASURY, '', 'yes', 'sign']);
  expect(shownAfter('sign')).toBe(trimLines(screen));
  // Signatures are deterministic.
  expect(shownAfter('broadcast')).toContain(`, transaction ${sweeps[0]!.transactionId}\n`);
});

test('the guide names the ceilings of fees', () => {
  const ceilings = (Object.keys(networks) as SweepChain[]).map((chain) =>
    formatAsset(chain, 'coin', networks[chain].feeMaxUnits).replace('.00 ', ' '),
  );
  expect(guide.replace(/\s+/g, ' ')).toContain(
    `(${ceilings[0]}, ${ceilings[1]} and ${ceilings[2]} for each transaction)`,
  );
});
