/** Sanitizes HTML that staff entered, before it is stored. */
import { AppError } from '@cellhop/contract/errors';
import type { NotificationText } from '@cellhop/contract/staff/notifications';
import type { Ctx } from '../../ctx.ts';
import { sanitizeHtml } from './sanitise-html.ts';

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

function clean(ctx: Ctx, html: string, path: string): string {
  const sanitised = sanitizeHtml(html, ctx.config.publicUrl);
  if (sanitised.replaceAll(/<[^>]*>/g, '').trim() !== '') return sanitised;
  throw AppError.validation([{ path, message: 'Nothing to read is left without the HTML that is not allowed' }]);
}
