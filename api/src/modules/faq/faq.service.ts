/** Frequently asked questions, as customers read them. */
import type { Faq } from '@cellhop/contract/faq';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';
import * as store from './faq.store.ts';

export function listFaq(ctx: Ctx, languageCode: LanguageCode): Promise<Faq[]> {
  return store.listOfLanguage(ctx, languageCode);
}
