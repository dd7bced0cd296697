/** Security notices by mail, so that users can react to changes of their account that they did not make. */
import { validAddress, deviceName, type Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { send, sendAfterwards } from '../mails/mails.service.ts';
import { findUser } from '../users/users.service.ts';
import type { Recipient } from './codes.ts';

/** Call it in the transaction of the change. */
export async function sendSecurityMail(
  ctx: Ctx,
  template: 'password-changed' | 'new-sign-in',
  { userId, email, languageCode }: Recipient,
  requester: Requester,
): Promise<void> {
  const values = { link: restoringLink(ctx), ...describe(requester) };
  await send(ctx, userId, { template, to: email, languageCode, values }, null);
}

/** Call it in the transaction that switches two-factor sign-in off. @param requester undefined: not the user */
export async function mailSecondFactorOff(ctx: Ctx, userId: string, requester?: Requester): Promise<void> {
  const { email: to, languageCode } = (await findUser(ctx, userId))!;
  const values = { link: restoringLink(ctx), ...describeOwn(requester) };
  await send(ctx, userId, { template: 'second-factor-off', to, languageCode, values }, null);
}

/** Call it in the transaction of the deletion, before the address is removed. @param requester undefined: not the user */
export async function mailAccountDeleted(ctx: Ctx, userId: string, requester?: Requester): Promise<void> {
  const { email: to, languageCode } = (await findUser(ctx, userId))!;
  const { contactEmail, publicUrl } = ctx.config;
  const link = contactEmail === undefined ? `${publicUrl}/` : `mailto:${contactEmail}`;
  // The same transaction may take the rest of the balance.
  const values = { link, ...describeOwn(requester) };
  await sendAfterwards(ctx, userId, { template: 'account-deleted', to, languageCode, values });
}

const restoringLink = ({ config }: Ctx) => `${config.publicUrl}/restore-access`;

const describe = (requester: Requester) => ({
  device: deviceName(requester),
  address: validAddress(requester) ?? '',
  at: new Date().toISOString(),
});

/** Users do not learn from where staff work. */
const describeOwn = (requester?: Requester) => (requester ? describe(requester) : { at: new Date().toISOString() });
