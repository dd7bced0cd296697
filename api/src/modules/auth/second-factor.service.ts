/** Two-factor sign-in with codes of an authenticator app, and recovery codes for when it is lost. */
import type { SecondFactor } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { deriveKey, deriveKeys, newestKeyId } from '../../secrets/keys.ts';
import { seal, tryUnseal, resealRows, type Position, type ResealedBatch } from '../../secrets/sealing.ts';
import { record, recordOwn } from '../audit-log/audit-log.service.ts';
import { needsSecondFactor } from '../users/users.service.ts';
import { countCodeAttempt, resetCodeFailures, resetFailures, type Attempt } from './attempts.ts';
import { reauthenticationAttempt, verifyCurrentPassword } from './reauthentication.ts';
import { hashRecoveryCode, newRecoveryCodes, findStep, newTotpSecret, totpUri } from './second-factor-codes.ts';
import { mailSecondFactorOff } from './security-mails.ts';
import { stopResets } from './second-factor-reset.service.ts';
import * as store from './second-factor.store.ts';
import { revokeSessionsOfUser } from './sessions.store.ts';

/** Key derivation context. */
const ENCRYPTION = 'second-factor-encryption';
/** A secret that was not enabled by then may have been left on a screen. */
const SET_UP_LIFETIME_MS = 30 * 60_000;

export interface Proof {
  password: string;
  code: string;
}

export async function getSecondFactor(ctx: Ctx, { userId }: Actor): Promise<SecondFactor> {
  const { permissions, onSince, recoveryCodesLeft } = await store.findState(ctx, userId);
  return {
    isOn: onSince !== null,
    isRequired: needsSecondFactor(ctx.config, permissions),
    onSince: onSince?.toISOString() ?? null,
    // The codes may still exist after an operator has disabled it in the database.
    recoveryCodesLeft: onSince === null ? 0 : recoveryCodesLeft,
  };
}

/** @throws AppError WRONG_PASSWORD, SECOND_FACTOR_ON, RATE_LIMITED */
export async function setUp(
  ctx: Ctx,
  actor: Actor,
  password: string,
  requester: Requester,
): Promise<{ secret: string; uri: string }> {
  const { userId } = actor;
  // Checked before the password, because a correct password resets the counter of wrong codes.
  if ((await store.findState(ctx, userId)).onSince) throw new AppError('SECOND_FACTOR_ON');
  await verifyCurrentPassword(ctx, actor, password, requester);
  await resetFailures(ctx, reauthenticationAttempt(actor, requester));
  return ctx.tx(async (ctx) => {
    const { email, onSince } = await store.lockOwner(ctx, userId);
    if (onSince) throw new AppError('SECOND_FACTOR_ON');
    const secret = newTotpSecret();
    await store.saveSecret(ctx, userId, seal(deriveKey(ctx.config.secretKeys, ENCRYPTION), userId, secret));
    await recordOwn(ctx, 'SECOND_FACTOR_SET_UP', userId, requester);
    return { secret, uri: totpUri(secret, ctx.config.brandName, email) };
  });
}

/**
 * Ends all other sessions, because they were opened without a second factor.
 * @throws AppError SECOND_FACTOR_INVALID, SECOND_FACTOR_ON, RATE_LIMITED
 */
export async function enable(ctx: Ctx, actor: Actor, code: string, requester: Requester): Promise<string[]> {
  const { userId, sessionId } = actor;
  if ((await store.findState(ctx, userId)).onSince) throw new AppError('SECOND_FACTOR_ON');
  return withCode(ctx, reauthenticationAttempt(actor, requester), userId, requester, async (ctx) => {
    const { onSince } = await store.lockOwner(ctx, userId);
    if (onSince) throw new AppError('SECOND_FACTOR_ON');
    const pending = await store.findSecret(ctx, userId);
    if (!pending || pending.ageMs > SET_UP_LIFETIME_MS) return undefined;
    if (!(await spendTotp(ctx, userId, pending, code))) return undefined;
    await store.enableSecondFactor(ctx, userId);
    const codes = await replaceRecoveryCodes(ctx, userId);
    const endedSessions = await revokeSessionsOfUser(ctx, userId, sessionId);
    await recordOwn(ctx, 'SECOND_FACTOR_ENABLED', userId, requester, { endedSessions });
    return codes;
  });
}

/** @throws AppError WRONG_PASSWORD, SECOND_FACTOR_INVALID, SECOND_FACTOR_OFF, RATE_LIMITED */
export function renewRecoveryCodes(ctx: Ctx, actor: Actor, proof: Proof, requester: Requester): Promise<string[]> {
  return withProof(ctx, actor, proof, requester, async (ctx) => {
    const codes = await replaceRecoveryCodes(ctx, actor.userId);
    await recordOwn(ctx, 'RECOVERY_CODES_RENEWED', actor.userId, requester);
    return codes;
  });
}

/** @throws AppError FORBIDDEN for a role that needs it, WRONG_PASSWORD, SECOND_FACTOR_INVALID, SECOND_FACTOR_OFF, RATE_LIMITED */
export async function disable(ctx: Ctx, actor: Actor, proof: Proof, requester: Requester): Promise<SecondFactor> {
  const { permissions } = await store.findState(ctx, actor.userId);
  if (needsSecondFactor(ctx.config, permissions)) throw new AppError('FORBIDDEN');
  await withProof(ctx, actor, proof, requester, async (ctx) => {
    await store.disableSecondFactor(ctx, actor.userId);
    await mailSecondFactorOff(ctx, actor.userId, requester);
    await recordOwn(ctx, 'SECOND_FACTOR_DISABLED', actor.userId, requester);
    return true;
  });
  return getSecondFactor(ctx, actor);
}

