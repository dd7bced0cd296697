/** With a block of the test network Nile, a header of the main network (of its 21st version), and a newer one of Nile. */
import { describe, expect, it, test } from 'vitest';
import { recoverSigner } from '../../../../test/chains/tron/keys.ts';
import { headerBytes, merkleRoot, provesTransactions, sha256, toBlockId, toTransactionId } from './block-proof.ts';
import mainnetBlock from './fixtures/tron-mainnet-30864544-header.json' with { type: 'json' };
import nileBlock from './fixtures/tron-nile-13232131.json' with { type: 'json' };
import { blockSchema, headerSchema } from './answers.ts';
import { readContract, readTokenCall } from './transaction.ts';

const nileHeader = {
  blockID: '0000000003fe262d52bfa4b2814f816fd2e57af5b98a33d60d8630a03a908e0e',
  block_header: {
    raw_data: {
      number: 66987565,
      txTrieRoot: 'faf8fe3858339ead25cc892461c82a59b84dca4a51c45b026676bf3f45a352a2',
      witness_address: '41b2f713d57dbcec679d93a8849fa0cd0e4db594ba',
      parentHash: '0000000003fe262c85cd6b02033f4c3e5c1efa35de256a17bd906dc61fb1aeed',
      version: 34,
      timestamp: 1777445121000,
    },
    witness_signature:
      '5b3cf6cb15d52947989f7726f4907a144b39ccd667a1a0f98707b40cdfe65b96173ddf34ae8dcc5e78f136e0cf903a15c7128984aa2191f02333209d1879d3f900',
  },
};
const hex = (text: string) => Buffer.from(text, 'hex');
const pair = (left: Uint8Array, right: Uint8Array) => sha256(Buffer.concat([left, right]));
const nile = blockSchema.parse(nileBlock);
const { txTrieRoot } = nile.raw;

describe('a header of a real chain', () => {
  it.each([
    ['Nile, 13232131', nileBlock],
    ['the main network, 30864544', mainnetBlock],
    ['Nile, 66987565', nileHeader],
  ])('has the hash that is its id, and the signature of its witness: %s', (_, block) => {
    const { raw, id } = headerSchema.parse(block);
    expect(toBlockId(raw)).toBe(id);
    const signature = hex(block.block_header.witness_signature);
    expect(recoverSigner(sha256(headerBytes(raw)), signature)).toBe(raw.witness_address);
  });

  it('has another hash if anything in it is changed', () => {
    const { raw, id } = headerSchema.parse(nileHeader);
    for (const change of [{ timestamp: 1 }, { txTrieRoot: '00' }, { version: 33 }, { accountStateRoot: '01' }])
      expect(toBlockId({ ...raw, ...change })).not.toBe(id);
  });
});

describe('transactions of a real block', () => {
  it('have the root of its header', () => {
    expect(nile.transactions).toHaveLength(3);
    expect(provesTransactions(txTrieRoot, nile.transactions)).toBe(true);
  });

  it('have another root if one is left out, added, moved or changed, or its result is', () => {
    const [a, b, c] = nile.transactions as [never, never, never];
    const first = nile.transactions[0]!;
    const forged = [
      [],
      [a, b],
      [a, b, c, c],
      [b, a, c],
      [{ ...first, ret: [{ ...first.ret[0]!, contractRet: 'REVERT' }] }, b, c],
      [{ ...first, ret: [{ ...first.ret[0]!, contractRet: 'NEW_RESULT' }] }, b, c],
      [{ ...first, ret: [{ ...first.ret[0]!, fee: 1n }] }, b, c],
      [{ ...first, ret: [] }, b, c],
      [{ ...first, signature: [] }, b, c],
      [{ ...first, raw_data_hex: first.raw_data_hex.replace('8ba43', '8ba44').slice(0, -2) }, b, c],
    ];
    for (const transactions of forged) expect(provesTransactions(txTrieRoot, transactions)).toBe(false);
  });

  it('have ids that are hashes of their bytes, and say what they do', () => {
    for (const { txID, raw_data_hex } of [...nileBlock.transactions, ...mainnetBlock.transactions])
      expect(toTransactionId(hex(raw_data_hex))).toBe(txID);
    expect(readContract(hex(nile.transactions[0]!.raw_data_hex))).toEqual({
      kind: 'TRANSFER',
      owner: '4141f0a2b01c950b4d38c9abfe9b96579dea065168',
      to: '412e961e2d6493b2bc728d06d024c0e2a631063538',
      units: 5_000_000_000n,
    });
    const call = readContract(hex(nile.transactions[2]!.raw_data_hex));
    expect(call).toMatchObject({ kind: 'CALL', contract: '4135cf7d6a20a1f7149e5f99442334257a95e8f28e' });
    expect(call?.kind === 'CALL' && readTokenCall(call.data)).toEqual({
      to: '4101c12a552c8a35051153c05792249d2512f011ba',
      units: 0x112209c76de80000n,
    });
  });

  it('are transfers of TRX only by the type and the name of their message', () => {
    const [transfer] = nile.transactions;
    const rawData = transfer!.raw_data_hex;
    const asTrc10 = rawData.replace('5a6908011265', '5a6908021265');
    expect(asTrc10).not.toBe(rawData);
    expect(readContract(hex(asTrc10))).toBeUndefined();
    const name = Buffer.from('TransferContract').toString('hex');
    const otherName = Buffer.from('TransferContracU').toString('hex');
    expect(readContract(hex(rawData.replace(name, otherName)))).toBeUndefined();
    // Two contracts in one transaction, of which java-tron accepts none.
    const contract = rawData.slice(rawData.indexOf('5a69'), rawData.indexOf('5a69') + 2 * (2 + 0x69));
    expect(readContract(hex(rawData + contract))).toBeUndefined();
    expect(readContract(hex(rawData.slice(0, -1)))).toBeUndefined();
  });
});

test('the root of no transactions is zero, and a hash without a partner moves up', () => {
  expect(merkleRoot([])).toEqual(new Uint8Array(32));
  const [a, b, c] = [1, 2, 3].map((byte) => sha256(Uint8Array.of(byte))) as [Uint8Array, Uint8Array, Uint8Array];
  expect(merkleRoot([a])).toEqual(a);
  expect(merkleRoot([a, b, c])).toEqual(pair(pair(a, b), c));
});
