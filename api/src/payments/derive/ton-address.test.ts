import { Address, beginCell, contractAddress } from '@ton/core';
import { keyPairFromSeed } from '@ton/crypto';
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { walletV4R2Code } from '../../../test/chains/ton/wallet-v4r2.ts';
import { deriveTonAddress, TON_INDEX_END, TON_WALLET_ID } from './ton-address.ts';

const KEYS = 50;

/** By cells of the official library instead of two hashes of our own. */
function deriveByCells(publicKey: string, index: bigint): string {
  const data = beginCell()
    .storeUint(0, 32)
    .storeUint(TON_WALLET_ID + index, 32)
    .storeBuffer(Buffer.from(publicKey, 'hex'))
    .storeBit(0)
    .endCell();
  return contractAddress(0, { code: walletV4R2Code, data }).toString({ bounceable: false });
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
