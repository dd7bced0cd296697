import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Config } from '../process/config.ts';
import type { Ctx } from '../ctx.ts';
import { mailRequestSchema, openMail, type SealedMail } from './mail-requests.ts';
import type { MailContent } from './layout.ts';
import { renderMail, type MailRequest } from './templates.ts';
import { unsubscribeHeaders } from './unsubscribe-link.ts';

const TIMEOUT_MS = 10_000;
/** RFC 3834, section 5: absence notes and other programs do not reply. */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };

/** Like `sendMail`, but skips mails whose link has expired. @returns whether it was sent */
export async function deliverMail(ctx: Ctx, mail: SealedMail): Promise<boolean> {
  if (mail.expiredAt !== null && Date.parse(mail.expiredAt) <= Date.now()) {
    ctx.log.warn({ template: mail.template }, 'a mail was not sent, because its link has expired');
    return false;
  }
  await sendMail(ctx, mailRequestSchema.parse(openMail(ctx, mail)));
  return true;
}

/** Rejects if the mail server did not accept the mail; the job is then retried with exponential backoff. */
async function sendMail(ctx: Ctx, request: MailRequest): Promise<void> {
  const content = renderMail(request, ctx.config);
  const headers = { ...AUTOMATIC, ...(request.template === 'news' && unsubscribeHeaders(request.values.link)) };
  await deliver(ctx.config, request.to, content, { messageId: messageId(ctx.config, request), headers });
  ctx.log.info({ template: request.template }, 'mail sent');
}

async function deliver(
  config: Config,
  to: string,
  content: MailContent,
  fields: { messageId: string; headers: Record<string, string> },
): Promise<void> {
  const transport = createTransport({
    ...(config.smtpUrl === undefined
      ? { host: '127.0.0.1', port: config.mailSinkPort, secure: false, ignoreTLS: true }
      : { url: config.smtpUrl }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // No value in a mail may make nodemailer read a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ ...content, to, from: config.mailFrom, replyTo: config.mailReplyTo, ...fields });
  } finally {
    transport.close();
  }
}

/**
 * Derived from the content, so that mail servers recognize a retry as a duplicate if the response to the first attempt was lost.
 */
function messageId(config: Config, request: MailRequest): string {
  const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64url');
  return `<${digest}@${new URL(config.publicUrl).hostname}>`;
}
