/** What a sender may put into a transaction of TRON, and into its result. */
import type { Random } from '../../../../tools/random.ts';
import {
  bytesField,
  type Field,
  integerField,
  readFields,
  readMessage,
} from '../../../src/payments/chains/tron/protobuf.ts';
import type { TronChain } from './chain.ts';
import { type Contract, signTransaction } from './transactions.ts';

const CONTRACTS_FIELD = 11;
const PARAMETER_FIELD = 2;
const INTEGERS = [1n, -1n, 2n ** 31n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)];
/** No message has them. */
const UNKNOWN = [99, 1002, 536_870_911];

const bytes = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));
const anyBytes = (random: Random) => bytes(random, random.pick([0, 1, 16, 32, 300]));

/** Fields with these numbers, of the type that java-tron has, and of none. */
function anyFields(random: Random, integers: readonly number[], texts: readonly number[]): Uint8Array {
  const known = [
    ...integers.map((number) => integerField(number, random.pick(INTEGERS))),
    ...texts.map((number) => bytesField(number, anyBytes(random))),
  ];
  const unknown = [
    integerField(random.pick(UNKNOWN), random.pick(INTEGERS)),
    bytesField(random.pick(UNKNOWN), anyBytes(random)),
    // Of 64 and of 32 bits, and an empty group.
    Buffer.concat([Buffer.from([0xb9, 0x06]), bytes(random, 8)]),
    Buffer.concat([Buffer.from([0xbd, 0x06]), bytes(random, 4)]),
    Buffer.from([0xbb, 0x06, 0xbc, 0x06]),
  ];
  return Buffer.concat([...known, ...unknown].filter(() => random.below(3) === 0));
}

const encode = (fields: readonly Field[]): Buffer =>
  Buffer.concat(
    fields.map(({ number, integer, bytes }) => (bytes ? bytesField(number, bytes) : integerField(number, integer!))),
  );

/** Adds to each level of the transaction what its sender may add. */
function withStrangeFields(rawData: Uint8Array, random: Random): Uint8Array {
  const fields = readFields(rawData);
  const contract = readMessage(fields, CONTRACTS_FIELD).map((field) =>
    field.number === PARAMETER_FIELD
      ? { number: PARAMETER_FIELD, bytes: Buffer.concat([field.bytes!, anyFields(random, [], [])]) }
      : field,
  );
  // Provider, name and permission.
  const changed = Buffer.concat([encode(contract), anyFields(random, [5], [3, 4])]);
  const others = fields.filter(({ number }) => number !== CONTRACTS_FIELD);
  // The number of a block, permissions, a memo and scripts.
  const added = anyFields(random, [3], [9, 10, 12]);
  const parts = [encode(others), bytesField(CONTRACTS_FIELD, changed), added];
  return Buffer.concat(random.below(2) === 0 ? parts : parts.toReversed());
}

/** Fee, code, amounts of other kinds of transactions, ids of assets and orders. */
export const strangeResult = (random: Random): Uint8Array =>
  anyFields(random, [1, 2, 15, 16, 18, 19, 20, 21, 22, 27], [14, 23, 24]);

/** @returns the id */
export function sendStrange(chain: TronChain, contract: Contract, random: Random, sent: number): string {
  const built = chain.build(contract, {
    timeMs: chain.head.timeMs + sent,
    expiresMs: chain.head.timeMs + random.pick([1, 60_000, 86_400_000]),
    feeLimit: random.pick([0n, 1n, 15_000_000_000n, 2n ** 63n - 1n]),
  });
  const transaction = signTransaction(chain.bank, withStrangeFields(built, random));
  chain.broadcast(transaction);
  return transaction.id;
}
