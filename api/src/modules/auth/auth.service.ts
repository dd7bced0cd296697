/** Accounts: signing up, confirming the email, signing in, getting back in. */
import type { Confirmation } from '@cellhop/contract/confirmation-texts';
import type { SetPasswordBody, SignInBody, SignInResult, SignUpBody } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import { clientNetwork } from '@cellhop/contract/network';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { ChangePasswordBody } from '@cellhop/contract/security';
import type { Actor } from '../../actor.ts';
import { cleanUp } from '../../clean-up.ts';
import type { Client } from '../../client.ts';
import type { Ctx } from '../../ctx.ts';
import * as auditLog from '../audit-log/audit-log.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as referrals from '../referrals/referrals.service.ts';
import { getProfile } from '../profile/profile.service.ts';
import * as users from '../users/users.service.ts';
import { countFailure, countMail, countSignUp, forgetFailures, refuseGuessing, type Guess } from './attempts.ts';
import * as store from './auth.store.ts';
import { hashEmail, secondsUntilSending, sendCode, type Recipient, type Sending } from './codes.ts';
import * as codes from './codes.store.ts';
import { newDeviceToken, readDeviceToken } from './device-tokens.ts';
import { forgetOldDevices } from './known-devices.store.ts';
import { sendNotice } from './notices.ts';
import { refuseWeakPassword } from './password-rules.ts';
import { admitAttempt, hashPassword, known, lookUp, stranger, verifyPassword } from './passwords.ts';
import { proofOf, provePassword } from './proof.ts';
import { requireCode } from './second-factor.service.ts';
import * as sessions from './sessions.service.ts';
import { revokeSessionsOfUser } from './sessions.store.ts';
import { hashSecret } from './tokens.ts';

/** @throws AppError VALIDATION, REFERRAL_CODE_NOT_FOUND, EMAIL_EXISTS, RATE_LIMITED, UNAVAILABLE */
export async function signUp(ctx: Ctx, body: SignUpBody, client: Client): Promise<Sending> {
  const email = normalise(body.email);
  refuseWeakPassword(body.password, email, ctx.config.brandName);
  const referrer = await lookUp(client.ip, false, async () => {
    await countSignUp(ctx, email, client.ip);
    const referrer = await referrals.findReferrer(ctx, body.referralCode);
    if (!referrer) throw new AppError('REFERRAL_CODE_NOT_FOUND');
    if (await store.findCredentials(ctx, email)) throw new AppError('EMAIL_EXISTS');
    return referrer;
  });
  const passwordHash = await hashPassword(body.password, stranger(client.ip));
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
    await auditLog.recordOwn(ctx, 'SIGN_UP', user.id, client);
    return sendCode(ctx, 'CONFIRM_EMAIL', hashEmail(ctx, email), { userId: user.id, email, languageCode });
  });
}

/** The trial credit is given with the confirmation: one user, one time, whatever links are opened at once. */
export function confirmEmail(
  ctx: Ctx,
  code: string,
  client: Client,
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
    await auditLog.recordOwn(ctx, 'EMAIL_CONFIRMED', userId, client);
    const trial = await referrals.trialTransfer(ctx, userId, accountId);
    if (trial) await ledger.post(ctx, [trial]);
    return { confirmation: 'DONE', languageCode };
  });
}

/** @throws AppError SESSION_NOT_FOUND, RESEND_INTERVAL, RESEND_LIMIT, RATE_LIMITED */
export async function resendConfirmation(ctx: Ctx, typedEmail: string, client: Client): Promise<Sending> {
  const email = normalise(typedEmail);
  await countMail(ctx, client.ip);
  const user = await store.findCredentials(ctx, email);
  if (!user || user.isEmailConfirmed || user.status !== 'ACTIVE') throw new AppError('SESSION_NOT_FOUND');
  return sendCode(ctx, 'CONFIRM_EMAIL', hashEmail(ctx, email), user);
}

/**
 * @param deviceToken of an earlier sign-in on this device
 * @throws AppError INVALID_CREDENTIALS, ACCOUNT_BLOCKED, EMAIL_NOT_CONFIRMED, SECOND_FACTOR_REQUIRED,
 *   SECOND_FACTOR_INVALID, RATE_LIMITED, UNAVAILABLE
 */
