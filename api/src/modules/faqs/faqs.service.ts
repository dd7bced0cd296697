/** Frequently asked questions, as customers read them. */
import type { Faq } from '@cellhop/contract/faqs';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';
import * as store from './faqs.store.ts';

export function listFaqs(ctx: Ctx, languageCode: LanguageCode): Promise<Faq[]> {
  return store.listOfLanguage(ctx, languageCode);
}
