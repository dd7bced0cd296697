/** Accounts: signing up, confirming the email, signing in, getting back in. */
import type { SetPasswordBody, SignInBody, SignInResult, SignUpBody } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as referrals from '../referrals/referrals.service.ts';
import * as users from '../users/users.service.ts';
import { countFailure, countSignUp, forgetFailures, refuseGuessing } from './attempts.ts';
import * as store from './auth.store.ts';
import { hashEmail, secondsUntilSending, sendCode, type Sending } from './codes.ts';
import * as codes from './codes.store.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import * as sessions from './sessions.service.ts';
import { revokeSessionsOfUser } from './sessions.store.ts';
import { hashSecret } from './tokens.ts';

/** @throws AppError REFERRAL_CODE_NOT_FOUND, EMAIL_EXISTS, RATE_LIMITED */
export async function signUp(ctx: Ctx, body: SignUpBody, ip: string): Promise<Sending> {
  const email = normalise(body.email);
  await countSignUp(ctx, ip);
  const referrer = await referrals.findReferrer(ctx, body.referralCode);
  if (!referrer) throw new AppError('REFERRAL_CODE_NOT_FOUND');
  if (await store.findCredentials(ctx, email)) throw new AppError('EMAIL_EXISTS');
  const passwordHash = await hashPassword(body.password);
  return ctx.tx(async (ctx) => {
    const { languageCode } = body;
    const user = await users.createUser(ctx, {
      ...referrer,
      email,
      passwordHash,
      languageCode,
      roleName: 'USER',
      isEmailConfirmed: false,
    });
    if (!user) throw new AppError('EMAIL_EXISTS');
    return sendCode(ctx, 'CONFIRM_EMAIL', hashEmail(ctx, email), { userId: user.id, email, languageCode });
  });
}

export type Confirmation = 'DONE' | 'ALREADY_DONE' | 'TOO_OLD' | 'UNKNOWN';

/** The trial credit is given with the confirmation: one user, one time, whatever links are opened at once. */
export function confirmEmail(
  ctx: Ctx,
  code: string,
): Promise<{ confirmation: Confirmation; languageCode: LanguageCode | undefined }> {
  return ctx.tx(async (ctx) => {
    const codeHash = hashSecret(code);
    await codes.lockOwner(ctx, codeHash, 'CONFIRM_EMAIL');
    const found = await codes.findCode(ctx, codeHash, 'CONFIRM_EMAIL');
    if (!found || found.status !== 'ACTIVE') return { confirmation: 'UNKNOWN', languageCode: found?.languageCode };
    const { userId, languageCode } = found;
    if (found.isEmailConfirmed) return { confirmation: 'ALREADY_DONE', languageCode };
    if (found.isExpired) return { confirmation: 'TOO_OLD', languageCode };
    const accountId = await store.confirmEmail(ctx, userId);
    if (accountId === undefined) return { confirmation: 'ALREADY_DONE', languageCode };
    await codes.spendCodes(ctx, userId, 'CONFIRM_EMAIL');
    const trial = await referrals.trialTransfer(ctx, userId, accountId);
    if (trial) await ledger.post(ctx, [trial]);
    return { confirmation: 'DONE', languageCode };
  });
}

/** @throws AppError SESSION_NOT_FOUND, RESEND_INTERVAL, RESEND_LIMIT */
export async function resendConfirmation(ctx: Ctx, typedEmail: string): Promise<Sending> {
  const email = normalise(typedEmail);
  const user = await store.findCredentials(ctx, email);
  if (!user || user.isEmailConfirmed || user.status !== 'ACTIVE') throw new AppError('SESSION_NOT_FOUND');
  return sendCode(ctx, 'CONFIRM_EMAIL', hashEmail(ctx, email), user);
}

