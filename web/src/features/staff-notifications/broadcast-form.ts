import { BROADCAST_DAYS_AHEAD_MAX } from '@cellhop/contract/limits';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { SendBroadcastBody } from '@cellhop/contract/staff/notifications';
import {
  audienceSchema,
  type Audience,
  type BroadcastTexts,
  type NotificationText,
  notificationTextSchema,
  requiredLanguages,
} from '@cellhop/contract/staff/notifications.forms';
import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { formErrorMap } from '../../data/form-errors.ts';
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

/** As typed: which of the texts are needed depends on the filter. */
const typedText = z.object({ description: z.string(), content: z.string() });

export const broadcastForm = z
  .object({
    en: typedText,
    ru: typedText,
    audience: audienceForm,
    when: z.enum(['NOW', 'LATER']),
    /** In the user's time zone; '' for none, undefined while the text is not a time. */
    minute: z.string().optional(),
    isMailed: z.boolean(),
  })
  .transform((form, context): SendBroadcastBody => {
    const audience = toAudience(form.audience);
    const scheduledAt = form.when === 'NOW' ? undefined : toSchedule(form.minute, context);
    return {
      texts: toTexts(form, audience, context),
      audience,
      isMailed: form.isMailed,
      ...(scheduledAt !== undefined && { scheduledAt }),
    };
  });

type Context = z.RefinementCtx;

function toTexts(texts: Record<LanguageCode, NotificationForm>, audience: Audience, context: Context): BroadcastTexts {
  const given: BroadcastTexts = {};
  for (const language of requiredLanguages(audience)) {
    const { data, error } = notificationForm.safeParse(texts[language], { error: formErrorMap });
    if (data !== undefined) given[language] = data;
    for (const { message, path } of error?.issues ?? [])
      context.addIssue({ code: 'custom', message, path: [language, ...path] });
  }
  return given;
}

const DAY_MS = 86_400_000;

function toSchedule(minute: string | undefined, context: Context): string | undefined {
  const aheadMs = minute === undefined || minute === '' ? 0 : Date.parse(minute) - Date.now();
  if (minute !== undefined && aheadMs > 0 && aheadMs <= BROADCAST_DAYS_AHEAD_MAX * DAY_MS)
    return new Date(minute).toISOString();
  context.addIssue({ code: 'custom', message: 'invalid', path: ['minute'] });
  return undefined;
}

export type BroadcastForm = z.input<typeof broadcastForm>;
export type BroadcastFormState = UseFormReturn<BroadcastForm, unknown, SendBroadcastBody>;

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
  when: 'NOW',
  minute: '',
  isMailed: false,
};
