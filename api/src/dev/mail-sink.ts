/** A mail sink for development: an SMTP server that accepts every mail and shows it at `/dev/mailbox` instead of delivering it. */
import type { Mail } from '@cellhop/contract/development';
import type { AddressInfo } from 'node:net';
import { callbackify } from 'node:util';
import type { SMTPServer } from 'smtp-server';
import type { Log } from '../process/log.ts';

const MAIL_BYTES_MAX = 1_000_000;
const CLOSE_MS = 1000;

export interface MailSink {
  port: number;
  stop(): Promise<void>;
}

/** @returns undefined if the port is in use; then another API process of this machine receives the mails */
export async function startMailSink(port: number, log: Log): Promise<MailSink | undefined> {
  // Loaded here, because production installs have no development dependencies.
  const { SMTPServer } = await import('smtp-server');
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    size: MAIL_BYTES_MAX,
    closeTimeout: CLOSE_MS,
    disableReverseLookup: true,
    onData: (stream, session, done) => {
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      readMailThen(stream, recipients.join(', '), (error) => done(error));
    },
  });
  try {
    await listen(server, port);
  } catch (error) {
    log.warn({ err: error, port }, 'the mail sink could not start');
    return undefined;
  }
  server.on('error', (error) => log.warn({ err: error }, 'mail sink'));
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

function listen(server: SMTPServer, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function readMail(stream: AsyncIterable<Buffer>, to: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const { default: PostalMime } = await import('postal-mime');
  const { subject = '', text = '', html = '' } = await PostalMime.parse(Buffer.concat(chunks));
  addMail({ to, subject, text, html, links: findLinks(text, html) });
}

const readMailThen = callbackify(readMail);

/** Each link once, in the order of the text. */
function findLinks(text: string, html: string): string[] {
  const fromText = text.match(/https?:\/\/[^\s<>"]+/g) ?? [];
  const fromHtml = [...html.matchAll(/href="(https?:[^"]+)"/g)].map(([, link]) => decodeEntities(link!));
  return [...new Set([...fromText, ...fromHtml])];
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))).replaceAll('&amp;', '&');
}

const MAILS_MAX = 200;

/** The mails received by this process, newest first. */
const mails: Mail[] = [];

function addMail(mail: Mail): void {
  mails.unshift(mail);
  mails.length = Math.min(mails.length, MAILS_MAX);
}

export function listMails(): readonly Mail[] {
  return mails;
}
