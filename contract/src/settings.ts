import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { data } from './schemas.ts';

/** What the web app must know of the installation before anybody has signed in. */
export const settingsSchema = z.object({
  brandName: z.string(),
  isDevelopment: z.boolean(),
  /** Origin under which customers reach the service, without a trailing slash. */
  publicUrl: z.string(),
  /** Whom a blocked user can write to. */
  contactEmail: z.string().nullable(),
});
export type Settings = z.infer<typeof settingsSchema>;
export const getSettings = endpoint({
  method: 'GET',
  url: '/v1/settings',
  access: 'public',
  summary: 'Public settings of this installation',
  response: data(settingsSchema),
});