/** @throws AppError INVALID_CREDENTIALS, ACCOUNT_BLOCKED, EMAIL_NOT_CONFIRMED, RATE_LIMITED */
export async function signIn(ctx: Ctx, { email: typedEmail, password }: SignInBody, ip: string): Promise<SignInResult> {
  const email = normalise(typedEmail);
  await refuseGuessing(ctx, email, ip);
  const user = await store.findCredentials(ctx, email);
  const isRight = await verifyPassword(user?.passwordHash, password);
  // Asked again: of a hundred guesses sent at once, those behind the fifth failure learn nothing, right or wrong.
  await refuseGuessing(ctx, email, ip);
  if (!isRight || !user) {
    await countFailure(ctx, email, ip);
    throw new AppError('INVALID_CREDENTIALS');
  }
  await forgetFailures(ctx, email);
  if (user.status === 'BLOCKED') throw new AppError('ACCOUNT_BLOCKED');
  if (!user.isEmailConfirmed)
    throw new AppError('EMAIL_NOT_CONFIRMED', { seconds: await secondsUntilSending(ctx, 'CONFIRM_EMAIL', email) });
  const tokens = await sessions.openSession(ctx, user.userId, user.passwordHash);
  if (!tokens) throw new AppError('INVALID_CREDENTIALS');
  return { ...tokens, profile: await users.getProfile(ctx, user.userId) };
}

/**
 * An address without an account is answered like one with an account, here and when the mail is asked for again.
 * @throws AppError EMAIL_NOT_CONFIRMED, RESEND_INTERVAL, RESEND_LIMIT
 */
export async function recoverPassword(ctx: Ctx, typedEmail: string): Promise<Sending> {
  const email = normalise(typedEmail);
  const user = await store.findCredentials(ctx, email);
  if (user && !user.isEmailConfirmed)
    throw new AppError('EMAIL_NOT_CONFIRMED', { seconds: await secondsUntilSending(ctx, 'CONFIRM_EMAIL', email) });
  return sendCode(ctx, 'RECOVER_PASSWORD', hashEmail(ctx, email), user);
}

/** The earlier links go on working until they expire; the new mail has a session id of its own. */
export async function resendRecovery(ctx: Ctx, sessionId: string): Promise<Sending> {
  const sending = await codes.findSending(ctx, sessionId, 'RECOVER_PASSWORD');
  if (!sending || sending.isUsed) throw new AppError('SESSION_NOT_FOUND');
  if (sending.isExpired) throw new AppError('SESSION_EXPIRED');
  const user = sending.userId === null ? undefined : await users.findUser(ctx, sending.userId);
  const recipient = user && user.status !== 'DELETED' ? { ...user, userId: user.id } : undefined;
  return sendCode(ctx, 'RECOVER_PASSWORD', sending.emailHash, recipient);
}

/** Ends all sessions and all other recovery links of the user. @throws AppError SESSION_NOT_FOUND, SESSION_EXPIRED */
export async function setPassword(ctx: Ctx, { code, password }: SetPasswordBody): Promise<Date> {
  const codeHash = hashSecret(code);
  // Looked at before the password is hashed, which costs more than a guess should.
  await findRecovery(ctx, codeHash);
  const passwordHash = await hashPassword(password);
  return ctx.tx(async (ctx) => {
    await codes.lockOwner(ctx, codeHash, 'RECOVER_PASSWORD');
    const { userId, email } = await findRecovery(ctx, codeHash);
    const changedAt = await store.updatePassword(ctx, userId, passwordHash);
    await codes.spendCodes(ctx, userId, 'RECOVER_PASSWORD');
    await revokeSessionsOfUser(ctx, userId);
    ctx.changed({ userId }, 'session');
    await forgetFailures(ctx, email);
    return changedAt;
  });
}

export function deleteExpired(ctx: Ctx): Promise<void> {
  return store.deleteExpired(ctx);
}

async function findRecovery(ctx: Ctx, codeHash: Buffer): Promise<codes.CodeRow> {
  const found = await codes.findCode(ctx, codeHash, 'RECOVER_PASSWORD');
  if (!found || found.isUsed || found.status === 'DELETED') throw new AppError('SESSION_NOT_FOUND');
  if (found.isExpired) throw new AppError('SESSION_EXPIRED');
  return found;
}

/** One mailbox is one account, however its address is typed. */
function normalise(email: string): string {
  return email.toLowerCase();
}
