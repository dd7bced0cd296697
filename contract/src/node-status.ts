import { z } from 'zod';
import { nodeCertificateSchema } from './certificates.ts';

/** The status that a node reports about itself. `relay` moves the bytes of new tunnels (`splice`: native code); nodes of 0.4.0 do not say it. */
export const nodeStatusSchema = z.object({
  softwareVersion: z.string().max(40),
  tunnels: z.int().nonnegative(),
  /** The mean since the last report. */
  bytesPerSecond: z.int().nonnegative(),
  relay: z.string().max(20).optional(),
  /** With which it serves https proxies. Absent: none, or a gateway of 0.4.0. */
  certificate: nodeCertificateSchema.optional(),
});
export type NodeStatus = z.infer<typeof nodeStatusSchema>;
