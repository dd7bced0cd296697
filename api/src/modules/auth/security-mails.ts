/** Security notices by mail, so that users can react to changes of their account that they did not make. */
import { validAddress, deviceName, type Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { send } from '../mails/mails.service.ts';
import type { Recipient } from './codes.ts';

/** Call it in the transaction of the change. */
export async function sendSecurityMail(
  ctx: Ctx,
  template: 'password-changed' | 'new-sign-in',
  { userId, email, languageCode }: Recipient,
  requester: Requester,
): Promise<void> {
  const values = {
    link: `${ctx.config.publicUrl}/restore-access`,
    device: deviceName(requester),
    address: validAddress(requester) ?? '',
    at: new Date().toISOString(),
  };
  await send(ctx, userId, { template, to: email, languageCode, values }, null);
}
