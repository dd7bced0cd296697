import { isPrivateHost } from '@cellhop/contract/network';
import { createHash, randomUUID } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Config } from '../process/config.ts';
import type { Ctx } from '../ctx.ts';
import { mailRequestSchema, openMail, type SealedMail } from './mail-requests.ts';
import { escapeHtml, type MailContent, page } from './layout.ts';
import { renderMail, type MailRequest } from './templates.ts';
import { unsubscribeHeaders } from './unsubscribe-link.ts';

const TIMEOUT_MS = 10_000;
/** RFC 3834, section 5: absence notes and other programs do not reply. */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };

/** Like `sendMail`, but skips mails whose link has expired. @returns whether it was sent */
export async function deliverMail(ctx: Ctx, mail: SealedMail): Promise<boolean> {
  if (Date.parse(mail.expiredAt) <= Date.now()) {
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

/** For the operator. @returns the answer of the mail server */
export async function sendTestMail(config: Config, to: string): Promise<string> {
  const { brandName, publicUrl } = config;
  const title = `Test of ${brandName}`;
  const text = `The command mail-test has sent this email to ${to}.`;
  const html = page('en', brandName, title, [`<p style="margin:0">${escapeHtml(text)}</p>`], publicUrl);
  const messageId = `<${randomUUID()}@${new URL(publicUrl).hostname}>`;
  return deliver(config, to, { subject: title, text: `${text}\n`, html }, { messageId, headers: AUTOMATIC });
}

/** @returns the answer of the mail server */
async function deliver(
  config: Config,
  to: string,
  content: MailContent,
  fields: { messageId: string; headers: Record<string, string> },
): Promise<string> {
  const transport = createTransport({
    ...(config.smtpUrl === undefined
      ? { host: '127.0.0.1', port: config.mailSinkPort, secure: false, ignoreTLS: true }
      : { url: requireEncryption(config.smtpUrl) }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // No value in a mail may make nodemailer read a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { response } = await transport.sendMail({
      ...content,
      to,
      from: config.mailFrom,
      replyTo: config.mailReplyTo,
      ...fields,
    });
    return response;
  } finally {
    transport.close();
  }
}

/** Emails have links that open accounts, and the URL may have a password: neither leaves a private network before STARTTLS. */
export function requireEncryption(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  // In the URL, since what it says wins.
  if (!isPrivateHost(url.hostname)) url.searchParams.set('requireTLS', 'true');
  return url.href;
}

/**
 * Derived from the content, so that mail servers recognize a retry as a duplicate if the response to the first attempt was lost.
 */
function messageId(config: Config, request: MailRequest): string {
  const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64url');
  return `<${digest}@${new URL(config.publicUrl).hostname}>`;
}
