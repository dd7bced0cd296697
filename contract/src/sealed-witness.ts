import { z } from 'zod';

/**
 * What the API remembers outside of its database: which deposit addresses were shown. Nodes keep the one with the highest number for it, and hand
 * it back with `hello`. They cannot read it, and none is accepted that the API has not sealed. Absent before 0.4.0.
 */
export const sealedWitnessSchema = z.object({
  sequence: z.int().nonnegative(),
  sealed: z.base64().max(16_384),
});
export type SealedWitness = z.infer<typeof sealedWitnessSchema>;
