import { z } from 'zod';
import { parsePorts } from './connection-limits.values.ts';
import { CONNECTION_BYTES_PER_SECOND_MAX, CONNECTION_BYTES_PER_SECOND_MIN, CONNECTION_TUNNELS_MAX } from './limits.ts';

/** In canonical form. */
export const portRuleSchema = z
  .string()
  .max(1000)
  .refine((text) => parsePorts(text) !== undefined, 'must look like "deny 25 465-587" or "allow 80 443"')
  .overwrite((text) => parsePorts(text) ?? text);
export const tunnelsSchema = z.int().min(1).max(CONNECTION_TUNNELS_MAX);
export const bytesPerSecondSchema = z.int().min(CONNECTION_BYTES_PER_SECOND_MIN).max(CONNECTION_BYTES_PER_SECOND_MAX);

/** What a proxy limits besides its traffic. In the inventory, null is the setting of the shop; everywhere else, no limit. */
export const connectionLimitsSchema = z.object({
  /** Which ports of destinations are allowed. */
  ports: portRuleSchema.nullable(),
  /** Open at the same time. */
  tunnels: tunnelsSchema.nullable(),
  /** Both directions and all tunnels together. */
  bytesPerSecond: bytesPerSecondSchema.nullable(),
});
export type ConnectionLimits = z.infer<typeof connectionLimitsSchema>;

/** What gateways get: without the bounds of forms: an API of a newer release may have wider ones. Null: no limit. */
export const sentLimitsSchema = z.object({
  ports: z.string().max(1000).nullable(),
  tunnels: z.int().positive().nullable(),
  bytesPerSecond: z.int().positive().nullable(),
});
