/** Answers of java-tron. What is zero, empty or the default is missing in them, and an empty object means that there is nothing. */
import { z } from 'zod';
import { toBlockId } from './block-proof.ts';

/** What `getblockbylimitnext` accepts. */
const BODIES_MAX = 100;
/** Integers of 64 bits, which java-tron prints as they are. As text they do not become floats; a text inside JSON has its quotes escaped. */
const LARGE_INTEGER = /"(fee|balance)":\s*(-?\d{16,19})\b/g;

export const parseExactly = (text: string): unknown => JSON.parse(text.replaceAll(LARGE_INTEGER, '"$1":"$2"'));

const hex = z
  .string()
  .regex(/^(?:[0-9a-f]{2})*$/i)
  .toLowerCase();
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/i)
  .toLowerCase();
const count = z.number().int().nonnegative();

const rawHeader = z.object({
  number: count.default(0),
  timestamp: count.default(0),
  parentHash: hash,
  txTrieRoot: hex.default(''),
  witness_id: count.default(0),
  witness_address: hex.default(''),
  version: count.default(0),
  accountStateRoot: hex.default(''),
});

const header = z.object({ blockID: hash, block_header: z.object({ raw_data: rawHeader }) });

const int64 = z.union([z.number().int(), z.string().regex(/^-?\d{1,19}$/)]).transform(BigInt);

/** A sender chooses all of it but `contractRet`: what is not understood makes a block unprovable, and the answer not invalid. */
const result = z.object({
  contractRet: z.string().default('DEFAULT').catch('?'),
  fee: int64
    .optional()
    .default(0n)
    .catch(undefined as never),
  ret: z.string().default('').catch('?'),
});

/** Without `txID`: the id of a transaction is the hash of its bytes. */
const transaction = z.object({
  raw_data_hex: hex,
  signature: z.array(hex).default([]),
  ret: z.array(result).default([]),
});

const block = header.extend({ transactions: z.array(transaction).default([]) });

const toHeader = ({ blockID: id, block_header: { raw_data: raw } }: z.output<typeof header>) => ({
  id,
  raw,
  height: raw.number,
  parentId: raw.parentHash,
  time: new Date(raw.timestamp),
});

/** A header whose id is not its hash was not made by a node. */
const hasItsId = ({ id, raw }: { id: string; raw: z.output<typeof rawHeader> }) => toBlockId(raw) === id;
const wrongId = 'the id of the block is not the hash of its header';

export const headerSchema = header.transform(toHeader).refine(hasItsId, wrongId);
export const blockSchema = block
  .transform((value) => ({ ...toHeader(value), transactions: value.transactions }))
  .refine(hasItsId, wrongId);

export type TronHeader = z.output<typeof headerSchema>;
export type TronBlock = z.output<typeof blockSchema>;

/** Answers without anything in them. @returns undefined for an empty object */
export function orNothing<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (isEmpty(value) ? undefined : value), schema.optional());
}

const isEmpty = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

/** At most as many blocks as were asked for. */
export const bodiesSchema = orNothing(z.object({ block: z.array(blockSchema).max(BODIES_MAX) }));

const digits = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`, 'i'))
    .toLowerCase();

/** `TransactionInfo`: addresses of its logs have 20 bytes, and nothing has 0x. */
export const infoSchema = z.object({
  id: hash,
  blockNumber: count,
  receipt: z.object({ result: z.string().default('SUCCESS') }).default({ result: 'SUCCESS' }),
  log: z
    .array(z.object({ address: digits(20), topics: z.array(digits(32)).max(4).default([]), data: hex.default('') }))
    .default([]),
});

/** Without an address it is no account: some providers refuse calls with status 200. */
export const accountSchema = orNothing(z.object({ address: z.string(), balance: int64.default(0n) }));

/** A call that changes nothing. If the contract refuses, `result.result` says true, but the transaction has failed. */
export const constantSchema = z.object({
  result: z.object({ result: z.boolean().default(false), code: z.string().default('CONTRACT_VALIDATE_ERROR') }),
  constant_result: z.array(hex).default([]),
  transaction: z.object({ ret: z.array(z.object({ ret: z.string().default('') })).default([]) }).default({ ret: [] }),
});

/** What an account has by itself, and by staking. */
export const resourcesSchema = z.object({
  freeNetLimit: count.default(0),
  freeNetUsed: count.default(0),
  NetLimit: count.default(0),
  NetUsed: count.default(0),
  EnergyLimit: count.default(0),
  EnergyUsed: count.default(0),
});

export const parametersSchema = z.object({
  chainParameter: z.array(z.object({ key: z.string(), value: z.number().int().default(0) })),
});

export type TronInfo = z.output<typeof infoSchema>;
