/** Answers of java-tron. What is zero, empty or the default is missing in them, and an empty object means that there is nothing. */
import { z } from 'zod';
import { toBlockId } from './block-proof.ts';

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

/** Without `txID`: the id of a transaction is the hash of its bytes. */
const transaction = z.object({
  raw_data_hex: hex,
  signature: z.array(hex).default([]),
  ret: z
    .array(z.object({ contractRet: z.string().default('DEFAULT'), fee: count.default(0), ret: z.string().default('') }))
    .default([]),
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
