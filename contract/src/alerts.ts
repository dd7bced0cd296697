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
  /** By reason: whether to send a mail when the system ends a connection.  */
  endMails: z.strictObject({ noMoney: z.boolean(), idle: z.boolean(), exitLost: z.boolean() }),
  /** Whether messages of the shop to many customers are also sent by email. */
  isNewsMailed: z.boolean(),
  /** Whether answers of support are also sent by email. */
  isTicketMailed: z.boolean(),
  /** Whether an email confirms a credited top-up. */
  isTopUpMailed: z.boolean(),
});
/** Choices that are missing stay as they are: a link in an email may have changed them meanwhile. */
export const saveAlertSettingsBody = alertSettingsSchema.partial({
  isNewsMailed: true,
  isTicketMailed: true,
  isTopUpMailed: true,
});
export type SaveAlertSettingsBody = z.infer<typeof saveAlertSettingsBody>;
export type AlertSettings = z.infer<typeof alertSettingsSchema>;

/**
 * The link in each email of a broadcast: GET shows a page with a button, whose POST switches such emails off. Mail programs POST it, too
 * (RFC 8058), so that it needs no sign-in and answers without a redirect.
 */
export const UNSUBSCRIBE_PATH = '/v1/unsubscribe';

export const unsubscribeQuery = z.strictObject({ code: z.string().min(1).max(200) });

export const getAlertSettings = endpoint({
  method: 'GET',
  url: '/v1/profile/alerts',
  access: 'user',
  summary:
    "The user's settings of alerts about a low balance, traffic caps, ended connections, news, tickets and top-ups",
  response: data(alertSettingsSchema),
});

export const saveAlertSettings = endpoint({
  method: 'PUT',
  url: '/v1/profile/alerts',
  access: 'user',
  summary: 'Replace the settings of alerts',
  body: saveAlertSettingsBody,
  response: data(alertSettingsSchema),
});
