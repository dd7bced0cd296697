import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { data, epochMsSchema, idParams, idSchema, reasonSchema } from '../schemas.ts';

export const viewSchema = z.object({
  id: idSchema,
  user: z.object({ id: idSchema, email: z.string() }),
  /** For GET requests to the user's own endpoints, without exports. It cannot be refreshed. */
  accessToken: z.string(),
  expiredAccessTokenAt: epochMsSchema,
});
export type View = z.infer<typeof viewSchema>;

export const startView = endpoint({
  method: 'POST',
  url: '/v1/users/admin/{id}/views',
  access: { permission: 'USERS_VIEW_AS' },
  summary: 'See the app as a user for 30 minutes, read-only; the user is notified',
  params: idParams,
  body: z.strictObject({ reason: reasonSchema }),
  response: data(viewSchema),
  status: 201,
  errors: ['NOT_FOUND', 'PERMISSION_LACKING', 'TOO_MANY_VIEWS'],
});

export const endView = endpoint({
  method: 'POST',
  url: '/v1/users/admin/views/{id}/end',
  access: { permission: 'USERS_VIEW_AS' },
  summary: 'Stop seeing the app as a user',
  params: idParams,
  response: data(z.object({ endedAt: z.iso.datetime() })),
  errors: ['NOT_FOUND'],
});
