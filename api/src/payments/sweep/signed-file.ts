/** The file of signed transactions: written by the offline program, read by `npm run payments -- broadcast`. It contains no secret. */
import * as z from 'zod';
import { chainsWith } from '../chains/descriptors.ts';

const TRANSACTIONS_MAX = 4000;
/** A sweep has some 200 bytes; of TON 1,100, with the code of the wallet. */
const DIGITS_MAX = 4000;

export const signedFileSchema = z.object({
  kind: z.literal('cellhop-signed'),
  version: z.literal(1),
  transactions: z
    .array(
      z.object({
        chain: z.enum(chainsWith('sweep')),
        /** As its nodes take it: on Ethereum and BSC with 0x, on TRON and TON without. What it does is read from it alone. */
        raw: z
          .string()
          .regex(/^(?:0x)?[0-9a-f]+$/)
          .max(DIGITS_MAX),
      }),
    )
    .max(TRANSACTIONS_MAX),
});

export type SignedFile = z.infer<typeof signedFileSchema>;
