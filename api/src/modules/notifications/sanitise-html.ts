/** HTML that staff entered is sanitized before it is stored. */
import { AppError } from '@cellhop/contract/errors';
import { isNotificationLink, notificationTags, type NotificationTag } from '@cellhop/contract/notifications.values';
import type { NotificationText } from '@cellhop/contract/staff/notifications';
import type { BroadcastTexts } from '@cellhop/contract/staff/notifications.forms';
import { Parser } from 'htmlparser2';
import { escapeHtml } from '../../mail/layout.ts';
import type { Ctx } from '../../ctx.ts';

/**
 * Makes new HTML from what it understands, and copies nothing: tags of the list without their attributes, links to https
 * addresses and to our own pages, and text, escaped. Everything else is left out.
 * @param ownOrigin its addresses become paths, so that they are links inside of the web app
 */
export function sanitizeHtml(html: string, ownOrigin: string): string {
  let clean = '';
  const open: { name: string; isWritten: boolean }[] = [];
  const isInside = (name: string) => open.some((tag) => tag.name === name && tag.isWritten);
  const parser = new Parser({
    onopentag(name, { href = '' }) {
      const start =
        isAllowed(name) && !(name === 'a' && isInside('a')) ? startTag(name, href.trim(), ownOrigin) : undefined;
      clean += start ?? '';
      open.push({ name, isWritten: start !== undefined });
    },
    ontext(text) {
      if (!open.some(({ name }) => UNREADABLE.has(name))) clean += escapeHtml(text);
    },
    onclosetag() {
      const tag = open.pop();
      if (tag?.isWritten && tag.name !== 'br') clean += `</${tag.name}>`;
    },
  });
  parser.end(html);
  return clean;
}

/** Their content is for machines. */
const UNREADABLE = new Set(['script', 'style', 'template', 'textarea', 'title', 'noscript', 'iframe', 'svg', 'math']);

function isAllowed(name: string): name is NotificationTag {
  return notificationTags.some((tag) => tag === name);
}

/** @returns undefined for a link that leads nowhere it may */
function startTag(name: NotificationTag, href: string, ownOrigin: string): string | undefined {
  if (name !== 'a') return `<${name}>`;
  const target = href.startsWith(`${ownOrigin}/`) ? href.slice(ownOrigin.length) : href;
  if (!isNotificationLink(target)) return undefined;
  const leaves = target.startsWith('/') ? '' : ' target="_blank" rel="noopener noreferrer"';
  return `<a href="${escapeHtml(target)}"${leaves}>`;
}

/**
 * @param path path of the text in the request
 * @throws AppError VALIDATION if no text is left
 */
export function sanitizeText(ctx: Ctx, { description, content }: NotificationText, path: string): NotificationText {
  return {
    description: clean(ctx, description, `${path}.description`),
    ...(content !== undefined && { content: clean(ctx, content, `${path}.content`) }),
  };
}

/** Of a broadcast. @throws AppError VALIDATION */
export function sanitizeTexts(ctx: Ctx, { en, ru }: BroadcastTexts): BroadcastTexts {
  return {
    ...(en !== undefined && { en: sanitizeText(ctx, en, 'body.texts.en') }),
    ...(ru !== undefined && { ru: sanitizeText(ctx, ru, 'body.texts.ru') }),
  };
}

function clean(ctx: Ctx, html: string, path: string): string {
  const sanitised = sanitizeHtml(html, ctx.config.publicUrl);
  if (sanitised.replaceAll(/<[^>]*>/g, '').trim() !== '') return sanitised;
  throw AppError.validation([{ path, message: 'Nothing to read is left without the HTML that is not allowed' }]);
}
