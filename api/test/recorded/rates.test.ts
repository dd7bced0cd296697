/** What the parsers of exchange rates make of recorded answers of their sources. */
import { afterEach, expect, test, vi } from 'vitest';
import type { RateSourceName } from '../../src/payments/rates/ids.ts';
import { rateSources } from '../../src/payments/rates/sources.ts';
import { readRecordedJson } from './recorded.ts';

afterEach(() => void vi.unstubAllGlobals());

interface Recorded {
  source: RateSourceName;
  id: string;
  status: number;
  text: string;
  recorded: string;
  /** Either a rate, with its time where the source has a clock, or an error. */
  rate?: number;
  at?: string;
  error?: string;
}

const recorded = readRecordedJson('rates.json') as Recorded[];
const access = { baseUrl: 'https://rates.example', key: 'key', signal: new AbortController().signal };

test.each(recorded.map((one) => [`${one.source} for ${one.id}, ${one.recorded}`, one] as const))(
  '%s',
  async (_, { source, id, status, text, rate, at, error }) => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(text, { status })));
    const answers = await rateSources[source].ask(access, [id]).catch((failure: Error) => new Map([[id, failure]]));
    const answer = answers.get(id)!;
    const found =
      answer instanceof Error
        ? { error: answer.message.includes(error ?? 'none') ? error : answer.message }
        : { rate: Number((Number(answer.rateE12) / 1e12).toPrecision(11)), at: at && answer.at.toISOString() };
    expect(found).toEqual(error === undefined ? { rate, at } : { error });
  },
);
