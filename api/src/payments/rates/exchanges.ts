/** How each source of exchange rates is asked, by the public documentation of its HTTP interface. */
import { z } from 'zod';
import { fetchJson, middleOf, parseNumericRate, parseTime } from './quote.ts';

/** What one source says of one coin. */
interface Price {
  rateE12: bigint;
  /** By the clock of the source; of sources without one, when the answer arrived. */
  at: Date;
}

export interface SourceAccess {
  /** It may have a path of its own. */
  baseUrl: string;
  /** Of the free or paid plan. */
  key: string | undefined;
  signal: AbortSignal;
}

/** The price or the failure of each id: a coin that a source does not know any more costs no other coin. */
export type Answers = ReadonlyMap<string, Price | Error>;
export type AskSource = (access: SourceAccess, ids: readonly string[]) => Promise<Answers>;

/** Errors come with status 200, and one unknown pair refuses all of them: then each is asked by itself, in turn, because of the limits. */
export async function askKraken(access: SourceAccess, ids: readonly string[]): Promise<Answers> {
  const all = await askKrakenTogether(access, ids);
  if (all !== 'UNKNOWN_PAIR') return all;
  if (ids.length === 1) throw new Error('Kraken does not know the pair');
  const answers = new Map<string, Price | Error>();
  for (const id of ids)
    for (const [each, answer] of await settle(askKraken(access, [id]), [id])) answers.set(each, answer);
  return answers;
}

async function askKrakenTogether(access: SourceAccess, ids: readonly string[]): Promise<Answers | 'UNKNOWN_PAIR'> {
  const offer = z.tuple([z.string()]).rest(z.string());
  const schema = z.object({
    error: z.array(z.string()),
    result: z.record(z.string(), z.unknown()).default({}),
  });
  const { error, result } = schema.parse(await get(access, '0/public/Ticker', { pair: ids.join(',') }));
  if (error.some((each) => each.startsWith('EQuery:Unknown asset pair'))) return 'UNKNOWN_PAIR';
  if (error.length > 0) throw new Error(`Kraken: ${error.join(', ')}`);
  const at = new Date();
  return answersOf(ids, (id) => {
    const name = krakenNames(id).find((each) => each in result);
    if (name === undefined) throw new Error('Kraken has not answered for the pair');
    const { a, b } = z.object({ a: offer, b: offer }).parse(result[name]);
    return { rateE12: middleOf(b[0], a[0]), at };
  });
}

/** Its older pairs are answered by longer names than the ones that they are asked by: XXBTZUSD for XBTUSD, USDTZUSD for USDTUSD. */
function krakenNames(pair: string): string[] {
  const [base, quote] = [pair.slice(0, -3), pair.slice(-3)];
  return [pair, `X${base}Z${quote}`, `${base}Z${quote}`];
}

export const askBinance = perCoin(async (access, symbol) => {
  const schema = z.object({
    symbol: z.literal(symbol),
    bidPrice: z.string(),
    askPrice: z.string(),
    closeTime: z.number(),
  });
  const { bidPrice, askPrice, closeTime } = schema.parse(await get(access, 'api/v3/ticker/24hr', { symbol }));
  return { rateE12: middleOf(bidPrice, askPrice), at: parseTime(closeTime) };
});

/** Errors come with status 200 and a code. */
export const askOkx = perCoin(async (access, instId) => {
  const schema = z.object({
    code: z.literal('0'),
    data: z.tuple([z.object({ instId: z.literal(instId), bidPx: z.string(), askPx: z.string(), ts: z.string() })]),
  });
  const [ticker] = schema.parse(await get(access, 'api/v5/market/ticker', { instId })).data;
  return { rateE12: middleOf(ticker.bidPx, ticker.askPx), at: parseTime(Number(ticker.ts)) };
});

/** Errors come with status 200 and a code. */
export const askBybit = perCoin(async (access, symbol) => {
  const schema = z.object({
    retCode: z.literal(0),
    result: z.object({
      category: z.literal('spot'),
      list: z.tuple([z.object({ symbol: z.literal(symbol), bid1Price: z.string(), ask1Price: z.string() })]),
    }),
    time: z.number(),
  });
  const { result, time } = schema.parse(await get(access, 'v5/market/tickers', { category: 'spot', symbol }));
  return { rateE12: middleOf(result.list[0].bid1Price, result.list[0].ask1Price), at: parseTime(time) };
});

/** `time` is that of the last trade: the offers are at least as new. */
export const askCoinbase = perCoin(async (access, product) => {
  const schema = z.object({ bid: z.string(), ask: z.string(), time: z.iso.datetime({ offset: true }) });
  const { bid, ask, time } = schema.parse(await get(access, `products/${product}/ticker`));
  return { rateE12: middleOf(bid, ask), at: parseTime(Date.parse(time)) };
});

/** Keys of paid plans are valid at this host only, by a header of their own, and those of the free plan at the other one only. */
const COINGECKO_PRO_HOST = 'pro-api.coingecko.com';

/** An unknown id is missing in the answer. Without a key the service refuses most requests. */
export async function askCoingecko(access: SourceAccess, ids: readonly string[]): Promise<Answers> {
  const query = { ids: ids.join(','), vs_currencies: 'usd', include_last_updated_at: 'true' };
  const plan = new URL(access.baseUrl).hostname === COINGECKO_PRO_HOST ? 'pro' : 'demo';
  const headers: Record<string, string> = access.key === undefined ? {} : { [`x-cg-${plan}-api-key`]: access.key };
  const prices = z.record(z.string(), z.unknown()).parse(await get(access, 'api/v3/simple/price', query, headers));
  const price = z.object({ usd: z.number().positive(), last_updated_at: z.number() });
  return answersOf(ids, (id) => {
    const { usd, last_updated_at } = price.parse(prices[id]);
    return { rateE12: parseNumericRate(usd), at: parseTime(last_updated_at * 1000) };
  });
}

export const askCoinpaprika = perCoin(async (access, id) => {
  const schema = z.object({
    id: z.literal(id),
    last_updated: z.iso.datetime({ offset: true }),
    quotes: z.object({ USD: z.object({ price: z.number().positive() }) }),
  });
  const { quotes, last_updated } = schema.parse(await get(access, `v1/tickers/${id}`));
  return { rateE12: parseNumericRate(quotes.USD.price), at: parseTime(Date.parse(last_updated)) };
});

/** One request for each coin, at once. */
function perCoin(ask: (access: SourceAccess, id: string) => Promise<Price>): AskSource {
  return async (access, ids) => {
    const settled = await Promise.all(
      ids.map((id) =>
        settle(
          ask(access, id).then((price) => new Map([[id, price]])),
          [id],
        ),
      ),
    );
    return new Map(settled.flatMap((answers) => [...answers]));
  };
}

/** Failures become answers. */
async function settle(answers: Promise<Answers>, ids: readonly string[]): Promise<Answers> {
  try {
    return await answers;
  } catch (error) {
    return new Map(ids.map((id) => [id, toError(error)]));
  }
}

function answersOf(ids: readonly string[], read: (id: string) => Price): Answers {
  return new Map(
    ids.map((id): [string, Price | Error] => {
      try {
        return [id, read(id)];
      } catch (error) {
        return [id, toError(error)];
      }
    }),
  );
}

function toError(error: unknown): Error {
  if (error instanceof z.ZodError) return new Error('the answer has another form than documented', { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

/** Appends the path to the base address. */
function get(
  { baseUrl, signal }: SourceAccess,
  path: string,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<unknown> {
  const url = new URL(path, baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return fetchJson(url, signal, headers);
}
