/** Alerts by email, for users who have not switched them off. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';
import type { AlertMail } from '../../mail/templates.ts';
import { send } from '../mails/mails.service.ts';

/** After a day an alert is out of date. */
export const ALERT_EXPIRY_MS = 24 * 60 * 60 * 1000;

export interface AlertRecipient {
  userId: string;
  email: string;
  languageCode: LanguageCode;
  isMailed: boolean;
}

/** Call it in the transaction that records the alert. */
export async function mailAlert(
  ctx: Ctx,
  { userId, email, languageCode, isMailed }: AlertRecipient,
  mail: AlertMail,
): Promise<void> {
  if (isMailed) await send(ctx, userId, { ...mail, to: email, languageCode }, new Date(Date.now() + ALERT_EXPIRY_MS));
}
