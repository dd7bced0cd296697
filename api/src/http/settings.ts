import { getSettings } from '@cellhop/contract/settings';
import { toDollars } from '@cellhop/contract/units';
import type { FastifyInstance } from 'fastify';
import { listEnabledCurrencies } from '../modules/invoices/invoices.service.ts';
import { createOfferReader, type Offer } from '../modules/referrals/referrals.service.ts';
import { findLogo } from './brand-images.ts';
import { route } from './route.ts';

/** Settings of the web app that it needs before sign-in. */
export function settingsRoutes(app: FastifyInstance): void {
  const { brandName, isDevelopment, publicUrl, contactEmail = null, seller = null, ...config } = app.ctx.config;
  const data = {
    brandName,
    isDevelopment,
    publicUrl,
    contactEmail,
    seller,
    logo: findLogo(config.brandImagesFolder),
    abuseEmail: config.abuseEmail ?? contactEmail,
    refundMinutes: config.refundWindowMs / 60_000,
    idleMinutes: config.idleTimeoutMs / 60_000,
    currencies: listEnabledCurrencies(app.ctx),
  };
  const readOffer = createOfferReader(app.ctx);
  route(app, getSettings, async () => {
    const offer = await readOffer();
    return { data: { ...data, offer: offer ? presentOffer(offer) : null } };
  });
}

function presentOffer({ code, creditMicros }: Offer): { code: string; credit: number | null } {
  return { code, credit: creditMicros === null ? null : toDollars(creditMicros) };
}
