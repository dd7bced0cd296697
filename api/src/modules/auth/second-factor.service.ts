/** Two-factor sign-in: codes of an authenticator app, and recovery codes for the day when it is lost. */
import { AppError } from '@cellhop/contract/errors';
import type { SecondFactor } from '@cellhop/contract/security';
import type { Actor } from '../../actor.ts';
import type { Client } from '../../client.ts';
import type { Ctx } from '../../ctx.ts';
import { deriveKey, deriveKeys, newestKeyId } from '../../keys.ts';
import { seal, tryUnseal } from '../../sealing.ts';
import { record, recordOwn } from '../audit-log/audit-log.service.ts';
import { needsSecondFactor } from '../users/users.service.ts';
import { countCode, forgetCodes, forgetFailures, type Guess } from './attempts.ts';
import { proofOf, provePassword } from './proof.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import * as store from './second-factor.store.ts';
import { revokeSessionsOfUser } from './sessions.store.ts';
import { findStep, newTotpSecret, totpUri } from './totp.ts';

/** Purpose of the key. */
export const ENCRYPTION = 'second-factor-encryption';
/** A secret that nobody has put in force by then was left lying on a screen. */
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
    // Where the operator has switched it off, the codes of before are still there.
    recoveryCodesLeft: onSince === null ? 0 : recoveryCodesLeft,
  };
}

/** @throws AppError WRONG_PASSWORD, SECOND_FACTOR_ON, RATE_LIMITED */
export async function setUp(
  ctx: Ctx,
  actor: Actor,
  password: string,
  client: Client,
): Promise<{ secret: string; uri: string }> {
  const { userId } = actor;
  // Before the password, so that it does not make wrong codes forgotten.
  if ((await store.findState(ctx, userId)).onSince) throw new AppError('SECOND_FACTOR_ON');
  await provePassword(ctx, actor, password, client);
  await forgetFailures(ctx, proofOf(actor, client));
  return ctx.tx(async (ctx) => {
    const { email, onSince } = await store.lockOwner(ctx, userId);
    if (onSince) throw new AppError('SECOND_FACTOR_ON');
    const secret = newTotpSecret();
    await store.saveSecret(ctx, userId, seal(deriveKey(ctx.config.secretKeys, ENCRYPTION), userId, secret));
    await recordOwn(ctx, 'SECOND_FACTOR_SET_UP', userId, client);
    return { secret, uri: totpUri(secret, ctx.config.brandName, email) };
  });
}

/**
 * Ends all other sessions: they were opened with less than is asked for from now on.
 * @throws AppError SECOND_FACTOR_INVALID, SECOND_FACTOR_ON, RATE_LIMITED
 */
export async function enable(ctx: Ctx, actor: Actor, code: string, client: Client): Promise<string[]> {
  const { userId, sessionId } = actor;
  if ((await store.findState(ctx, userId)).onSince) throw new AppError('SECOND_FACTOR_ON');
  return withCode(ctx, proofOf(actor, client), userId, client, async (ctx) => {
    const { onSince } = await store.lockOwner(ctx, userId);
    if (onSince) throw new AppError('SECOND_FACTOR_ON');
    const pending = await store.findSecret(ctx, userId);
    if (!pending || pending.ageMs > SET_UP_LIFETIME_MS) return undefined;
    if (!(await spendTotp(ctx, userId, pending, code))) return undefined;
    await store.switchOn(ctx, userId);
    const codes = await replaceRecoveryCodes(ctx, userId);
    const endedSessions = await revokeSessionsOfUser(ctx, userId, sessionId);
    await recordOwn(ctx, 'SECOND_FACTOR_ENABLED', userId, client, { endedSessions });
    return codes;
  });
}

/** @throws AppError WRONG_PASSWORD, SECOND_FACTOR_INVALID, SECOND_FACTOR_OFF, RATE_LIMITED */
export function renewRecoveryCodes(ctx: Ctx, actor: Actor, proof: Proof, client: Client): Promise<string[]> {
  return withProof(ctx, actor, proof, client, async (ctx) => {
    const codes = await replaceRecoveryCodes(ctx, actor.userId);
    await recordOwn(ctx, 'RECOVERY_CODES_RENEWED', actor.userId, client);
    return codes;
  });
}

