/** HTML that staff typed, as it is stored and shown. */
import { AppError } from '@cellhop/contract/errors';
import type { NotificationText } from '@cellhop/contract/staff-notifications';
import type { Ctx } from '../../ctx.ts';
import { sanitiseHtml } from './sanitise-html.ts';

/**
 * @param path where the text stands in the request
 * @throws AppError VALIDATION if nothing to read is left of it
 */
export function cleanText(ctx: Ctx, { description, content }: NotificationText, path: string): NotificationText {
  return {
    description: clean(ctx, description, `${path}.description`),
    ...(content !== undefined && { content: clean(ctx, content, `${path}.content`) }),
  };
}

function clean(ctx: Ctx, html: string, path: string): string {
  const sanitised = sanitiseHtml(html, ctx.config.publicUrl);
  if (sanitised.replaceAll(/<[^>]*>/g, '').trim() !== '') return sanitised;
  throw AppError.validation([{ path, message: 'Nothing to read is left without the HTML that is not allowed' }]);
}
