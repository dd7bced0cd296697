import { describe, expect, test } from 'vitest';
import { decideRate, FRESH_MS, type SourceQuote } from './rate-policy.ts';
import { parseNumericRate, parseRate } from './quote.ts';

const now = new Date('2026-11-22T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const quotesOf = (prices: Record<string, string>, at = now): SourceQuote[] =>
  Object.entries(prices).map(([source, price]) => ({
    source,
    asset: 'BTC',
    rateE12: parseRate(price),
    at,
    maxAgeMs: FRESH_MS,
    isInUsdt: false,
  }));
const slow = (prices: Record<string, string>, at = now): SourceQuote[] =>
  quotesOf(prices, at).map((quote) => ({ ...quote, maxAgeMs: 900_000 }));
const inUsdt = (prices: Record<string, string>): SourceQuote[] =>
  quotesOf(prices).map((quote) => ({ ...quote, isInUsdt: true }));
const previous = (seconds: number) => ({ rateE12: parseRate('100'), at: ago(seconds) });
const decide = (quotes: SourceQuote[], more: Partial<Parameters<typeof decideRate>[0]> = {}) => {
  const { rateE12, rejections, sourceCount } = decideRate({
    quotes,
    now,
    previous: undefined,
    isStable: false,
    usdtSourceCount: 2,
    ...more,
  });
  return { rate: rateE12, sourceCount, rejected: Object.fromEntries(rejections) };
};

describe('the rate', () => {
  test('is the median of the sources that agree', () => {
    expect(decide(quotesOf({ a: '100', b: '101', c: '100.5' }))).toEqual({
      rate: parseRate('100.5'),
      sourceCount: 3,
      rejected: {},
    });
    expect(decide(quotesOf({ a: '100', b: '101' })).rate).toBe(parseRate('100.5'));
  });

  test('needs two sources', () => {
    expect(decide(quotesOf({ a: '100' }))).toMatchObject({ rate: undefined, rejected: { a: 'TOO_FEW_SOURCES' } });
    expect(decide([])).toMatchObject({ rate: undefined });
  });

  test('ignores a source that is stale or ahead of the clock', () => {
    const quotes = [
      ...quotesOf({ a: '100', b: '100' }),
      ...quotesOf({ old: '100' }, ago(121)),
      ...quotesOf({ early: '100' }, ago(-31)),
    ];
    expect(decide(quotes)).toEqual({
      rate: parseRate('100'),
      sourceCount: 2,
      rejected: { old: 'STALE', early: 'FROM_THE_FUTURE' },
    });
  });

  test('drops a source that quotes another coin of the same name', () => {
    expect(decide(quotesOf({ a: '2.5', b: '2.49', wrong: '0.0012' }))).toMatchObject({
      rate: parseRate('2.495'),
      rejected: { wrong: 'OUTLIER' },
    });
  });

  test('is refused if two sources disagree, or two pairs of sources', () => {
    expect(decide(quotesOf({ a: '100', b: '110' })).rate).toBeUndefined();
    expect(decide(quotesOf({ a: '100', b: '100', c: '110', d: '110' })).rate).toBeUndefined();
  });

  test('is confirmed by a slow source for as long as the pace of that source', () => {
    const quotes = quotesOf({ a: '100' });
    expect(decide([...quotes, ...slow({ slow: '101' }, ago(899))])).toMatchObject({
      rate: parseRate('100'),
      sourceCount: 2,
    });
    expect(decide([...quotes, ...slow({ slow: '101' }, ago(901))])).toMatchObject({
      rate: undefined,
      rejected: { slow: 'STALE' },
    });
  });

  test('is never that of slow sources, which may agree on the price of a quarter of an hour ago', () => {
    expect(decide(slow({ a: '100', b: '100', c: '100' }))).toMatchObject({ rate: undefined });
    const moved = [...quotesOf({ a: '90', b: '90' }), ...slow({ c: '100', d: '100', e: '100' }, ago(800))];
    expect(decide(moved)).toMatchObject({ rate: parseRate('90'), sourceCount: 2, rejected: { c: 'OUTLIER' } });
    const lonely = [...quotesOf({ a: '90' }), ...slow({ c: '100', d: '100' })];
    expect(decide(lonely)).toMatchObject({ rate: undefined, rejected: { a: 'TOO_FEW_SOURCES' } });
  });

  test('in USDT counts no more sources than the price of USDT has', () => {
    const quotes = inUsdt({ a: '100', b: '100', c: '100' });
    expect(decide(quotes, { usdtSourceCount: 2 })).toMatchObject({ rate: parseRate('100'), sourceCount: 2 });
    expect(decide(quotes, { usdtSourceCount: 3 })).toMatchObject({ sourceCount: 3 });
    expect(decide([...quotes, ...quotesOf({ d: '100' })])).toMatchObject({ sourceCount: 3 });
  });

  test('is held after a jump of more than 15 % in 15 minutes', () => {
    const quotes = quotesOf({ a: '116', b: '116' });
    expect(decide(quotes, { previous: previous(60) })).toMatchObject({ rate: undefined, rejected: { a: 'JUMP' } });
    expect(decide(quotes, { previous: previous(901) }).rate).toBe(parseRate('116'));
    expect(decide(quotesOf({ a: '115', b: '115' }), { previous: previous(60) }).rate).toBe(parseRate('115'));
  });

  test('of a stablecoin is refused when it has lost its peg', () => {
    expect(decide(quotesOf({ a: '0.935', b: '0.936' }), { isStable: true })).toMatchObject({
      rejected: { a: 'DEPEG' },
    });
    expect(decide(quotesOf({ a: '0.985', b: '0.985' }), { isStable: true }).rate).toBe(parseRate('0.985'));
    const { rateE12, marketE12, problem } = decideRate({
      quotes: quotesOf({ a: '0.8', b: '0.8' }),
      now,
      previous: undefined,
      isStable: true,
      usdtSourceCount: 0,
    });
    expect({ rateE12, marketE12, problem }).toEqual({
      rateE12: undefined,
      marketE12: parseRate('0.8'),
      problem: 'DEPEG',
    });
  });
});

test('prices are exact decimals', () => {
  expect(parseRate('84123.4')).toBe(84_123_400_000_000_000n);
  expect(parseRate('0.0000000000019')).toBe(1n);
  expect(parseNumericRate(0.25)).toBe(250_000_000_000n);
  for (const wrong of ['0', '-1', '1e3', '', 'NaN', '1,5', '0.0000000000001'])
    expect(() => parseRate(wrong)).toThrow('no price');
});
