import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Config } from '../config.ts';
import type { Ctx } from '../ctx.ts';
import { mailOrderSchema, openMail, type SealedMail } from './mail-orders.ts';
import { renderMail, type MailContent, type MailOrder } from './templates.ts';

const TIMEOUT_MS = 10_000;

/** A mail that has waited longer than its link lives is not sent. Otherwise as `sendMail`. */
export async function deliverMail(ctx: Ctx, mail: SealedMail): Promise<void> {
  if (mail.expiredAt !== null && Date.parse(mail.expiredAt) <= Date.now())
    return ctx.log.warn({ template: mail.template }, 'a mail came too late for its link and was not sent');
  return sendMail(ctx, mailOrderSchema.parse(openMail(ctx, mail)));
}

/** Rejects if the mail server did not take the mail: the job is then tried again, with growing pauses. */
export async function sendMail(ctx: Ctx, order: MailOrder): Promise<void> {
  const content = renderMail(order, ctx.config.brandName);
  await deliver(ctx.config, order.to, content, messageId(ctx.config, order));
  ctx.log.info({ template: order.template }, 'mail sent');
}

async function deliver(config: Config, to: string, content: MailContent, id: string): Promise<void> {
  const transport = createTransport({
    ...(config.smtpUrl === undefined
      ? { host: '127.0.0.1', port: config.mailSinkPort, secure: false, ignoreTLS: true }
      : { url: config.smtpUrl }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // Contents come from templates; a value must never make the mailer read files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ ...content, to, from: config.mailFrom, messageId: id });
  } finally {
    transport.close();
  }
}

/**
 * The same mail has the same id: when the server had taken it but its answer was lost, the second attempt is
 * recognised as a duplicate by the servers on its way.
 */
function messageId(config: Config, order: MailOrder): string {
  const digest = createHash('sha256').update(JSON.stringify(order)).digest('base64url');
  return `<${digest}@${new URL(config.publicUrl).hostname}>`;
}
