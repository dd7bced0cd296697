import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createFakeUtxoChain, genesisHash, hashOf, serveUtxo } from '../../../test/chains/fake-utxo.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { createMemoryPoolReader } from './memory-pool.ts';
import { ResponseTooLarge } from './refusals.ts';
import { readUnspent } from './utxo-balances.ts';
import { createUtxoNode, type UtxoNode, witnessScript } from './utxo-node.ts';
import { createUtxoWatcher } from './utxo-rpc.ts';

const ours = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu';
const unused = 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g';
const script = witnessScript(ours, 'bc');

const unspent = (id: string, amount: number, height: number) => ({
  txid: hashOf(id),
  vout: 1,
  scriptPubKey: script,
  amount,
  height,
});

it('balances are those of all unspent outputs, and deposits are compared with outputs of six confirmations', async () => {
  const scan = { success: true, height: 1000, unspents: [unspent('old', 0.1, 995), unspent('new', 0.02, 996)] };
  const node = await startFakeNode({ ...serveUtxo(createFakeUtxoChain()), scantxoutset: () => scan });
  const network = { genesisHash, addressPrefix: 'bc' };
  const watcher = createUtxoWatcher({ chain: 'bitcoin', urls: [node.url], network });
  const balances = await watcher.balances('BTC', [ours, unused], new AbortController().signal);
  expect(balances).toEqual({
    height: 995,
    units: new Map([
      [ours, 12_000_000n],
      [unused, 0n],
    ]),
    outputs: [{ transactionId: hashOf('old'), output: 1, address: ours, units: 10_000_000n, height: 995 }],
  });
});

it('a scan that takes too long is ended on the node, and counts as a node that is down', async () => {
  const node = await startFakeNode({});
  const actions: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { params } = JSON.parse(await text(request)) as { params: [string] };
    actions.push(params[0]);
    if (params[0] === 'abort') response.end(JSON.stringify({ result: true }));
  };
  node.respond = (request, response) => void answer(request, response);
  const scan = createUtxoNode(node.url).unspent([script], AbortSignal.timeout(50));
  await expect(scan).rejects.toMatchObject({ name: 'ChainUnavailable', reason: 'DOWN' });
  expect(actions).toEqual(['start', 'abort']);
});

it('a scan whose result has more bytes than are read is made for fewer addresses at once', async () => {
  const found = { [script]: unspent('old', 0.1, 995) } as Record<string, object>;
  const asked: number[] = [];
  const node = {
    ...createUtxoNode('http://127.0.0.1:1'),
    unspent: (scripts: readonly string[]) => {
      asked.push(scripts.length);
      if (scripts.length > 1) return Promise.reject(new ResponseTooLarge('node', 1));
      const unspents = [found[scripts[0]!]].flatMap((one) => (one ? [{ ...one, amount: 10_000_000n }] : []));
      return Promise.resolve({ success: true, height: 1000 + asked.length, unspents });
    },
  } as unknown as UtxoNode;
  const scripts = new Map([
    [script, ours],
    [witnessScript(unused, 'bc'), unused],
  ]);
  const { height, units, outputs } = await readUnspent(node, scripts, new AbortController().signal);
  expect(asked).toEqual([2, 1, 1]);
  expect([height, units.get(ours), units.get(unused), outputs!.length]).toEqual([997, 10_000_000n, 0n, 1]);
});

it('a pool whose list has more bytes than are read is left out: payments are found in blocks', async () => {
  const node = { pooledIds: () => Promise.reject(new ResponseTooLarge('node', 1)) } as unknown as UtxoNode;
  const pool = await createMemoryPoolReader(node)(new AbortController().signal);
  expect(pool).toEqual({ isComplete: false, transactions: new Map() });
});
