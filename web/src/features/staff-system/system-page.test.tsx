import type { SystemState } from '@cellhop/contract/staff/system';
import { addressSpaces, chains } from '@cellhop/contract/chains';
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openAsStaff } from '../../../test/open-staff.ts';

const chain: SystemState['chains'][number] = {
  chain: 'ethereum',
  isWatched: true,
  problem: null,
  detail: null,
  since: null,
  headHeight: 1000,
  headAt: '2026-03-01T12:00:00.000Z',
  lagBlocks: 0,
  sources: 3,
  watchedAddresses: 20_000,
  unwatchedAddresses: 0,
  openDeposits: 0,
  heldDeposits: 0,
  comparedAt: null,
  differences: [],
  warnings: [],
};

const state: SystemState = {
  reconciliation: { status: 'NEVER_RUN', violationCount: 0, violations: [], checkedAt: null, durationMs: null },
  jobs: { waiting: 0, running: 0, failed: 0, oldestDueAt: null },
  chains: [
    chain,
    { ...chain, chain: 'bsc', sources: 2 },
    { ...chain, chain: 'bitcoin', sources: 1, unwatchedAddresses: 1234 },
    { ...chain, chain: 'litecoin', sources: 0, warnings: ['node-c:8332 is not used: it disagrees with the others'] },
  ],
  accounts: [],
  rateSources: [],
  peg: { isKept: true, rate: null },
  database: {
    version: '17',
    bytes: 1,
    connections: 1,
    connectionsMax: 100,
    pool: { used: 0, idle: 1, waiting: 0 },
  },
};

it('shows all six chains, the wallets of five, and which of their addresses a wallet finds by itself', async () => {
  const account = { fingerprint: 'f00d', addressCount: 12, paidCount: 3, gap: 4 };
  const all: SystemState = {
    ...state,
    chains: chains.map((name) => ({ ...chain, chain: name, openDeposits: name === 'ton' ? 2 : 0 })),
    accounts: [...new Set(Object.values(addressSpaces))].map((space) => ({ ...account, space })),
  };
  await openAsStaff('/admin/system', {
    answers: { 'GET /v1/system/admin': { data: all }, 'GET /v1/system/admin/jobs': { data: [], totalPages: 1 } },
  });
  const watched = within(await screen.findByRole('region', { name: 'Chains' }));
  for (const name of ['Bitcoin', 'Litecoin', 'Ethereum', 'BNB Smart Chain', 'TRON', 'TON'])
    expect(watched.getByText(name)).toBeTruthy();
  expect(watched.getByText('block 1,000 · 2 not credited')).toBeTruthy();
  const wallets = within(screen.getByRole('region', { name: 'Wallets' }));
  const scanned = 'Addresses: 12, with payments: 3 · Addresses the wallet must scan: 5';
  for (const name of ['Bitcoin', 'Litecoin', 'Ethereum, BNB Smart Chain', 'TRON', 'TON'])
    expect(wallets.getByText(`${name} f00d`)).toBeTruthy();
  expect(wallets.getAllByText(scanned)).toHaveLength(4);
  expect(wallets.getByText(/the offline program signs for all$/)).toBeTruthy();
});

it('says which chains have fewer sources than recommended, or one that is not used, and where payments are found late', async () => {
  await openAsStaff('/admin/system', {
    answers: { 'GET /v1/system/admin': { data: state }, 'GET /v1/system/admin/jobs': { data: [], totalPages: 1 } },
  });
  await screen.findByText('Ethereum');
  const facts = screen.getAllByText(/^block 1/).map(({ textContent }) => textContent);
  expect(facts).toEqual([
    'block 1,000',
    'block 1,000 · two sources must both work and agree: three are recommended',
    'block 1,000 · one source, taken on trust: three are recommended · too many addresses: payments to 1,234 of them are found a day later',
    'block 1,000 · node-c:8332 is not used: it disagrees with the others',
  ]);
});
