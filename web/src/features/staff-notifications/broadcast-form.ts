import type { SendBroadcastBody } from '@cellhop/contract/staff/notifications';
import {
  audienceSchema,
  type Audience,
  type NotificationText,
  notificationTextSchema,
} from '@cellhop/contract/staff/notifications.forms';
import { z } from 'zod';
import { startOfDay } from '../../format/day.ts';
import { numberText } from '../../format/number-text.ts';

/** Empty details are left out. */
export const notificationForm = z
  .object({
    description: notificationTextSchema.shape.description,
    content: z
      .string()
      .transform((text) => (text.trim() === '' ? undefined : text))
      .pipe(notificationTextSchema.shape.content),
  })
  .transform(({ description, content }): NotificationText => ({
    description,
    ...(content !== undefined && { content }),
  }));
export type NotificationForm = z.input<typeof notificationForm>;

export const emptyNotification: NotificationForm = { description: '', content: '' };

const { shape } = audienceSchema;

/** The filter as fields: '' means that it is not used. */
const audienceForm = z.object({
  languageCode: z.enum(['', 'en', 'ru']),
  status: z.enum(['ACTIVE', 'BLOCKED']),
  confirmed: z.enum(['YES', 'NO']),
  connection: z.enum(['', 'YES', 'NO']),
  roleName: z
    .string()
    .transform((text) => (text.trim() === '' ? undefined : text.trim()))
    .pipe(shape.roleName),
  /** The first and the last day of registration. */
  firstDay: z.string(),
  lastDay: z.string(),
  balanceFrom: numberText('money', shape.balanceFrom),
  balanceBelow: numberText('money', shape.balanceBelow),
  /** Separated by spaces, commas or lines. */
  userIds: z
    .string()
    .transform((text) => (text.trim() === '' ? undefined : text.trim().split(/[\s,;]+/)))
    .pipe(shape.userIds),
});

export const broadcastForm = z
  .object({ en: notificationForm, ru: notificationForm, audience: audienceForm })
  .transform(({ en, ru, audience }): SendBroadcastBody => ({ texts: { en, ru }, audience: toAudience(audience) }));
export type BroadcastForm = z.input<typeof broadcastForm>;

/** Defaults of the API are left out, so that the list does not show them as filters. */
function toAudience(form: z.output<typeof audienceForm>): Audience {
  const { languageCode, status, confirmed, connection, roleName, firstDay, lastDay } = form;
  const { balanceFrom, balanceBelow, userIds } = form;
  return {
    ...(languageCode !== '' && { languageCode }),
    ...(status !== 'ACTIVE' && { status }),
    ...(confirmed === 'NO' && { isConfirmed: false }),
    ...(connection !== '' && { hasOpenConnection: connection === 'YES' }),
    ...(roleName !== undefined && { roleName }),
    ...(firstDay !== '' && { registeredFrom: startOfDay(firstDay).toISOString() }),
    ...(lastDay !== '' && { registeredBefore: startOfDay(lastDay, 1).toISOString() }),
    ...(balanceFrom !== undefined && { balanceFrom }),
    ...(balanceBelow !== undefined && { balanceBelow }),
    ...(userIds !== undefined && { userIds }),
  };
}

export const emptyBroadcast: BroadcastForm = {
  en: emptyNotification,
  ru: emptyNotification,
  audience: {
    languageCode: '',
    status: 'ACTIVE',
    confirmed: 'YES',
    connection: '',
    roleName: '',
    firstDay: '',
    lastDay: '',
    balanceFrom: '',
    balanceBelow: '',
    userIds: '',
  },
};
