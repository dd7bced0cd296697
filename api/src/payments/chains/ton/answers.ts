/** Answers of both versions of toncenter. */
import { Cell } from '@ton/core';
import { z } from 'zod';

const HASH_BYTES = 32;

/** Base64, of which some sources leave out the padding or use the alphabet of URLs. @returns lower-case hexadecimal digits */
export const hash = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((bytes) => bytes.length === HASH_BYTES, 'must be a hash of 32 bytes')
  .transform((bytes) => bytes.toString('hex'));
const wholeNumber = z.union([z.string().regex(/^\d{1,39}$/), z.number().int().nonnegative()]);
export const big = wholeNumber.transform(BigInt);
/** Version 3 writes some numbers as texts. */
const count = wholeNumber.transform(Number).pipe(z.number().int().nonnegative());
export const seconds = count.transform((value) => new Date(value * 1000));
/** The raw form, in which version 3 has capital letters. */
const account = z
  .string()
  .regex(/^-?\d:[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase());
export const globalId = z.number().int();
export const seqno = z.number().int().nonnegative();
/** The first cell of a bag of cells, as base64. */
export const cell = z.string().transform((text, context) => {
  try {
    return Cell.fromBase64(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a bag of cells' });
    return z.NEVER;
  }
});

const message = z.object({
  source: account.nullish(),
  value: big.nullish(),
  bounced: z.boolean().nullish(),
  message_content: z.object({ body: cell.nullish() }).nullish(),
});

export const transaction = z.object({
  account,
  hash,
  lt: big,
  now: seconds,
  mc_block_seqno: seqno.nullish(),
  prev_trans_hash: hash.nullish(),
  prev_trans_lt: big.nullish(),
  description: z.object({
    aborted: z.boolean().nullish(),
    compute_ph: z.object({ skipped: z.boolean().nullish(), exit_code: z.number().int().nullish() }).nullish(),
  }),
  in_msg: message.nullish(),
  out_msgs: z.array(z.object({ bounced: z.boolean().nullish() })).nullish(),
  emulated: z.boolean().nullish(),
  /** Older releases list only what is final, and do not say so. */
  finality: z.string().nullish(),
});
export type PrintedTransaction = z.output<typeof transaction>;

export const masterBlock = z.object({
  workchain: z.literal(-1),
  seqno,
  root_hash: hash,
  gen_utime: seconds,
  start_lt: big,
  global_id: globalId,
});

export const accountState = z.object({
  address: account,
  balance: big.nullish(),
  status: z.enum(['active', 'frozen', 'uninit', 'nonexist']),
  data_boc: z.string().nullish(),
  last_transaction_lt: big.nullish(),
  last_transaction_hash: hash.nullish(),
});
