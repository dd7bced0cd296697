/** @module-tag thorough */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildStateTrie } from '../../../test/chains/state-trie.ts';
import { readProvenBalance } from './evm-proof.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const ownerOf = (index: number) => `0x${createHash('sha256').update(String(index)).digest('hex').slice(0, 40)}`;
const balances = new Map(
  Array.from({ length: scaled(100, 300) }, (_, index) => [ownerOf(index), BigInt(index) ** 12n]),
);
const { stateRoot, prove } = buildStateTrie(balances);

const changed = (hex: string, at: number) => hex.slice(0, at) + (hex[at] === '0' ? '1' : '0') + hex.slice(at + 1);

describe('a proof of a balance', () => {
  it('is accepted for every account, however large', { tags: ['long'] }, () => {
    for (const [owner, balance] of balances) expect(readProvenBalance(stateRoot, owner, prove(owner))).toBe(balance);
  });

  it('proves that there is no account', { tags: ['long'] }, () => {
    for (let index = 1000; index < 1000 + scaled(33, 100); index += 1)
      expect(readProvenBalance(stateRoot, ownerOf(index), prove(ownerOf(index)))).toBe(0n);
  });

  it('is refused if any byte of it or of the root is another one', () => {
    const owner = ownerOf(7);
    const proof = prove(owner);
    for (const [index, node] of proof.entries()) {
      for (let at = 2; at < node.length; at += 1)
        expect(readProvenBalance(stateRoot, owner, proof.with(index, changed(node, at)))).toBeUndefined();
    }
    for (let at = 2; at < stateRoot.length; at += 1)
      expect(readProvenBalance(changed(stateRoot, at), owner, proof)).toBeUndefined();
  });

  it.each([
    ['of another account', prove(ownerOf(8))],
    ['without its last node', prove(ownerOf(7)).slice(0, -1)],
    ['without its first node', prove(ownerOf(7)).slice(1)],
    ['without nodes', []],
    ['of empty nodes', ['0x', '0x']],
  ])('%s is refused', (_name, proof) => {
    expect(readProvenBalance(stateRoot, ownerOf(7), proof)).toBeUndefined();
  });
});
