import { expect, test } from 'vitest';
import { holdingsFileSchema, HOLDINGS_VERSION, type HoldingsFile } from './holdings-file.ts';

const file: HoldingsFile = {
  kind: 'cellhop-holdings',
  version: HOLDINGS_VERSION,
  madeAt: '2026-03-01T12:00:00.000Z',
  chains: [
    {
      chain: 'ethereum',
      chainId: 1,
      fee: { maxFeePerGas: '30000000000', maxPriorityFeePerGas: '1000000000' },
      addresses: [
        {
          account: '0011223344556677',
          index: 7,
          address: '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0',
          nonce: 0,
          assets: [
            { asset: 'ETH', units: '1000000000000000000000000' },
            { asset: 'USDT', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7', units: '50000000' },
          ],
          notes: ['Tether has frozen this address: its USDT cannot be moved.'],
        },
      ],
    },
    { chain: 'bitcoin', addresses: [] },
    {
      chain: 'tron',
      referenceBlock: { height: 66_987_565, id: '0'.repeat(64), time: '2026-03-01T12:00:00.000Z' },
      fee: { energyPrice: '100', bandwidthPrice: '1000', energyFactor: 0 },
      addresses: [],
    },
    { chain: 'ton', addresses: [] },
  ],
};

test('a file is the same after it was written and read', () => {
  expect(holdingsFileSchema.parse(JSON.parse(JSON.stringify(file)))).toEqual(file);
});

test.each([
  ['an amount with a fraction', '"50000000"', '"0.5"'],
  ['an amount in hexadecimal digits', '"50000000"', '"0x32"'],
  ['an amount as a number', '"50000000"', '50000000'],
  ['a negative index', '"index":7', '"index":-1'],
  ['an index that would be a hardened one', '"index":7', '"index":2147483648'],
  ['a sequence that controls the terminal', 'Tether has', 'Tether\\u001b[2K has'],
  ['an unknown asset', '"ETH"', '"DOGE"'],
  ['an EVM address without a nonce', '"nonce":0,', ''],
  ['another version', '"version":1', '"version":2'],
])('%s is refused', (_name, from, to) => {
  const text = JSON.stringify(file);
  expect(text).toContain(from);
  expect(holdingsFileSchema.safeParse(JSON.parse(text.replace(from, to))).success).toBe(false);
});
