/** @module-tag thorough */
import { Address, contractAddress } from '@ton/core';
import { keyPairFromSeed } from '@ton/crypto';
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { firstState } from '../sweep/ton-wallet.ts';
import { deriveTonAddress, TON_INDEX_END } from './ton-address.ts';

const KEYS = 50;

/** By cells of the official library instead of two hashes of our own. */
function deriveByCells(publicKey: string, index: bigint): string {
  return contractAddress(0, firstState(publicKey, index)).toString({ bounceable: false });
}

it('derives the same address as the official library, for any key and index', () => {
  const indexes = [0n, 1n, 2n, 1_000_000n, TON_INDEX_END - 1n];
  for (let number = 0; number < KEYS; number += 1) {
    const seed = createHash('sha256').update(`key ${number}`).digest();
    const publicKey = keyPairFromSeed(seed).publicKey.toString('hex');
    for (const index of indexes) {
      const address = deriveTonAddress(publicKey, index);
      expect(address).toBe(deriveByCells(publicKey, index));
      expect(Address.parseFriendly(address)).toMatchObject({ isBounceable: false, isTestOnly: false });
    }
  }
});