export async function signIn(
  ctx: Ctx,
  body: SignInBody,
  deviceToken: string | undefined,
  client: Client,
): Promise<SignInResult> {
  const { secretKeys } = ctx.config;
  const email = normalise(body.email);
  const { user, guess } = await admitAttempt(clientNetwork(client.ip), async () => {
    const { credentials, guess } = await lookUp(client.ip, deviceToken !== undefined, async () => {
      const credentials = await store.findCredentials(ctx, email);
      const deviceId =
        credentials && deviceToken !== undefined ? readDeviceToken(secretKeys, credentials, deviceToken) : undefined;
      const guess: Guess = { door: 'sign-in', account: email, deviceId, ip: client.ip };
      await refuseGuessing(ctx, guess);
      return { credentials, guess };
    });
    return { guess, user: await checkPassword(ctx, guess, credentials, body.password, client) };
  });
  // With a second factor the password alone proves nothing, so it does not make wrong codes forgotten.
  if (!user.hasSecondFactor) await forgetFailures(ctx, guess);
  if (user.status === 'BLOCKED') {
    await recordFailure(ctx, user.userId, client, 'ACCOUNT_BLOCKED');
    throw new AppError('ACCOUNT_BLOCKED');
  }
  if (!user.isEmailConfirmed) {
    await recordFailure(ctx, user.userId, client, 'EMAIL_NOT_CONFIRMED');
    throw new AppError('EMAIL_NOT_CONFIRMED', { seconds: await secondsUntilSending(ctx, 'CONFIRM_EMAIL', email) });
  }
  if (user.hasSecondFactor) await requireCode(ctx, guess, user.userId, body.secondFactorCode, client);
  const tokens = await sessions.openSession(ctx, user, client);
  if (!tokens) throw new AppError('INVALID_CREDENTIALS');
  const profile = await getProfile(ctx, user.userId);
  return { ...tokens, deviceToken: newDeviceToken(secretKeys, user), profile };
}

/** An unknown email takes the same way as a wrong password: the same comparison, counters and entries. */
async function checkPassword(
  ctx: Ctx,
  guess: Guess,
  user: store.Credentials | undefined,
  password: string,
  client: Client,
): Promise<store.Credentials> {
  const applicant = user && guess.deviceId !== undefined ? known(user.userId) : stranger(client.ip);
  const isRight = await verifyPassword(user?.passwordHash, password, applicant);
  // Asked again: of a hundred guesses sent at once, those behind the fifth failure learn nothing, right or wrong.
  await refuseGuessing(ctx, guess);
  if (isRight && user) return user;
  const isLast = await countFailure(ctx, guess);
  await recordFailure(ctx, user?.userId, client, 'WRONG_PASSWORD');
  if (isLast) await auditLog.record(ctx, { action: 'SIGN_IN_THROTTLED', userId: user?.userId, client });
  throw new AppError('INVALID_CREDENTIALS');
}

function recordFailure(ctx: Ctx, userId: string | undefined, client: Client, reason: string): Promise<void> {
  return auditLog.record(ctx, { action: 'SIGN_IN_FAILED', userId, client, details: { reason } });
}

/**
 * An address without an account is answered like one with an account, here and when the mail is asked for again, and it
 * costs the same statements.
 * @throws AppError EMAIL_NOT_CONFIRMED, RESEND_INTERVAL, RESEND_LIMIT, RATE_LIMITED
 */
export async function recoverPassword(ctx: Ctx, typedEmail: string, client: Client): Promise<Sending> {
  const email = normalise(typedEmail);
  await countMail(ctx, client.ip);
  const user = await store.findCredentials(ctx, email);
  if (user && !user.isEmailConfirmed)
    throw new AppError('EMAIL_NOT_CONFIRMED', { seconds: await secondsUntilSending(ctx, 'CONFIRM_EMAIL', email) });
  return sendRecovery(ctx, hashEmail(ctx, email), user, client);
}

