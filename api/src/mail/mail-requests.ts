/** Job payloads of mails. They are encrypted, because some links give access to an account, and jobs are stored and backed up. */
import { languageCodeSchema } from '@cellhop/contract/schemas';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Ctx } from '../ctx.ts';
import { deriveKey, deriveKeys } from '../secrets/keys.ts';
import { seal, tryUnseal } from '../secrets/sealing.ts';
import type { MailRequest } from './templates.ts';

const recipient = { to: z.string().min(1), languageCode: languageCodeSchema };
const link = z.string().min(1);
const event = { device: z.string(), address: z.string(), at: z.iso.datetime() };

export const mailRequestSchema = z.discriminatedUnion('template', [
  z.object({
    ...recipient,
    template: z.enum([
      'confirm-email',
      'recover-password',
      'second-factor-reset',
      'database-restored',
      'disk-full',
      'backup-late',
      'exits-failing',
      'certificate-ending',
      'certificate-expired',
    ]),
    values: z.object({ link }),
  }),
  z.object({
    ...recipient,
    template: z.enum(['password-changed', 'new-sign-in']),
    values: z.object({ link, ...event }),
  }),
  z.object({
    ...recipient,
    template: z.enum(['second-factor-off', 'account-deleted']),
    values: z.object({ link, ...event }).partial({ device: true, address: true }),
  }),
  z.object({
    ...recipient,
    template: z.literal('top-up'),
    values: z.object({ link, amount: z.number() }),
  }),
  z.object({
    ...recipient,
    template: z.enum(['ticket-answer', 'ticket-opened']),
    values: z.object({ link, ticket: z.string(), message: z.string() }),
  }),
  z.object({
    ...recipient,
    template: z.literal('low-balance'),
    values: z.object({ link, balance: z.number() }),
  }),
  z.object({
    ...recipient,
    template: z.literal('near-cap'),
    values: z.object({ link, ip: z.string(), usedMegabytes: z.int(), capMegabytes: z.int() }),
  }),
  z.object({
    ...recipient,
    template: z.enum(['no-money', 'ended-idle', 'ended-exit-lost']),
    values: z.object({ link, ip: z.string(), otherCount: z.int(), refund: z.number() }),
  }),
  z.object({
    ...recipient,
    template: z.literal('news'),
    values: z.object({ link, subject: z.string(), html: z.array(z.string()), text: z.string() }),
  }),
]) satisfies z.ZodType<MailRequest>;

export const sealedMailSchema = z.object({
  /** For operators who inspect failed jobs. */
  template: z.string(),
  sealedOrder: z.base64(),
  /** After that it is not sent; not later than its link expires. */
  expiredAt: z.iso.datetime(),
  /** The id of the row in `sent_mails`. */
  mailId: z.uuid(),
  /** Of news. */
  broadcastId: z.uuid().optional(),
});
export type SealedMail = z.infer<typeof sealedMailSchema>;

/** Additional authenticated data. It is part of stored payloads, so it does not change. */
const OWNER = 'mail order';

export function sealMail(ctx: Ctx, request: MailRequest, expiredAt: Date, mailId: string = randomUUID()): SealedMail {
  const sealed = seal(deriveKey(ctx.config.secretKeys, 'mail-orders'), OWNER, JSON.stringify(request));
  return {
    template: request.template,
    sealedOrder: sealed.toString('base64'),
    expiredAt: expiredAt.toISOString(),
    mailId,
  };
}

/** @throws Error if no key of SECRET_KEY decrypts it */
export function openMail(ctx: Ctx, { sealedOrder }: SealedMail): unknown {
  const keys = deriveKeys(ctx.config.secretKeys, 'mail-orders');
  const opened = tryUnseal(keys, OWNER, Buffer.from(sealedOrder, 'base64'));
  if (!opened) throw new Error('no key of SECRET_KEY decrypts this mail');
  return JSON.parse(opened.secret);
}
