/**
 * What the answers of a TRON node prove by themselves. The id of a block is a hash of its header, and the header contains the root of a
 * tree of hashes over its transactions, including whether each of them succeeded: no source can leave a transaction out, add or change one
 * without changing the id. The rules are those of java-tron (BlockCapsule, MerkleTree, TransactionCapsule).
 */
import { createHash } from 'node:crypto';
import { bytesField, integerField, optionalBytesField } from './protobuf.ts';

/** `raw_data` of a block's header, as java-tron prints it: what is zero or empty is missing. Hexadecimal, lower case. */
export interface RawHeader {
  number: number;
  /** Milliseconds. */
  timestamp: number;
  parentHash: string;
  txTrieRoot: string;
  witness_id: number;
  witness_address: string;
  version: number;
  accountStateRoot: string;
}

/** A transaction as a block contains it. */
export interface RawTransaction {
  raw_data_hex: string;
  signature: readonly string[];
  ret: readonly RawResult[];
}

interface RawResult {
  contractRet: string;
  /** Chosen by the sender. Undefined: it is not known. */
  fee: bigint | undefined;
  ret: string;
}

const HASH_BYTES = 32;

/** In the order of their numbers. */
export const contractResults = [
  'DEFAULT',
  'SUCCESS',
  'REVERT',
  'BAD_JUMP_DESTINATION',
  'OUT_OF_MEMORY',
  'PRECOMPILED_CONTRACT',
  'STACK_TOO_SMALL',
  'STACK_TOO_LARGE',
  'ILLEGAL_OPERATION',
  'STACK_OVERFLOW',
  'OUT_OF_ENERGY',
  'OUT_OF_TIME',
  'JVM_STACK_OVER_FLOW',
  'UNKNOWN',
  'TRANSFER_FAILED',
  'INVALID_CODE',
];

export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

/** The height, and the last 24 bytes of the header's hash. */
export function toBlockId(header: RawHeader): string {
  const id = Buffer.from(sha256(headerBytes(header)));
  id.writeBigUInt64BE(BigInt(header.number), 0);
  return id.toString('hex');
}

/** What the witness signs. */
export function headerBytes(header: RawHeader): Uint8Array {
  return Buffer.concat([
    integerField(1, header.timestamp),
    optionalBytesField(2, fromHex(header.txTrieRoot)),
    optionalBytesField(3, fromHex(header.parentHash)),
    integerField(7, header.number),
    integerField(8, header.witness_id),
    optionalBytesField(9, fromHex(header.witness_address)),
    integerField(10, header.version),
    optionalBytesField(11, fromHex(header.accountStateRoot)),
  ]);
}

export function toTransactionId(rawData: Uint8Array): string {
  return Buffer.from(sha256(rawData)).toString('hex');
}

/** @returns undefined if a result has a name or a fee that is not known */
function transactionBytes({ raw_data_hex, signature, ret }: RawTransaction): Uint8Array | undefined {
  const results: Uint8Array[] = [];
  for (const { contractRet, fee, ret: code } of ret) {
    const result = contractResults.indexOf(contractRet);
    if (result === -1 || fee === undefined) return undefined;
    const fields = [integerField(1, fee), integerField(2, code === 'FAILED' ? 1 : 0), integerField(3, result)];
    results.push(bytesField(5, Buffer.concat(fields)));
  }
  const signatures = signature.map((one) => bytesField(2, fromHex(one)));
  return Buffer.concat([bytesField(1, fromHex(raw_data_hex)), ...signatures, ...results]);
}

/** Whether the root of a header is that of these transactions. */
export function provesTransactions(txTrieRoot: string, transactions: readonly RawTransaction[]): boolean {
  const leaves: Uint8Array[] = [];
  for (const transaction of transactions) {
    const bytes = transactionBytes(transaction);
    if (!bytes) return false;
    leaves.push(sha256(bytes));
  }
  return Buffer.from(merkleRoot(leaves)).toString('hex') === txTrieRoot;
}

/** A last hash without a partner moves up unchanged. Without transactions the root is zero. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return new Uint8Array(HASH_BYTES);
  let level = leaves;
  while (level.length > 1) {
    const next: Uint8Array[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const [left, right] = [level[index]!, level[index + 1]];
      next.push(right ? sha256(Buffer.concat([left, right])) : left);
    }
    level = next;
  }
  return level[0]!;
}

const fromHex = (text: string) => Buffer.from(text, 'hex');