/**
 * Call it after a correct password if the account has a second factor.
 * @throws AppError SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID, RATE_LIMITED
 */
export async function requireCode(
  ctx: Ctx,
  attempt: Attempt,
  userId: string,
  code: string | undefined,
  requester: Requester,
): Promise<void> {
  if (code === undefined) throw new AppError('SECOND_FACTOR_REQUIRED');
  await withCode(
    ctx,
    attempt,
    userId,
    requester,
    async (ctx) => (await spendCode(ctx, userId, code, requester)) || undefined,
  );
}

/**
 * Checks the password, and the code if the account has a second factor.
 * @throws AppError WRONG_PASSWORD, SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID, RATE_LIMITED
 */
export async function requireProof(
  ctx: Ctx,
  actor: Actor,
  { password, code }: { password: string; code: string | undefined },
  requester: Requester,
): Promise<void> {
  await verifyCurrentPassword(ctx, actor, password, requester);
  if (!(await store.findState(ctx, actor.userId)).onSince) return;
  await requireCode(ctx, reauthenticationAttempt(actor, requester), actor.userId, code, requester);
}

/** Checks the password, then the code. Only both together reset the failures. */
async function withProof<T>(
  ctx: Ctx,
  actor: Actor,
  { password, code }: Proof,
  requester: Requester,
  change: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const { userId } = actor;
  if (!(await store.findState(ctx, userId)).onSince) throw new AppError('SECOND_FACTOR_OFF');
  await verifyCurrentPassword(ctx, actor, password, requester);
  return withCode(ctx, reauthenticationAttempt(actor, requester), userId, requester, async (ctx) => {
    const { onSince } = await store.lockOwner(ctx, userId);
    if (!onSince) throw new AppError('SECOND_FACTOR_OFF');
    return (await spendCode(ctx, userId, code, requester)) ? change(ctx) : undefined;
  });
}

/**
 * @param work runs in a transaction: uses the code up and makes the change; returns undefined if the code is wrong
 * @throws AppError SECOND_FACTOR_INVALID, RATE_LIMITED
 */
async function withCode<T>(
  ctx: Ctx,
  attempt: Attempt,
  userId: string,
  requester: Requester,
  work: (ctx: Ctx) => Promise<T | undefined>,
): Promise<T> {
  const isLast = await countCodeAttempt(ctx, attempt, userId);
  const result = await ctx.tx(work);
  if (result !== undefined) {
    await resetCodeFailures(ctx, attempt, userId);
    return result;
  }
  const isSignIn = attempt.kind === 'sign-in';
  const actorId = isSignIn ? undefined : userId;
  const failure = { actorId, userId, requester };
  const reason = 'WRONG_CODE';
  await record(ctx, { ...failure, action: isSignIn ? 'SIGN_IN_FAILED' : 'PROOF_FAILED', details: { reason } });
  if (isLast) await record(ctx, { ...failure, action: isSignIn ? 'SIGN_IN_THROTTLED' : 'PROOF_THROTTLED' });
  throw new AppError('SECOND_FACTOR_INVALID');
}

/** Shows that the factor is not lost. */
async function spendCode(ctx: Ctx, userId: string, code: string, requester: Requester): Promise<boolean> {
  if (!(await compareCode(ctx, userId, code, requester))) return false;
  await stopResets(ctx, { userId }, 'FACTOR_USED', requester);
  return true;
}

/** Six digits are a code of the app, everything else a recovery code. */
async function compareCode(ctx: Ctx, userId: string, code: string, requester: Requester): Promise<boolean> {
  if (/^\d{6}$/.test(code)) {
    const secret = await store.findSecret(ctx, userId);
    return secret !== undefined && spendTotp(ctx, userId, secret, code);
  }
  const codeHashes = hashRecoveryCode(ctx.config.secretKeys, userId, code);
  if (!(await store.spendRecoveryCode(ctx, userId, codeHashes))) return false;
  await recordOwn(ctx, 'RECOVERY_CODE_USED', userId, requester);
  return true;
}

async function spendTotp(ctx: Ctx, userId: string, row: store.SecretRow, code: string): Promise<boolean> {
  const opened = tryUnseal(deriveKeys(ctx.config.secretKeys, ENCRYPTION), userId, row.secretEncrypted);
  if (!opened) {
    ctx.log.error({ userId }, 'no key of SECRET_KEY decrypts the secret of a second factor');
    return false;
  }
  const step = findStep(opened.secret, code, Date.now());
  return step !== undefined && store.spendStep(ctx, userId, step);
}

async function replaceRecoveryCodes(ctx: Ctx, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  const { secretKeys } = ctx.config;
  const hashes = codes.map((code) => hashRecoveryCode(secretKeys, userId, code)[0]);
  await store.replaceRecoveryCodes(ctx, userId, hashes, newestKeyId(secretKeys));
  return codes;
}

/** Encrypts the secrets of two-factor sign-in again, with the newest key. */
export async function resealSecrets(ctx: Ctx, after: Position, limit: number): Promise<ResealedBatch> {
  const { secretKeys } = ctx.config;
  const key = deriveKey(secretKeys, ENCRYPTION);
  const rows = await store.listSealed(ctx, after, limit);
  return resealRows(deriveKeys(secretKeys, ENCRYPTION), after, rows, (opened) =>
    store.saveSealed(
      ctx,
      opened.map(({ id, before, secret }) => ({ id, before, encrypted: seal(key, id, secret) })),
    ),
  );
}

export function countSealedSecrets(ctx: Ctx, after: Position): Promise<number> {
  return store.countSealed(ctx, after);
}

/** Their users should renew them before the older keys are removed. */
export function countRecoveryCodesOfOlderKeys(ctx: Ctx, keyId: string): Promise<number> {
  return store.countRecoveryCodesOfOlderKeys(ctx, keyId);
}
