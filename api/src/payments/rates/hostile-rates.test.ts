/**
 * One source of rates lies, lags, is silent or sends nonsense, while others fail as they like.
 * @module-tag thorough
 */
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { answerOf, offerAt, type Offer } from '../../../test/rate-answers.ts';
import { defaultRateIds, rateSourceNames, type RateSourceName } from './ids.ts';
import { type Asset, parseRate } from './quote.ts';
import { convertFromUsdt, decideRate, type SourceQuote } from './rate-policy.ts';
import { fetchQuotes, rateSources } from './sources.ts';
import { scaled } from '../../../../tools/test-scale.ts';

afterEach(() => vi.unstubAllGlobals());

const now = new Date('2026-11-22T12:00:00Z');
const truth: Partial<Record<Asset, number>> = { TRX: 0.25, TON: 2.5, BTC: 100_000, USDT: 1 };
const wanted = Object.keys(truth) as Asset[];

const SILENT = 'nothing before the time limit';
/** What a source does when it is asked for a coin: an offer, undefined for an unknown coin, SILENT or the text of an answer. */
type Behaviour = (asset: Asset, source: RateSourceName) => Offer | undefined | string;

const honest = (share: number, ageShare: number): Behaviour => {
  return (asset, source) => {
    const at = new Date(now.getTime() - ageShare * rateSources[source].maxAgeMs);
    return offerAt(truth[asset]! * (1 + share), at);
  };
};
const failing = fc.constantFrom<Behaviour>(
  () => undefined,
  () => SILENT,
  () => '{"error":["EService:Busy"]}',
);
const honestOrFailing = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.double({ min: -0.002, max: 0.002, noNaN: true }), fc.double({ min: 0, max: 0.9, noNaN: true }))
      .map(([share, age]) => honest(share, age)),
  },
  { weight: 1, arbitrary: failing },
);
const hostile = fc.oneof(
  // Another magnitude or another coin of the same name, with any clock.
  fc
    .tuple(
      fc.constantFrom(0, 1e-9, 1e-3, 0.5, 0.97, 0.985, 1.015, 1.03, 2, 1000, 1e9),
      fc.integer({ min: -1e9, max: 1e9 }),
    )
    .map(
      ([factor, ms]): Behaviour =>
        (asset) =>
          offerAt(truth[asset]! * factor, new Date(now.getTime() + ms)),
    ),
  fc.constantFrom<Behaviour>(
    (asset) => ({ bid: 'NaN', ask: 'NaN', at: now, ...(asset === 'BTC' && { bid: '1e400' }) }),
    (asset) => offerAt(truth[asset]! * 1.019, now),
    (asset) => offerAt(truth[asset === 'TON' ? 'TRX' : 'TON']!, now),
    () => `[${'0,'.repeat(40_000)}0]`,
    () => '{"a":'.repeat(5000),
    () => SILENT,
  ),
  fc.json().map(
    (text): Behaviour =>
      () =>
        text,
  ),
);

function serve(behaviours: Record<RateSourceName, Behaviour>): void {
  vi.stubGlobal('fetch', async (url: URL) => {
    const source = url.hostname as RateSourceName;
    const said = wanted.map((asset) => [defaultRateIds[source][asset], behaviours[source](asset, source)] as const);
    const special = said.find(([id, each]) => typeof each === 'string' && id !== undefined)?.[1];
    if (special === SILENT) throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    if (typeof special === 'string') return new Response(special);
    const offers = new Map(said as [string, Offer | undefined][]);
    const { status, body } = answerOf(source, url, (id) => offers.get(id));
    return new Response(JSON.stringify(body), { status });
  });
}

async function fetchAll(): Promise<SourceQuote[]> {
  const fetched = await Promise.all(
    rateSourceNames.map((source) => {
      const access = { baseUrl: `http://${source}`, key: 'key', signal: new AbortController().signal };
      return fetchQuotes(source, access, defaultRateIds, wanted).catch(() => ({ quotes: [] }));
    }),
  );
  return fetched.flatMap(({ quotes }) => quotes);
}

function decide(asset: Asset, all: readonly SourceQuote[], usdtSourceCount: number) {
  const quotes = all.filter((quote) => quote.asset === asset);
  return decideRate({ quotes, now, previous: undefined, isStable: asset === 'USDT', usdtSourceCount });
}

async function decideAll() {
  const quotes = await fetchAll();
  const inDollars = quotes.filter(({ isInUsdt }) => !isInUsdt);
  const usdt = decide('USDT', inDollars, 0);
  const inUsdt = quotes.filter(({ isInUsdt }) => isInUsdt);
  const all = [...inDollars, ...convertFromUsdt(inUsdt, usdt.marketE12)];
  return wanted.map((asset) => ({ asset, ...decide(asset, all, usdt.sourceCount) }));
}

const WORLDS = scaled(133, 400);
const world = fc.record({
  liar: fc.constantFrom(...rateSourceNames),
  lie: hostile,
  others: fc.tuple(...rateSourceNames.map(() => honestOrFailing)),
});

test('one hostile source never makes a rate alone, nor a wrong one', { tags: ['long'] }, async () => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(world, async ({ liar, lie, others }) => {
      const all = Object.fromEntries(rateSourceNames.map((name, index) => [name, others[index]!]));
      const behaviours = { ...all, [liar]: lie } as Record<RateSourceName, Behaviour>;
      serve(behaviours);
      for (const { asset, rateE12, sourceCount } of await decideAll()) {
        if (rateE12 === undefined) continue;
        decided += 1;
        const honest = rateSourceNames.filter(
          (name) =>
            name !== liar &&
            defaultRateIds[name][asset] !== undefined &&
            typeof behaviours[name](asset, name) === 'object',
        );
        // It may move the price of USDT and that of the coin, each by half of what agreement allows.
        const off = Math.abs(Number(rateE12) / Number(parseRate(truth[asset]!.toFixed(12))) - 1);
        const isAllowed = sourceCount >= 2 && sourceCount <= honest.length + 1 && off < 0.045;
        expect({ asset, isAllowed, sourceCount, honest, off }).toMatchObject({ isAllowed: true });
      }
    }),
    { seed: 20_260_923, numRuns: WORLDS },
  );
  expect(decided).toBeGreaterThan(WORLDS);
});
