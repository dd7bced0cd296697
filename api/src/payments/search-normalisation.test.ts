import { describe, expect, test } from 'vitest';
import { toStoredAddresses, toStoredBeginning, toStoredTransactions } from './search-normalisation.ts';

const EVM = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TRON_HEX = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const TON = 'UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w';

describe('an address is found', () => {
  test.each([
    ['with its checksum', EVM, EVM],
    ['in lower case', EVM.toLowerCase(), EVM],
    ['in capital letters', EVM.toUpperCase(), EVM],
    ['without 0x', EVM.slice(2), EVM],
    [
      'of Bitcoin in capital letters, as QR codes have it',
      'BC1QCR8TE4KR609GCAWUTMRZA0J4XV80JY8Z306FYU',
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    ],
    ['of TRON', TRON, TRON],
    ['of TRON in hexadecimal digits', TRON_HEX, TRON],
    ['of TRON in hexadecimal digits with 0x', `0x${TRON_HEX.toUpperCase()}`, TRON],
    ['of TRON as logs have it', `0x${TRON_HEX.slice(2)}`, TRON],
    ['of TON', TON, TON],
    ['of TON, bounceable', 'EQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinKC1', TON],
    ['of TON in the other alphabet', TON.replaceAll('_', '/').replaceAll('-', '+'), TON],
    ['of TON, raw', '0:2A6EE6B7FF41BFECAFE383386325C7A895F4FE4CE346B18EB9C14A0152D6629C', TON],
    ['of the sandbox', 'sandbox-0011', 'sandbox-0011'],
  ])('%s', (_, text, stored) => {
    expect(toStoredAddresses(text)).toContain(stored);
  });

  test('of 20 bytes that begin with 41 by its length', () => {
    const digits = `41${'ab'.repeat(19)}`;
    expect(toStoredAddresses(digits)).toEqual([
      expect.stringMatching(new RegExp(`^0x${digits}$`, 'i')),
      expect.stringMatching(/^T[1-9A-Za-z]{33}$/),
    ]);
  });
});

test('the beginning of a bounceable address is that of the other form', () => {
  expect(toStoredBeginning('EQAqbua3_')).toBe('UQAqbua3_');
  expect(toStoredBeginning('TR7NHqje')).toBe('TR7NHqje');
});

describe('a transaction is found', () => {
  const hash = '0f'.repeat(32);

  test.each([
    ['with 0x on Ethereum', `0x${hash}`, `0x${hash}`],
    ['without 0x on Ethereum', hash.toUpperCase(), `0x${hash}`],
    ['with 0x on TRON, as logs have it', `0x${hash}`, hash],
    ['in base64 on TON', Buffer.from(hash, 'hex').toString('base64'), hash],
    ['in base64url on TON', Buffer.from(hash, 'hex').toString('base64url'), hash],
    ['without a hash', 'balance:7:0x01', 'balance:7:0x01'],
  ])('%s', (_, text, stored) => {
    expect(toStoredTransactions(text)).toContain(stored);
  });
});
