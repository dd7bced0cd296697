/** Accounts: sign-up, sign-in, password recovery. */
import type { ChangePasswordBody, SetPasswordBody, SignInBody, SignInResult, SignUpBody } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import type { AuditReason } from '@cellhop/contract/staff/audit-log.values';
import type { Actor } from '../../http/actor.ts';
import { cleanUp } from '../../db/clean-up.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { STAFF } from '../../live/changes.ts';
import * as auditLog from '../audit-log/audit-log.service.ts';
import * as referrals from '../referrals/referrals.service.ts';
import { getProfile } from '../profile/profile.service.ts';
import * as users from '../users/users.service.ts';
import { countFailure, countMail, countSignUp, resetFailures, throwIfThrottled, type Attempt } from './attempts.ts';
import * as store from './auth.store.ts';
import { hashEmail, secondsUntilSending, sendCode, type Recipient, type Sending } from './codes.ts';
import * as codes from './codes.store.ts';
import { newDeviceToken, newSecret, readDeviceToken, hashSecret } from './tokens.ts';
import { deleteOldDevices } from './known-devices.store.ts';
import { sendSecurityMail } from './security-mails.ts';
import { requireStrongPassword } from './password-rules.ts';
import {
  limitAttempts,
  hashPassword,
  knownUser,
  limitLookups,
  shareLookups,
  unknownClient,
  verifyPassword,
} from './passwords.ts';
import { reauthenticationAttempt, verifyCurrentPassword } from './reauthentication.ts';
import { requireCode } from './second-factor.service.ts';
import * as sessions from './sessions.service.ts';
import { revokeSessionsOfUser } from './sessions.store.ts';
import { deleteExpiredViews } from './view-sessions.store.ts';

export { limitLookups } from './passwords.ts';

/**
 * @returns also the secret for this browser: the confirmation link signs in there, too (confirmation.service.ts)
 * @throws AppError VALIDATION, REFERRAL_CODE_NOT_FOUND, EMAIL_EXISTS, RATE_LIMITED, UNAVAILABLE
 */
export async function signUp(
  ctx: Ctx,
  body: SignUpBody,
  requester: Requester,
): Promise<Sending & { browserSecret: string }> {
  const email = normalise(body.email);
  requireStrongPassword(body.password, email, ctx.config.brandName);
  const referrer = await limitLookups(requester.ip, false, async () => {
    await countSignUp(ctx, email, requester.ip);
    const referrer = await referrals.findReferrer(ctx, body.referralCode);
    if (!referrer) throw new AppError('REFERRAL_CODE_NOT_FOUND');
    if (await store.findCredentials(ctx, email)) throw new AppError('EMAIL_EXISTS');
    return referrer;
  });
  const passwordHash = await hashPassword(body.password, unknownClient(requester.ip));
  const create = async (ctx: Ctx) => {
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
    ctx.changed(STAFF, 'staff-users');
    await auditLog.recordOwn(ctx, 'SIGN_UP', user.id, requester);
    const recipient = { userId: user.id, email, languageCode };
    const browserSecret = newSecret();
    const sending = await sendCode(ctx, 'CONFIRM_EMAIL', hashEmail(ctx, email), recipient, hashSecret(browserSecret));
    return { ...sending, browserSecret };
  };
  return shareLookups(requester.ip, false, () => ctx.tx(create));
}

/** @throws AppError SESSION_NOT_FOUND, RESEND_INTERVAL, RESEND_LIMIT, RATE_LIMITED, UNAVAILABLE */
export function resendConfirmation(ctx: Ctx, typedEmail: string, requester: Requester): Promise<Sending> {
  const email = normalise(typedEmail);
  return limitLookups(requester.ip, false, async () => {
    await countMail(ctx, requester.ip);
    const user = await store.findCredentials(ctx, email);
    if (!user || user.isEmailConfirmed || user.status !== 'ACTIVE') throw new AppError('SESSION_NOT_FOUND');
    return sendCode(ctx, 'CONFIRM_EMAIL', hashEmail(ctx, email), user);
  });
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
  requester: Requester,
): Promise<SignInResult> {
  const { secretKeys } = ctx.config;
  const email = normalise(body.email);
  const { user, attempt } = await limitAttempts(requester.ip, async () => {
    const { credentials, attempt } = await limitLookups(requester.ip, deviceToken !== undefined, async () => {
      const credentials = await store.findCredentials(ctx, email);
      const deviceId =
        credentials && deviceToken !== undefined ? readDeviceToken(secretKeys, credentials, deviceToken) : undefined;
      const attempt: Attempt = { kind: 'sign-in', account: email, deviceId, ip: requester.ip };
      await throwIfThrottled(ctx, attempt);
      return { credentials, attempt };
    });
    return { attempt, user: await checkPassword(ctx, attempt, credentials, body.password, requester) };
  });
  const isKnown = attempt.deviceId !== undefined;
  return shareLookups(requester.ip, isKnown, () => openAccount(ctx, user, attempt, body, requester));
}

