import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { rotationLinkSchema } from '../rotation-links.ts';
import { data, idParams, idSchema, reasonSchema } from '../schemas.ts';

const ROTATION_COOLDOWN_SECONDS_MAX = 86_400;
const ROTATIONS_PER_HOUR_MAX = 3600;

/** How often the address of an exit may change; null: the settings apply. */
export const rotationLimitsSchema = z.object({
  cooldownSeconds: z.int().min(1).max(ROTATION_COOLDOWN_SECONDS_MAX).nullable(),
  changesPerHour: z.int().min(1).max(ROTATIONS_PER_HOUR_MAX).nullable(),
});
export type RotationLimits = z.infer<typeof rotationLimitsSchema>;

const rotationChangeSchema = z.strictObject({
  ...rotationLimitsSchema.shape,
  /** Absent: stays as it is. Null: is removed. No response ever contains it. */
  link: rotationLinkSchema.nullable().optional(),
  reason: reasonSchema.optional(),
});
export type RotationChange = z.infer<typeof rotationChangeSchema>;

export const changeExitRotation = endpoint({
  method: 'PUT',
  url: '/v1/proxies/admin/exits/{id}/rotation',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Set the link that changes the address of an exit, and how often; only where one proxy uses the exit',
  params: idParams,
  body: rotationChangeSchema,
  response: data(z.object({ id: idSchema })),
  errors: ['NOT_FOUND', 'EXIT_SHARED'],
});
