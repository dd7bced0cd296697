/** The sources of exchange rates as their public documentation describes them: the answers to what this program asks. */
import type { RateSourceName } from '../src/payments/rates/ids.ts';

export interface Offer {
  bid: string;
  ask: string;
  /** The clock of the source. */
  at: Date;
}

/** @returns undefined for an id that the source does not know */
export type OfferOf = (id: string) => Offer | undefined;

export interface RateAnswer {
  status: number;
  body: unknown;
}

/** Offers a little below and above the price. */
export function offerAt(price: number, at: Date = new Date()): Offer {
  return { bid: (price * 0.9999).toFixed(10), ask: (price * 1.0001).toFixed(10), at };
}

export function answerOf(source: RateSourceName, url: URL, offerOf: OfferOf): RateAnswer {
  return answers[source](url, offerOf);
}

const answers: Record<RateSourceName, (url: URL, offerOf: OfferOf) => RateAnswer> = {
  kraken: ({ searchParams }, offerOf) => {
    const pairs = searchParams.get('pair')!.split(',');
    if (pairs.some((pair) => offerOf(pair) === undefined)) return ok({ error: ['EQuery:Unknown asset pair'] });
    return ok({ error: [], result: Object.fromEntries(pairs.map((pair) => krakenTicker(pair, offerOf(pair)!))) });
  },
  binance: ({ searchParams }, offerOf) => {
    const symbol = searchParams.get('symbol')!;
    const offer = offerOf(symbol);
    if (!offer) return { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };
    const { bid, ask, at } = offer;
    return ok({ symbol, lastPrice: bid, bidPrice: bid, askPrice: ask, closeTime: at.getTime(), count: 76 });
  },
  okx: ({ searchParams }, offerOf) => {
    const instId = searchParams.get('instId')!;
    const offer = offerOf(instId);
    if (!offer) return ok({ code: '51001', data: [], msg: "Instrument ID doesn't exist." });
    const { bid, ask, at } = offer;
    const ticker = { instType: 'SPOT', instId, last: bid, askPx: ask, bidPx: bid, ts: String(at.getTime()) };
    return ok({ code: '0', msg: '', data: [ticker] });
  },
  bybit: ({ searchParams }, offerOf) => {
    const symbol = searchParams.get('symbol')!;
    const offer = offerOf(symbol);
    if (!offer) return ok({ retCode: 10001, retMsg: 'Not supported symbols', result: {}, time: Date.now() });
    const { bid, ask, at } = offer;
    const list = [{ symbol, bid1Price: bid, ask1Price: ask, lastPrice: bid }];
    return ok({ retCode: 0, retMsg: 'OK', result: { category: 'spot', list }, retExtInfo: {}, time: at.getTime() });
  },
  coinbase: ({ pathname }, offerOf) => {
    const offer = offerOf(pathname.split('/').at(-2)!);
    if (!offer) return { status: 404, body: { message: 'NotFound' } };
    const { bid, ask, at } = offer;
    return ok({ trade_id: 86_326_522, price: bid, size: '0.00698254', time: at.toISOString(), bid, ask });
  },
  coingecko: ({ searchParams }, offerOf) => {
    const known = searchParams
      .get('ids')!
      .split(',')
      .flatMap((id) => {
        const offer = offerOf(id);
        return offer
          ? [[id, { usd: Number(offer.bid), last_updated_at: Math.floor(offer.at.getTime() / 1000) }] as const]
          : [];
      });
    return ok(Object.fromEntries(known));
  },
  coinpaprika: ({ pathname }, offerOf) => {
    const id = pathname.split('/').at(-1)!;
    const offer = offerOf(id);
    if (!offer) return { status: 404, body: { error: 'id not found' } };
    return ok({ id, last_updated: offer.at.toISOString(), quotes: { USD: { price: Number(offer.bid) } } });
  },
};

function ok(body: unknown): RateAnswer {
  return { status: 200, body };
}

/** It names its oldest pairs otherwise in answers. */
const krakenNames: Record<string, string> = {
  XBTUSD: 'XXBTZUSD',
  ETHUSD: 'XETHZUSD',
  LTCUSD: 'XLTCZUSD',
  USDTUSD: 'USDTZUSD',
};

function krakenTicker(pair: string, { bid, ask }: Offer): [string, unknown] {
  return [krakenNames[pair] ?? pair, { a: [ask, '1', '1.000'], b: [bid, '1', '1.000'], c: [bid, '0.1'] }];
}