/** After a correct password. */
async function openAccount(
  ctx: Ctx,
  user: store.Credentials,
  attempt: Attempt,
  body: SignInBody,
  requester: Requester,
): Promise<SignInResult> {
  // With a second factor a correct password must not reset the counter of wrong codes.
  if (!user.hasSecondFactor) await resetFailures(ctx, attempt);
  if (user.status === 'BLOCKED') {
    await recordFailure(ctx, user.userId, requester, 'ACCOUNT_BLOCKED');
    throw new AppError('ACCOUNT_BLOCKED');
  }
  if (!user.isEmailConfirmed) {
    await recordFailure(ctx, user.userId, requester, 'EMAIL_NOT_CONFIRMED');
    throw new AppError('EMAIL_NOT_CONFIRMED', { seconds: await secondsUntilSending(ctx, 'CONFIRM_EMAIL', user.email) });
  }
  if (user.hasSecondFactor) await requireCode(ctx, attempt, user.userId, body.secondFactorCode, requester);
  const tokens = await sessions.openSession(ctx, user, requester);
  if (!tokens) throw new AppError('INVALID_CREDENTIALS');
  const profile = await getProfile(ctx, user.userId);
  return { ...tokens, deviceToken: newDeviceToken(ctx.config.secretKeys, user), profile };
}

/** Treats an unknown email like a wrong password: the same comparison, counters and audit log entries. */
async function checkPassword(
  ctx: Ctx,
  attempt: Attempt,
  user: store.Credentials | undefined,
  password: string,
  requester: Requester,
): Promise<store.Credentials> {
  const isKnown = attempt.deviceId !== undefined;
  const queuePlace = user && isKnown ? knownUser(user.userId) : unknownClient(requester.ip);
  const isRight = await verifyPassword(user?.passwordHash, password, queuePlace);
  return shareLookups(requester.ip, isKnown, async () => {
    // Checked again, so that of many concurrent attempts only the first five get a result.
    await throwIfThrottled(ctx, attempt);
    if (isRight && user) return user;
    const isLast = await countFailure(ctx, attempt);
    await recordFailure(ctx, user?.userId, requester, 'WRONG_PASSWORD');
    if (isLast) await auditLog.record(ctx, { action: 'SIGN_IN_THROTTLED', userId: user?.userId, requester });
    throw new AppError('INVALID_CREDENTIALS');
  });
}

function recordFailure(ctx: Ctx, userId: string | undefined, requester: Requester, reason: AuditReason): Promise<void> {
  return auditLog.record(ctx, { action: 'SIGN_IN_FAILED', userId, requester, details: { reason } });
}

/**
 * Handles an address without an account like one with an account, with the same response and statements, so that it does not
 * reveal whether the account exists.
 * @throws AppError EMAIL_NOT_CONFIRMED, RESEND_INTERVAL, RESEND_LIMIT, RATE_LIMITED, UNAVAILABLE
 */
export function recoverPassword(ctx: Ctx, typedEmail: string, requester: Requester): Promise<Sending> {
  const email = normalise(typedEmail);
  return limitLookups(requester.ip, false, async () => {
    await countMail(ctx, requester.ip);
    const user = await store.findCredentials(ctx, email);
    if (user && !user.isEmailConfirmed)
      throw new AppError('EMAIL_NOT_CONFIRMED', { seconds: await secondsUntilSending(ctx, 'CONFIRM_EMAIL', email) });
    return sendRecovery(ctx, hashEmail(ctx, email), user, requester);
  });
}

/** Earlier links work until they expire; the new mail has its own recovery session. */
export function resendRecovery(ctx: Ctx, sessionId: string, requester: Requester): Promise<Sending> {
  return limitLookups(requester.ip, false, async () => {
    await countMail(ctx, requester.ip);
    const sending = await codes.findSending(ctx, sessionId, 'RECOVER_PASSWORD');
    if (!sending || sending.isUsed) throw new AppError('SESSION_NOT_FOUND');
    if (sending.isExpired) throw new AppError('SESSION_EXPIRED');
    const { userId, email, languageCode, status } = sending;
    const isKnown = userId !== null && email !== null && languageCode !== null && status !== 'DELETED';
    return sendRecovery(ctx, sending.emailHash, isKnown ? { userId, email, languageCode } : undefined, requester);
  });
}

