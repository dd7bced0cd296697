/** A broadcast as an email. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { NotificationText } from '@cellhop/contract/staff/notifications';
import { Parser } from 'htmlparser2';
import type { NewsMail } from '../../mail/news.ts';
import { unsubscribeLink } from '../../mail/unsubscribe-link.ts';
import type { Config } from '../../process/config.ts';

const SUBJECT_LENGTH_MAX = 120;

/** @param text sanitized HTML */
export function toNewsMail(
  config: Pick<Config, 'publicUrl' | 'secretKeys'>,
  { id, email, languageCode }: { id: string; email: string; languageCode: LanguageCode },
  { description, content }: NotificationText,
): NewsMail & { to: string; languageCode: LanguageCode } {
  const blocks = content === undefined ? [description] : [description, content];
  // Pages of the shop have no origin in notifications.
  const html = blocks.map((block) => block.replaceAll('<a href="/', `<a href="${config.publicUrl}/`));
  const values = {
    subject: toSubject(toPlainText(description, { hasAddresses: false })),
    html,
    text: html.map((block) => toPlainText(block)).join('\n\n'),
    link: unsubscribeLink(config, id),
  };
  return { template: 'news', to: email, languageCode, values };
}

/** The beginning of a text, up to a whole word. */
function toSubject(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= SUBJECT_LENGTH_MAX) return line;
  const start = line.slice(0, SUBJECT_LENGTH_MAX);
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), SUBJECT_LENGTH_MAX / 2)).trimEnd()}…`;
}

const endOfLine: ReadonlySet<string> = new Set(['br', 'p', 'ul', 'li']);

/** Of sanitized HTML. By default links are followed by their addresses. */
export function toPlainText(html: string, { hasAddresses = true } = {}): string {
  let text = '';
  const targets: string[] = [];
  const parser = new Parser({
    onopentag(name, { href = '' }) {
      if (name === 'a') targets.push(href);
      if (name === 'li') text += '- ';
    },
    ontext(part) {
      text += part;
    },
    onclosetag(name) {
      const target = name === 'a' ? targets.pop() : undefined;
      if (hasAddresses && target !== undefined && !text.endsWith(target)) text += ` (${target})`;
      if (endOfLine.has(name)) text += '\n';
    },
  });
  parser.end(html);
  return text.replaceAll(/\n{3,}/g, '\n\n').trim();
}
