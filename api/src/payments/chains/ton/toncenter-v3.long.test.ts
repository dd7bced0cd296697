/**
 * What is too large for one response of an index is read in parts, down to one transaction of one account, and any number of one second.
 * @module-tag long
 */
import { beginCell } from '@ton/core';
import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { serveLocally } from '../../../../test/chains/local-server.ts';
import { createHttpTransport } from '../http-transport.ts';
import { createV3Source } from './toncenter-v3.ts';

const signal = new AbortController().signal;
/** Of one response, here. */
const BYTES_MAX = 16 * 1024;
const START = 1_700_000_000;
const accountOf = (index: number) => `0:${index.toString(16).padStart(64, '0')}`;
const hashOf = (index: number) => createHash('sha256').update(String(index)).digest('base64');

interface Listed {
  account: string;
  time: number;
  /** Undefined: it has none. */
  body?: string;
  /** Otherwise they ascend by one. */
  lt?: number;
}

/** An index with these transactions, as toncenter sorts and pages them. @param ignoresLt as no release does */
async function openIndex(listed: readonly Listed[], ignoresLt = false) {
  const requests: URLSearchParams[] = [];
  const print = ({ account, time, body, lt }: Listed, index: number) => ({
    account,
    hash: hashOf(index),
    lt: String(lt ?? index + 1),
    now: time,
    mc_block_seqno: 1,
    description: { type: 'ord' },
    in_msg: {
      source: accountOf(0xffff),
      value: '1',
      bounced: false,
      message_content: body === undefined ? null : { body },
    },
    out_msgs: [],
  });
  const all = listed.map((one, index) => ({ ...one, printed: print(one, index) }));
  const { url, close } = await serveLocally((request, response) => {
    const query = new URL(request.url!, 'http://index').searchParams;
    requests.push(query);
    const number = (name: string) => Number(query.get(name));
    const accounts = new Set(query.getAll('account'));
    const found = all.filter(
      ({ account, time, printed }) =>
        accounts.has(account) &&
        time >= number('start_utime') &&
        time <= number('end_utime') &&
        (ignoresLt || Number(printed.lt) >= number('start_lt')),
    );
    const page = found.slice(number('offset'), number('offset') + number('limit'));
    response.end(JSON.stringify({ transactions: page.map(({ printed }) => printed) }));
  });
  onTestFinished(close);
  const source = createV3Source(createHttpTransport({ url, responseBytesMax: BYTES_MAX }), 10_000);
  const read = async (accounts: number, seconds = 1800) => {
    const range = { from: new Date(START * 1000), to: new Date((START + seconds) * 1000) };
    const wanted = Array.from({ length: accounts }, (_, index) => accountOf(index));
    const found = await source.index!.transactions(wanted, range, signal);
    return found.map(({ hash }) => hash).toSorted();
  };
  return { requests, read };
}

const hashesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => Buffer.from(hashOf(index), 'base64').toString('hex')).toSorted();

const EMPTY = beginCell().endCell().toBoc().toString('base64');
/** As large as a body may be, compared with a response. */
const LARGE = beginCell()
  .storeBuffer(Buffer.alloc(120))
  .storeRef(beginCell().storeBuffer(Buffer.alloc(120, 1)).endCell())
  .endCell()
  .toBoc()
  .toString('base64');

it('reads messages to one address of which one response holds fewer, and remembers how many', async () => {
  const index = await openIndex(
    Array.from({ length: 60 }, (_, at) => ({ account: accountOf(0), time: START + at, body: LARGE })),
  );
  expect(await index.read(1)).toEqual(hashesOf(60));
  const { length } = index.requests;
  expect(await index.read(1)).toEqual(hashesOf(60));
  expect(index.requests.length - length).toBeLessThan(length);
});

it.each([
  ['less than a response has', 9000],
  ['as much as two of them do not have', BYTES_MAX / 2],
])('reads three messages with %s', async (_, length) => {
  // It is no cell, but every message that fits is parsed.
  const listed = [0, 1, 2].map((at) => ({ account: accountOf(at), time: START, body: EMPTY + ' '.repeat(length) }));
  expect(await (await openIndex(listed)).read(3)).toEqual(hashesOf(3));
});

it('asks for fewer accounts if even one transaction is too large', async () => {
  const listed = [0, 1, 2].map((at) => ({ account: accountOf(at), time: START, body: ' '.repeat(BYTES_MAX) }));
  const index = await openIndex(listed);
  await expect(index.read(3)).rejects.toMatchObject({ reason: 'INVALID_RESPONSE', message: /more than 16384 bytes/ });
  const asked = index.requests.map((query) => [query.getAll('account').length, query.get('limit')].join(' '));
  expect(asked).toContain('3 1');
  expect(asked.at(-1)).toBe('1 1');
});

it.each([5000, 5001])('reads %i transactions of one address in a window', async (count) => {
  const listed = Array.from({ length: count }, (_, at) => ({
    account: accountOf(0),
    time: START + (at % 1800),
    body: EMPTY,
  }));
  const index = await openIndex(listed);
  expect(await index.read(1)).toEqual(hashesOf(count));
});

it.each([5000, 5001, 10_001])('reads %i transactions of one second to a hundred addresses', async (count) => {
  // Two at a time have the same logical time, also at the bound of a page.
  const listed = Array.from({ length: count }, (_, at) => ({
    account: accountOf(at % 100),
    time: START + 1,
    lt: Math.ceil(at / 2) + 1,
  }));
  const index = await openIndex(listed);
  expect(await index.read(100, 1)).toEqual(hashesOf(count));
});

it('refuses an index that does not go on within a second', async () => {
  const listed = Array.from({ length: 5001 }, () => ({ account: accountOf(0), time: START + 1 }));
  const read = (await openIndex(listed, true)).read(1, 1);
  await expect(read).rejects.toMatchObject({ reason: 'INVALID_RESPONSE', message: /does not sort .* the second/ });
});
