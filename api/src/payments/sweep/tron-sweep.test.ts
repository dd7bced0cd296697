/**
 * Sweeps of TRON from the list to the block, on the emulator: the numbers of the guide suffice, and what is missing is said.
 * @module-tag thorough
 */
import { expect, onTestFinished, test } from 'vitest';
import { TronChain } from '../../../test/chains/tron/chain.ts';
import { keys } from '../../../test/chains/tron/ledger.ts';
import { startTronNode } from '../../../test/chains/tron/node.ts';
import {
  holdingsFile,
  TRON_ADDRESSES,
  TRON_TREASURY,
  type TronHoldings,
  tronHoldings,
  USDT,
} from '../../../test/holdings.ts';
import { signList } from '../../../test/offline-signing.ts';
import { toHexAddress } from '../chains/tron/network.ts';
import { createSweepSource } from './sweep-source.ts';
import { encodeTokenCall } from './token-call.ts';

const [FIRST, SECOND] = TRON_ADDRESSES;
const owner = toHexAddress;

async function startTron() {
  const chain = new TronChain();
  const node = await startTronNode(chain);
  onTestFinished(() => node.close());
  const source = createSweepSource('tron', node.url);
  const { signal } = new AbortController();
  const value = (key: string) => chain.valuesAt(chain.head.height).get(key);
  const trxOf = (address: string) => value(keys.trx(owner(address)));
  const usdtOf = (address: string) => value(keys.token(chain.contracts.usdt, owner(address)));
  return {
    chain,
    source,
    trxOf,
    usdtOf,
    /** USDT of somebody, as a customer pays it. */
    payUsdt(to: string, units: bigint) {
      const data = Buffer.from(encodeTokenCall({ to: owner(to).slice(2), units })).toString('hex');
      const contract = chain.contracts.usdt;
      chain.send(
        chain.bank,
        { kind: 'CALL', owner: chain.bank.address, contract, value: 0n, data },
        { feeLimit: 20_000_000n },
      );
      chain.mine();
    },
    payTrx(to: string, units: bigint) {
      chain.send(chain.bank, { kind: 'TRX', owner: chain.bank.address, to: owner(to), units });
      chain.mine();
    },
    /** As the server makes it. */
    list(): TronHoldings {
      const block = chain.blocks[chain.solidHeight]!;
      const addresses = [FIRST, SECOND].map((address, index) => ({
        ...tronHoldings().addresses[0]!,
        index,
        address,
        isActivated: value(keys.account(owner(address))) === 1n,
        // The emulator lends none.
        bandwidth: 0,
        assets: [
          { asset: 'USDT' as const, contract: USDT.tron, units: String(usdtOf(address)) },
          { asset: 'TRX' as const, units: String(trxOf(address)) },
        ].filter(({ units }) => units !== '0'),
      }));
      const time = new Date(block.timeMs).toISOString();
      return { ...tronHoldings(), referenceBlock: { height: block.height, id: block.id, time }, addresses };
    },
    /** Signs, sends, makes a block, and reports what became of each. */
    async sweep(list: TronHoldings, answers: readonly string[]) {
      const signing = await signList(holdingsFile(list), answers, chain.now());
      const posted = [];
      for (const each of signing.sweeps) posted.push(await source.post(each, signal));
      for (const each of signing.sweeps) expect(await source.post(each, signal)).toBe('KNOWN');
      chain.mine(3);
      const found = await Promise.all(signing.sweeps.map((each) => source.find(each, signal)));
      return { ...signing, posted, found };
    },
  };
}

const succeeded = { height: expect.any(Number), isSuccessful: true };

