/** @module-tag thorough */
import { describe, expect, it } from 'vitest';
import { createFakeEvmChain, serveEvm } from '../../../test/chains/fake-evm.ts';
import { Refusal } from '../../../test/chains/fake-node.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { createTransferReader } from './evm-logs.ts';
import { createEvmNode } from './evm-node.ts';
import { ResponseTooLarge } from './refusals.ts';

const signal = new AbortController().signal;
const ours = `0x${'0a'.repeat(20)}`;

interface Filter {
  fromBlock: string;
  toBlock: string;
  topics: (string[] | undefined)[];
}
const heightsOf = ({ fromBlock, toBlock }: Filter) => Number(toBlock) - Number(fromBlock) + 1;

/** @param refuse the message with which the node refuses a request, if it does */
async function openReader(refuse: (filter: Filter) => string | undefined = () => undefined) {
  const chain = createFakeEvmChain({ transfers: [{ height: 1005, to: ours, units: 5n }] });
  const methods = serveEvm(chain);
  const filters: Filter[] = [];
  const node = await startFakeNode({
    ...methods,
    eth_getLogs(filter: Filter) {
      filters.push(filter);
      const message = refuse(filter);
      if (message !== undefined) throw new Refusal(-32005, message);
      return methods['eth_getLogs']!(filter as never);
    },
  });
  const reader = createTransferReader(createEvmNode(node.url), chain.token);
  return {
    filters,
    /** @param addresses of which one is paid */
    read: (heights: number, addresses = 1) => {
      const others = Array.from({ length: addresses - 1 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`);
      return reader.read(1001, 1000 + heights, new Set([ours, ...others]), signal);
    },
  };
}

describe('the reader of transfers', () => {
  it.each([
    'exceed maximum block range: 5000',
    'exceed max block range: 5000',
    'eth_getLogs is limited to a 10,000 range',
    'Block range is too wide',
    'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
    'query exceeds max results 20000, retry with the range 1-2',
    'Log response size exceeded.',
    'ranges over 10000 blocks are not supported on freetier',
    'Response exceeds the limit of 10485760 bytes',
    'Query timeout exceeded. Consider reducing your block range.',
    'limit exceeded',
  ])('asks for less after: %s', async (message) => {
    const { read } = await openReader((filter) => (heightsOf(filter) > 8 ? message : undefined));
    expect(await read(64)).toHaveLength(1);
  });

  it.each(['request timed out', 'context deadline exceeded', 'internal error: result not ready', 'header not found'])(
    'asks for the same again after: %s',
    async (message) => {
      let isRefusing = true;
      const { filters, read } = await openReader(() => (isRefusing ? message : undefined));
      for (let attempt = 0; attempt < 20; attempt += 1) await expect(read(64, 2000)).rejects.toThrow(message);
      isRefusing = false;
      filters.length = 0;
      expect(await read(64, 2000)).toHaveLength(1);
      expect(filters).toHaveLength(2);
    },
  );

  it('asks for more again when the node accepts more', async () => {
    let isRefusing = true;
    const { filters, read } = await openReader(() => (isRefusing ? 'too many results' : undefined));
    await expect(read(3, 2000)).rejects.toThrow('too many results');
    isRefusing = false;
    for (let poll = 0; poll < 3; poll += 1) {
      filters.length = 0;
      expect(await read(3, 2000)).toEqual([]);
    }
    expect(filters.length).toBeLessThanOrEqual(4);
  });

  it('seldom tries more than a node accepts', async () => {
    const { filters, read } = await openReader((filter) => (heightsOf(filter) > 5 ? 'block range' : undefined));
    await read(2000);
    const refused = filters.filter((filter) => heightsOf(filter) > 5).length;
    expect(refused).toBeLessThan(16);
    expect(filters.length - refused).toBeLessThan(700);
  });

  it('halves the addresses where the node says so', async () => {
    const { filters, read } = await openReader(({ topics }) =>
      topics[2]!.length > 100 ? 'exceed max topics: 100' : undefined,
    );
    expect(await read(64, 800)).toHaveLength(1);
    expect(Math.min(...filters.map(heightsOf))).toBe(64);
  });

  it.each([
    [2000, 30, 2],
    [2001, 30, 1],
    [20_000, 30, 1],
    [20_000, 51, 20],
  ])('asks for %i addresses in %i blocks with %i requests', async (addresses, heights, requests) => {
    const { filters, read } = await openReader();
    expect(await read(heights, addresses)).toMatchObject([{ recipient: ours, units: 5n }]);
    expect(filters).toHaveLength(requests);
  });

  it('asks for less of what has more bytes than are read, down to one block and one address', async () => {
    const asked: string[] = [];
    const logs: Parameters<typeof createTransferReader>[0]['logs'] = ({ fromHeight, toHeight, recipients }) => {
      asked.push(`${toHeight - fromHeight + 1} ${recipients!.length}`);
      const isOne = fromHeight === toHeight && recipients!.length === 1;
      return isOne ? Promise.resolve([]) : Promise.reject(new ResponseTooLarge('node', 1));
    };
    const reader = createTransferReader({ logs }, `0x${'0c'.repeat(20)}`);
    const others = [ours, `0x${'0d'.repeat(20)}`];
    expect(await reader.read(1, 4, new Set(others), signal)).toEqual([]);
    expect(asked.filter((one) => one === '1 1')).toHaveLength(8);
  });
});