/** @throws AppError FORBIDDEN for a role that needs it, WRONG_PASSWORD, SECOND_FACTOR_INVALID, SECOND_FACTOR_OFF, RATE_LIMITED */
export async function disable(ctx: Ctx, actor: Actor, proof: Proof, client: Client): Promise<SecondFactor> {
  const { permissions } = await store.findState(ctx, actor.userId);
  if (needsSecondFactor(ctx.config, permissions)) throw new AppError('FORBIDDEN');
  await withProof(ctx, actor, proof, client, async (ctx) => {
    await store.switchOff(ctx, actor.userId);
    await recordOwn(ctx, 'SECOND_FACTOR_DISABLED', actor.userId, client);
    return true;
  });
  return getSecondFactor(ctx, actor);
}

/**
 * After the right password of an account that has it on.
 * @throws AppError SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID, RATE_LIMITED
 */
export async function requireCode(
  ctx: Ctx,
  guess: Guess,
  userId: string,
  code: string | undefined,
  client: Client,
): Promise<void> {
  if (code === undefined) throw new AppError('SECOND_FACTOR_REQUIRED');
  await withCode(ctx, guess, userId, client, async (ctx) => (await spendCode(ctx, userId, code, client)) || undefined);
}

/** Password first, then code; only both together make the failures forgotten. */
async function withProof<T>(
  ctx: Ctx,
  actor: Actor,
  { password, code }: Proof,
  client: Client,
  change: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const { userId } = actor;
  if (!(await store.findState(ctx, userId)).onSince) throw new AppError('SECOND_FACTOR_OFF');
  await provePassword(ctx, actor, password, client);
  return withCode(ctx, proofOf(actor, client), userId, client, async (ctx) => {
    const { onSince } = await store.lockOwner(ctx, userId);
    if (!onSince) throw new AppError('SECOND_FACTOR_OFF');
    return (await spendCode(ctx, userId, code, client)) ? change(ctx) : undefined;
  });
}

/**
 * @param work in one transaction: spends the code and makes the change; undefined if the code is wrong
 * @throws AppError SECOND_FACTOR_INVALID, RATE_LIMITED
 */
async function withCode<T>(
  ctx: Ctx,
  guess: Guess,
  userId: string,
  client: Client,
  work: (ctx: Ctx) => Promise<T | undefined>,
): Promise<T> {
  const isLast = await countCode(ctx, guess, userId);
  const result = await ctx.tx(work);
  if (result !== undefined) {
    await forgetCodes(ctx, guess, userId);
    return result;
  }
  const isSignIn = guess.door === 'sign-in';
  const actorId = isSignIn ? undefined : userId;
  const failure = { actorId, userId, client };
  const reason = 'WRONG_CODE';
  await record(ctx, { ...failure, action: isSignIn ? 'SIGN_IN_FAILED' : 'PROOF_FAILED', details: { reason } });
  if (isLast) await record(ctx, { ...failure, action: isSignIn ? 'SIGN_IN_THROTTLED' : 'PROOF_THROTTLED' });
  throw new AppError('SECOND_FACTOR_INVALID');
}

/** Six digits are the app's, everything else is taken for a recovery code. */
async function spendCode(ctx: Ctx, userId: string, typed: string, client: Client): Promise<boolean> {
  const code = typed.replaceAll(/\s/g, '');
  if (/^\d{6}$/.test(code)) {
    const secret = await store.findSecret(ctx, userId);
    return secret !== undefined && spendTotp(ctx, userId, secret, code);
  }
  const codeHashes = hashRecoveryCode(ctx.config.secretKeys, userId, code);
  if (!(await store.spendRecoveryCode(ctx, userId, codeHashes))) return false;
  await recordOwn(ctx, 'RECOVERY_CODE_USED', userId, client);
  return true;
}

async function spendTotp(ctx: Ctx, userId: string, row: store.SecretRow, typed: string): Promise<boolean> {
  const opened = tryUnseal(deriveKeys(ctx.config.secretKeys, ENCRYPTION), userId, row.secretEncrypted);
  if (!opened) {
    ctx.log.error({ userId }, 'no key of SECRET_KEY opens the secret of a second factor');
    return false;
  }
  const step = findStep(opened.secret, typed.replaceAll(/\s/g, ''), Date.now());
  return step !== undefined && store.spendStep(ctx, userId, step);
}

async function replaceRecoveryCodes(ctx: Ctx, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  const { secretKeys } = ctx.config;
  const hashes = codes.map((code) => hashRecoveryCode(secretKeys, userId, code)[0]);
  await store.replaceRecoveryCodes(ctx, userId, hashes, newestKeyId(secretKeys));
  return codes;
}