/** The earlier links go on working until they expire; the new mail has a session id of its own. */
export async function resendRecovery(ctx: Ctx, sessionId: string, client: Client): Promise<Sending> {
  await countMail(ctx, client.ip);
  const sending = await codes.findSending(ctx, sessionId, 'RECOVER_PASSWORD');
  if (!sending || sending.isUsed) throw new AppError('SESSION_NOT_FOUND');
  if (sending.isExpired) throw new AppError('SESSION_EXPIRED');
  const { userId, email, languageCode, status } = sending;
  const isKnown = userId !== null && email !== null && languageCode !== null && status !== 'DELETED';
  return sendRecovery(ctx, sending.emailHash, isKnown ? { userId, email, languageCode } : undefined, client);
}

function sendRecovery(ctx: Ctx, emailHash: Buffer, user: Recipient | undefined, client: Client): Promise<Sending> {
  return ctx.tx(async (ctx) => {
    const sending = await sendCode(ctx, 'RECOVER_PASSWORD', emailHash, user);
    await auditLog.record(ctx, { action: 'PASSWORD_RECOVERY_REQUESTED', userId: user?.userId, client });
    return sending;
  });
}

/**
 * Ends all sessions and all other recovery links of the user. The second factor stays as it is: who can read the mail
 * still has to show a code.
 * @throws AppError VALIDATION, SESSION_NOT_FOUND, SESSION_EXPIRED
 */
export async function setPassword(ctx: Ctx, { code, password }: SetPasswordBody, client: Client): Promise<Date> {
  const codeHash = hashSecret(code);
  // Looked at before the password is hashed, which costs more than a guess should.
  const { email, userId } = await findRecovery(ctx, codeHash);
  refuseWeakPassword(password, email, ctx.config.brandName);
  const passwordHash = await hashPassword(password, known(userId));
  return ctx.tx(async (ctx) => {
    await codes.lockOwner(ctx, codeHash, 'RECOVER_PASSWORD');
    const user = await findRecovery(ctx, codeHash);
    const changedAt = await store.updatePassword(ctx, user.userId, passwordHash);
    await codes.spendCodes(ctx, user.userId, 'RECOVER_PASSWORD');
    const endedSessions = await revokeSessionsOfUser(ctx, user.userId);
    await auditLog.recordOwn(ctx, 'PASSWORD_RECOVERED', user.userId, client, { endedSessions });
    await sendNotice(ctx, 'password-changed', user, client);
    await forgetFailures(ctx, { door: 'sign-in', account: user.email });
    return changedAt;
  });
}

/**
 * Ends all other sessions and all recovery links: who changes his password may do so because somebody else has got in.
 * @throws AppError VALIDATION, WRONG_PASSWORD, RATE_LIMITED
 */
export async function changePassword(ctx: Ctx, actor: Actor, body: ChangePasswordBody, client: Client): Promise<Date> {
  const { userId, sessionId } = actor;
  const user = await users.findUser(ctx, userId);
  if (!user) throw new AppError('UNAUTHORIZED');
  refuseWeakPassword(body.password, user.email, ctx.config.brandName);
  const comparedHash = await provePassword(ctx, actor, body.currentPassword, client);
  if (!user.hasSecondFactor) await forgetFailures(ctx, proofOf(actor, client));
  const passwordHash = await hashPassword(body.password, known(userId));
  return ctx.tx(async (ctx) => {
    const changedAt = await store.replacePassword(ctx, userId, comparedHash, passwordHash);
    if (!changedAt) throw new AppError('WRONG_PASSWORD');
    await codes.spendCodes(ctx, userId, 'RECOVER_PASSWORD');
    const endedSessions = await revokeSessionsOfUser(ctx, userId, sessionId);
    await auditLog.recordOwn(ctx, 'PASSWORD_CHANGED', userId, client, { endedSessions });
    await sendNotice(ctx, 'password-changed', user, client);
    return changedAt;
  });
}

export async function deleteExpired(ctx: Ctx): Promise<void> {
  for (const [what, deleteBatch] of Object.entries(store.expiredDeletions)) await cleanUp(ctx, what, deleteBatch);
  await cleanUp(ctx, 'known devices', forgetOldDevices);
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
