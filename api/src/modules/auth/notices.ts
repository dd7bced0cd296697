/** Mails that tell a user what was done with his account, so that he can act if it was not he. */
import { addressOf, deviceOf, type Client } from '../../client.ts';
import type { Ctx } from '../../ctx.ts';
import { enqueue } from '../../jobs.ts';
import { sealMail } from '../../mail/mail-orders.ts';
import type { Recipient } from './codes.ts';

/** In the transaction of what it tells. */
export function sendNotice(
  ctx: Ctx,
  template: 'password-changed' | 'new-sign-in',
  { email, languageCode }: Omit<Recipient, 'userId'>,
  client: Client,
): Promise<void> {
  const values = {
    link: `${ctx.config.publicUrl}/restore-access`,
    device: deviceOf(client),
    address: addressOf(client) ?? '',
    at: new Date().toISOString(),
  };
  return enqueue(ctx, 'mail.deliver', sealMail(ctx, { template, to: email, languageCode, values }, null));
}