test('USDT and TRX arrive, one unit stays, and the fee stays below what was said', async () => {
  const tron = await startTron();
  tron.payUsdt(FIRST, 150_000_000n);
  tron.payTrx(FIRST, 30_000_000n);
  const { posted, found, sweeps } = await tron.sweep(tron.list(), [TRON_TREASURY, '', 'no', 'sign']);
  expect([posted, found]).toEqual([['TAKEN'], [succeeded]]);
  expect(sweeps[0]).toMatchObject({ from: FIRST, to: TRON_TREASURY, units: 149_999_999n });
  expect([tron.usdtOf(FIRST), tron.usdtOf(TRON_TREASURY)]).toEqual([1n, 149_999_999n]);
  expect(30_000_000n - tron.trxOf(FIRST)).toBeLessThanOrEqual(13_445_000n);
  tron.payTrx(TRON_TREASURY, 1n);
  const rest = tron.trxOf(FIRST);
  const native = await tron.sweep(tron.list(), [TRON_TREASURY, 'yes', 'sign']);
  expect(native.found).toEqual([succeeded]);
  const swept = native.sweeps[0]!.units;
  expect([tron.trxOf(FIRST), tron.trxOf(TRON_TREASURY)]).toEqual([rest - swept, swept + 1n]);
  expect(rest - swept).toBeLessThan(300_000n);
});

test.each([
  ['yes', 'send 6.845 TRX to it', 6_845_000n],
  ['no', 'send 13.445 TRX to it', 13_445_000n],
])(
  'an address that never had TRX: what the program says is missing suffices (holder: %s)',
  async (isHolder, words, units) => {
    const tron = await startTron();
    if (isHolder === 'yes') tron.payUsdt(TRON_TREASURY, 1n);
    tron.payUsdt(FIRST, 40_000_000n);
    tron.payUsdt(SECOND, 40_000_000n);
    tron.payTrx(SECOND, 30_000_000n);
    const before = await signList(holdingsFile(tron.list()), [TRON_TREASURY, '', isHolder, 'sign'], tron.chain.now());
    expect(before.sweeps.map(({ from }) => from)).toEqual([SECOND]);
    expect(before.screen).toContain(words);
    expect(before.screen).toContain('It is not activated');
    tron.payTrx(FIRST, units);
    const list = tron.list();
    list.addresses.pop();
    const { found } = await tron.sweep(list, [TRON_TREASURY, '', isHolder, 'sign']);
    expect(found).toEqual([succeeded]);
    expect(tron.usdtOf(FIRST)).toBe(1n);
  },
);

test('TRX for a destination that was never activated are not sent, with the reason', async () => {
  const tron = await startTron();
  tron.payTrx(FIRST, 30_000_000n);
  const { sweeps } = await signList(holdingsFile(tron.list()), [TRON_TREASURY, 'yes', 'sign'], tron.chain.now());
  const post = () => tron.source.post(sweeps[0]!, new AbortController().signal);
  expect(await post()).toEqual({
    refusal: 'the destination has never received TRX: activate it first with 1 TRX from another wallet',
  });
  tron.payTrx(TRON_TREASURY, 1n);
  expect(await post()).toBe('TAKEN');
});

test('a list that promises energy which is not there costs the fee, and moves nothing', async () => {
  const tron = await startTron();
  tron.payUsdt(FIRST, 40_000_000n);
  tron.payTrx(FIRST, 1_000_000n);
  const list = tron.list();
  list.addresses[0]!.energy = 200_000;
  list.addresses.pop();
  const { found } = await tron.sweep(list, [TRON_TREASURY, '', 'yes', 'sign']);
  expect(found).toEqual([{ height: expect.any(Number), isSuccessful: false }]);
  expect(tron.usdtOf(FIRST)).toBe(40_000_000n);
});

test('a node of another network refuses it, because it has not the reference block', async () => {
  const [one, other] = [await startTron(), await startTron()];
  one.payUsdt(FIRST, 40_000_000n);
  one.payTrx(FIRST, 30_000_000n);
  const { sweeps } = await signList(holdingsFile(one.list()), [TRON_TREASURY, '', 'no', 'sign'], one.chain.now());
  const node = await startTronNode(other.chain);
  onTestFinished(() => node.close());
  const answer = await createSweepSource('tron', node.url).post(sweeps[0]!, new AbortController().signal);
  expect(answer).toEqual({ refusal: 'TAPOS_ERROR Tapos check error' });
});
