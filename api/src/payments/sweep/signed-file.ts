/** The file of signed transactions: written by the offline program, read by `npm run payments -- broadcast`. It contains no secret. */
import * as z from 'zod';

const TRANSACTIONS_MAX = 4000;
/** A sweep has some 200 bytes. */
const DIGITS_MAX = 2000;

export const signedFileSchema = z.object({
  kind: z.literal('cellhop-signed'),
  version: z.literal(1),
  transactions: z
    .array(
      z.object({
        chain: z.enum(['ethereum', 'bsc', 'tron']),
        /** As its nodes take it: on Ethereum and BSC with 0x, on TRON without. What it does is read from it alone. */
        raw: z
          .string()
          .regex(/^(?:0x)?[0-9a-f]+$/)
          .max(DIGITS_MAX),
      }),
    )
    .max(TRANSACTIONS_MAX),
});

export type SignedFile = z.infer<typeof signedFileSchema>;