function sendRecovery(
  ctx: Ctx,
  emailHash: Buffer,
  user: Recipient | undefined,
  requester: Requester,
): Promise<Sending> {
  return ctx.tx(async (ctx) => {
    const sending = await sendCode(ctx, 'RECOVER_PASSWORD', emailHash, user);
    await auditLog.record(ctx, { action: 'PASSWORD_RECOVERY_REQUESTED', userId: user?.userId, requester });
    return sending;
  });
}

/**
 * Ends all sessions and all other recovery links of the user. The second factor stays enabled, so access to the mailbox alone is
 * not enough to sign in.
 * @throws AppError VALIDATION, SESSION_NOT_FOUND, SESSION_EXPIRED
 */
export async function setPassword(ctx: Ctx, { code, password }: SetPasswordBody, requester: Requester): Promise<Date> {
  const codeHash = hashSecret(code);
  // Checked before the expensive password hash.
  const { email, userId } = await limitLookups(requester.ip, false, () => findRecovery(ctx, codeHash));
  requireStrongPassword(password, email, ctx.config.brandName);
  const passwordHash = await hashPassword(password, knownUser(userId));
  const change = async (ctx: Ctx) => {
    await codes.lockOwner(ctx, codeHash, 'RECOVER_PASSWORD');
    const user = await findRecovery(ctx, codeHash);
    const changedAt = await store.updatePassword(ctx, user.userId, passwordHash);
    await codes.spendCodes(ctx, user.userId, 'RECOVER_PASSWORD');
    await codes.forgetBrowsers(ctx, hashEmail(ctx, user.email));
    const endedSessions = await revokeSessionsOfUser(ctx, user.userId);
    await auditLog.recordOwn(ctx, 'PASSWORD_RECOVERED', user.userId, requester, { endedSessions });
    await sendSecurityMail(ctx, 'password-changed', user, requester);
    await resetFailures(ctx, { kind: 'sign-in', account: user.email });
    return changedAt;
  };
  return shareLookups(requester.ip, true, () => ctx.tx(change));
}

/**
 * Ends all other sessions and all recovery links, because the user may have changed the password after an intrusion.
 * @throws AppError VALIDATION, WRONG_PASSWORD, RATE_LIMITED
 */
export async function changePassword(
  ctx: Ctx,
  actor: Actor,
  body: ChangePasswordBody,
  requester: Requester,
): Promise<Date> {
  const { userId, sessionId } = actor;
  const user = await users.findUser(ctx, userId);
  if (!user) throw new AppError('UNAUTHORIZED');
  requireStrongPassword(body.password, user.email, ctx.config.brandName);
  const comparedHash = await verifyCurrentPassword(ctx, actor, body.currentPassword, requester);
  if (!user.hasSecondFactor) await resetFailures(ctx, reauthenticationAttempt(actor, requester));
  const passwordHash = await hashPassword(body.password, knownUser(userId));
  return ctx.tx(async (ctx) => {
    const changedAt = await store.replacePassword(ctx, userId, comparedHash, passwordHash);
    if (!changedAt) throw new AppError('WRONG_PASSWORD');
    await codes.spendCodes(ctx, userId, 'RECOVER_PASSWORD');
    await codes.forgetBrowsers(ctx, hashEmail(ctx, user.email));
    const endedSessions = await revokeSessionsOfUser(ctx, userId, sessionId);
    await auditLog.recordOwn(ctx, 'PASSWORD_CHANGED', userId, requester, { endedSessions });
    await sendSecurityMail(ctx, 'password-changed', { ...user, userId }, requester);
    return changedAt;
  });
}

export async function deleteExpired(ctx: Ctx): Promise<void> {
  for (const [what, deleteBatch] of Object.entries(store.expiredDeletions)) await cleanUp(ctx, what, deleteBatch);
  await cleanUp(ctx, 'known devices', deleteOldDevices);
  await cleanUp(ctx, 'views of staff', deleteExpiredViews);
}

async function findRecovery(ctx: Ctx, codeHash: Buffer): Promise<codes.CodeRow> {
  const found = await codes.findCode(ctx, codeHash, 'RECOVER_PASSWORD');
  if (!found || found.isUsed || found.status === 'DELETED') throw new AppError('SESSION_NOT_FOUND');
  if (found.isExpired) throw new AppError('SESSION_EXPIRED');
  return found;
}

/** Emails are not case-sensitive. */
function normalise(email: string): string {
  return email.toLowerCase();
}
