/** Each call that the code makes of a source has recorded answers, or README.md says that no public source has them. */
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { rateSourceNames } from '../../src/payments/rates/ids.ts';
import { readTables } from '../markdown-tables.ts';
import { readRecordedJson } from './recorded.ts';

const code = new URL('../../src/payments/', import.meta.url);

/** Files that speak to sources. */
const kinds: [RegExp, string][] = [
  [/^chains\/utxo-/, 'bitcoin'],
  [/^(?:chains|sweep)\/evm-/, 'evm'],
  [/^(?:chains\/tron\/|sweep\/tron-)/, 'tron'],
  [/^chains\/ton\/toncenter-v2/, 'ton v2'],
  [/^chains\/ton\/toncenter-v3/, 'ton v3'],
];
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, match]) => match!);

function listCalls(): Set<string> {
  const calls = rateSourceNames.map((name) => `rates ${name}`);
  for (const file of fs.globSync('**/*.ts', { cwd: code })) {
    if (file.endsWith('.test.ts')) continue;
    const text = fs.readFileSync(new URL(file, code), 'utf8');
    const methods = all(text, /rpc\s*\.call\(\s*'(\w+)'/g);
    const kind = kinds.find(([pattern]) => pattern.test(file))?.[1];
    const isCaller = /rpc\s*\.call\(|http\.(?:get|post)\(/.test(text);
    expect([file, isCaller && kind === undefined], 'files that speak to sources have a kind').toEqual([file, false]);
    expect([file, methods.length], 'methods are literals').toEqual([file, all(text, /(rpc)\s*\.call\(/g).length]);
    const paths = kind?.startsWith('t') ? all(text, /['`](\/(?:wallet(?:solidity)?\/)?[A-Za-z]+)['`]/g) : [];
    const logs = kind === 'tron' && text.includes('requestLogs(rpc') ? ['eth_getLogs'] : [];
    calls.push(...[...methods, ...paths, ...logs].map((call) => `${kind} ${call}`));
  }
  return new Set(calls.filter((call) => !ofTransport.has(call)));
}

/** Below which TRON speaks JSON-RPC. */
const ofTransport = new Set(['tron /jsonrpc']);

type Count = [answers: number, errors: number];

function countRecorded(): Map<string, Count> {
  const counts = new Map<string, Count>();
  const add = (call: string, isError: boolean, number = 1) => {
    const count = counts.get(call) ?? [0, 0];
    count[isError ? 1 : 0] += number;
    counts.set(call, count);
  };
  for (const { source, error } of readRecordedJson('rates.json') as { source: string; error?: string }[])
    add(`rates ${source}`, error !== undefined);
  for (const file of ['evm/execution-apis.json', 'evm/erigon.json', 'evm/providers.json'])
    for (const { request, response } of readRecordedJson(file) as EvmExchange[])
      add(`evm ${request.method}`, response.error !== undefined);
  for (const { method, status } of readRecordedJson('bitcoin/rpc.json') as { method: string; status: number }[])
    add(`bitcoin ${method}`, status !== 200);
  const files = fs.globSync('*/block-*', { cwd: import.meta.dirname });
  add('bitcoin getblock', false, files.filter((file) => file.endsWith('.raw.gz')).length);
  add('bitcoin getrawtransaction', false, files.filter((file) => file.endsWith('.json.gz')).length);
  for (const { endpoint, status, isError } of readRecordedJson('tron/http.json') as TronAnswer[])
    add(`tron ${endpoint}`, isError === true || status !== 200);
  add('tron /wallet/getblock', false, fs.globSync('chains/tron/fixtures/*.json', { cwd: code }).length);
  for (const { id, path, status } of readRecordedJson(TON) as { id: string; path: string; status: number }[])
    add(`ton ${id.startsWith('v3') ? 'v3' : 'v2'} ${path}`, status !== 200);
  return counts;
}

const TON = '../../src/payments/chains/ton/fixtures/answers.json';

interface EvmExchange {
  request: { method: string };
  response: { error?: unknown };
}

interface TronAnswer {
  endpoint: string;
  status: number;
  isError?: boolean;
}

function describeMissing([answers, errors]: Count): string {
  const few = answers === 0 ? ['two answers'] : answers === 1 ? ['a second answer'] : [];
  return [...few, ...(errors === 0 ? ['an error'] : [])].join(', ');
}

test('the list of what no public source has is what is missing', () => {
  const counts = countRecorded();
  const missing = [...listCalls()]
    .toSorted()
    .map((call) => ({ Call: `\`${call}\``, 'Not found': describeMissing(counts.get(call) ?? [0, 0]) }))
    .filter((row) => row['Not found'] !== '');
  const table = readTables(`${import.meta.dirname}/README.md`).find(({ columns }) => columns[0] === 'Call');
  expect(table?.rows).toEqual(missing);
});

test('every recorded answer is of a call that the code makes', () => {
  const calls = listCalls();
  expect([...countRecorded().keys()].filter((call) => !calls.has(call))).toEqual([]);
});
