import { expect, test } from 'vitest';
import { holdingsFile, TON_TREASURY, tonHoldings, TRON_TREASURY, tronHoldings } from '../../../test/holdings.ts';
import { createOfflineMachine, SEED_WORDS, TON_WORDS } from '../../../test/offline-machine.ts';
import { signList } from '../../../test/offline-signing.ts';
import { guide, shownAfter, trimLines } from '../../../test/sweeping-guide.ts';
import { networks } from '../sweep/networks.ts';
import { formatAsset } from '../sweep/plan.ts';
import type { SweepChain } from '../sweep/sweep.ts';
import { runOffline } from './program.ts';

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

test('the guide shows what the program prints for the account of TON', async () => {
  const offline = createOfflineMachine({ typed: [TON_WORDS] });
  await runOffline(offline.machine, ['accounts', 'ton']);
  expect(shownAfter('accounts-ton')).toBe(trimLines(offline.screen()));
});

test('the guide shows what the program prints when it signs for TON', async () => {
  const list = tonHoldings();
  // Two wallets are enough to see.
  list.addresses.pop();
  const { screen } = await signList(holdingsFile(list), [TON_TREASURY, TON_TREASURY, 'sign']);
  expect(shownAfter('sign-ton')).toBe(trimLines(screen));
});

test('the guide names the ceilings of fees', () => {
  const ceilings = (Object.keys(networks) as SweepChain[]).map((chain) =>
    formatAsset(chain, 'coin', networks[chain].feeMaxUnits).replace('.00 ', ' '),
  );
  expect(guide.replace(/\s+/g, ' ')).toContain(
    `(${ceilings.slice(0, -1).join(', ')} and ${ceilings.at(-1)} for each transaction)`,
  );
});
