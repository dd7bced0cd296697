/** Codes sent by mail: how often, how long they live, and the job that sends them. */
import { AppError } from '@cellhop/contract/errors';
import { createHmac } from 'node:crypto';
import type { Ctx } from '../../ctx.ts';
import { enqueue } from '../../jobs.ts';
import { deriveKey } from '../../keys.ts';
import { sealMail } from '../../mail/mail-orders.ts';
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

const NOBODY = { email: '', languageCode: 'en' } as const;

export type Recipient = Pick<Credentials, 'userId' | 'email' | 'languageCode'>;

export interface Sending {
  /** Of a recovery: the session id that the client gets. */
  id: string;
  /** Epoch milliseconds. */
  nextSendingAllowedIn: number;
}

/**
 * Makes a code and enqueues its mail. Without a recipient all the same happens, to the number of statements, but the job
 * sends nothing: how long it takes does not tell whether an address has an account.
 * @throws AppError RESEND_INTERVAL, RESEND_LIMIT
 */
export function sendCode(
  ctx: Ctx,
  purpose: Purpose,
  emailHash: Buffer,
  recipient: Recipient | undefined,
): Promise<Sending> {
  return ctx.tx(async (ctx) => {
    await store.lockSendings(ctx, emailHash, purpose);
    const agesMs = await store.listSendingAges(ctx, emailHash, purpose);
    refuseTooOften(agesMs);
    const { id, link } = await makeLink(ctx, purpose, emailHash, recipient?.userId);
    const { template, lifetimeMs } = mails[purpose];
    const { email: to, languageCode } = recipient ?? NOBODY;
    const mail = sealMail(ctx, { template, to, languageCode, values: { link } }, new Date(Date.now() + lifetimeMs));
    await enqueue(ctx, recipient ? 'mail.deliver' : 'mail.none', mail);
    return { id, nextSendingAllowedIn: Date.now() + Math.ceil(waitBeforeSending([0, ...agesMs]).waitMs) };
  });
}

/** Without a user nobody knows the code, and the link leads nowhere. */
export async function makeLink(
  ctx: Ctx,
  purpose: Purpose,
  emailHash: Buffer,
  userId: string | undefined,
): Promise<{ id: string; link: string }> {
  const code = newSecret();
  const { lifetimeMs, path } = mails[purpose];
  const codeHash = hashSecret(code);
  const id = await store.insertCode(ctx, { userId: userId ?? null, emailHash, purpose, codeHash, lifetimeMs });
  return { id, link: `${ctx.config.publicUrl}${path}${code}` };
}

/** Whole seconds until another mail may be asked for; 0 if it may now. */
export async function secondsUntilSending(ctx: Ctx, purpose: Purpose, email: string): Promise<number> {
  const agesMs = await store.listSendingAges(ctx, hashEmail(ctx, email), purpose);
  return toSeconds(waitBeforeSending(agesMs).waitMs);
}

/** @param email lower case */
export function hashEmail(ctx: Ctx, email: string): Buffer {
  return createHmac('sha256', deriveKey(ctx.config.secretKeys, 'mail-codes')).update(email).digest();
}

function refuseTooOften(agesMs: readonly number[]): void {
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
