import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ALERT_DOLLARS_MAX } from './limits.ts';
import { dollarsWithin } from './fields.ts';
import { data } from './schemas.ts';

const alertSettingsSchema = z.strictObject({
  /** US dollars: an alert is sent when the balance falls below. 0: no alert. Null: the price of 50 MB, but at least $1. */
  lowBalance: dollarsWithin(0, ALERT_DOLLARS_MAX).nullable(),
  /** Whether alerts are also sent by email. */
  isMailed: z.boolean(),
  /** By reason: whether to send a mail when the system ends a connection. Missing in requests of older pages: then nothing changes. */
  endMails: z.strictObject({ noMoney: z.boolean(), idle: z.boolean(), exitLost: z.boolean() }),
});
export type AlertSettings = z.infer<typeof alertSettingsSchema>;

export const getAlertSettings = endpoint({
  method: 'GET',
  url: '/v1/profile/alerts',
  access: 'user',
  summary: "The user's settings of alerts about a low balance, traffic caps and ended connections",
  response: data(alertSettingsSchema),
});

export const saveAlertSettings = endpoint({
  method: 'PUT',
  url: '/v1/profile/alerts',
  access: 'user',
  summary: 'Replace the settings of alerts',
  body: alertSettingsSchema,
  response: data(alertSettingsSchema),
});
