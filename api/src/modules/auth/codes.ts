/** Codes sent by mail: resend limits, lifetimes, and the job that sends them. */
import { AppError } from '@cellhop/contract/errors';
import { createHmac } from 'node:crypto';
import type { Ctx } from '../../ctx.ts';
import { deriveKey } from '../../secrets/keys.ts';
import { send } from '../mails/mails.service.ts';
import type { Credentials } from './auth.store.ts';
import * as store from './codes.store.ts';
import type { Purpose } from './codes.store.ts';
import { waitBeforeSending } from './resend-policy.ts';
import { hashSecret, newSecret } from './tokens.ts';

const MINUTE_MS = 60_000;
const mails = {
  CONFIRM_EMAIL: {
    template: 'confirm-email',
    lifetimeMs: 24 * 60 * MINUTE_MS,
    path: '/v1/auth/confirm-email?code=',
  },
  RECOVER_PASSWORD: {
    template: 'recover-password',
    lifetimeMs: 30 * MINUTE_MS,
    path: '/restore-access/set-password?code=',
  },
} as const;

const NO_RECIPIENT = { email: '', languageCode: 'en' } as const;

export type Recipient = Pick<Credentials, 'userId' | 'email' | 'languageCode'>;

export interface Sending {
  /** For a recovery: the id of the recovery session that the client gets. */
  id: string;
  /** Epoch milliseconds. */
  nextSendingAllowedIn: number;
}

/**
 * Creates a code and enqueues its mail. Without a recipient it does the same with the same number of statements, but the job sends
 * nothing, so that the response time does not reveal whether the address has an account.
 * @param browserHash of the secret in the browser that has just signed up
 * @throws AppError RESEND_INTERVAL, RESEND_LIMIT
 */
export function sendCode(
  ctx: Ctx,
  purpose: Purpose,
  emailHash: Buffer,
  recipient: Recipient | undefined,
  browserHash?: Buffer,
): Promise<Sending> {
  return ctx.tx(async (ctx) => {
    await store.lockSendings(ctx, emailHash, purpose);
    const agesMs = await store.listSendingAges(ctx, emailHash, purpose);
    enforceResendPolicy(agesMs);
    const { id, link } = await makeLink(ctx, purpose, emailHash, recipient?.userId, browserHash);
    const { template, lifetimeMs } = mails[purpose];
    const { email: to, languageCode } = recipient ?? NO_RECIPIENT;
    // The fragment is not sent to the server. The form has it as hidden name, for password managers.
    const named = purpose === 'RECOVER_PASSWORD' ? `${link}#${new URLSearchParams({ email: to }).toString()}` : link;
    const mail = { template, to, languageCode, values: { link: named } };
    await send(ctx, recipient?.userId, mail, new Date(Date.now() + lifetimeMs));
    return { id, nextSendingAllowedIn: Date.now() + Math.ceil(waitBeforeSending([0, ...agesMs]).waitMs) };
  });
}

/** Without a user the link does not work. */
export async function makeLink(
  ctx: Ctx,
  purpose: Purpose,
  emailHash: Buffer,
  userId: string | undefined,
  browserHash?: Buffer,
): Promise<{ id: string; link: string }> {
  const code = newSecret();
  const { lifetimeMs, path } = mails[purpose];
  const codeHash = hashSecret(code);
  const id = await store.insertCode(ctx, {
    userId: userId ?? null,
    emailHash,
    purpose,
    codeHash,
    lifetimeMs,
    browserHash: browserHash ?? null,
  });
  return { id, link: `${ctx.config.publicUrl}${path}${code}` };
}

/** Whole seconds until another mail may be requested; 0 if it may be now. */
export async function secondsUntilSending(ctx: Ctx, purpose: Purpose, email: string): Promise<number> {
  const agesMs = await store.listSendingAges(ctx, hashEmail(ctx, email), purpose);
  return toSeconds(waitBeforeSending(agesMs).waitMs);
}

/** @param email lower case */
export function hashEmail(ctx: Ctx, email: string): Buffer {
  return createHmac('sha256', deriveKey(ctx.config.secretKeys, 'mail-codes')).update(email).digest();
}

function enforceResendPolicy(agesMs: readonly number[]): void {
  const { waitMs, isLimit } = waitBeforeSending(agesMs);
  if (waitMs === 0) return;
  if (!isLimit) throw new AppError('RESEND_INTERVAL', { seconds: toSeconds(waitMs) });
  const error = new AppError('RESEND_LIMIT');
  error.retryAfterSeconds = toSeconds(waitMs);
  throw error;
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
