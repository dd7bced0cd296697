import { randomBytes } from 'node:crypto';
import { createEvmWatcher } from '../../src/payments/chains/evm.ts';
import { MULTICALL_ADDRESS } from '../../src/payments/chains/multicall.ts';
import { freePort } from '../../../tools/ports.mjs';
import contracts from './contracts/test-contracts.json' with { type: 'json' };
import type { LocalChain, Payout } from './local-chain.ts';
import { binary, startNode } from './local-node.ts';
import { createRpc, type Rpc } from './rpc.ts';

/** Safe is this many blocks behind the head, final twice as many. */
const SLOTS_IN_AN_EPOCH = 4;
const GAS = '0x4c4b40';
const CHAIN_IDS = { ethereum: 1, bsc: 56 };
const TOKEN_DECIMALS = { ethereum: 6, bsc: 18 };

const hex = (value: bigint | number) => `0x${value.toString(16)}`;
const word = (value: bigint | number | string) => BigInt(value).toString(16).padStart(64, '0');

/** Calls `selector(..., address[], uint256[])`. @param head the arguments before the two arrays */
function encodePayouts(selector: string, head: string[], payouts: readonly Payout[]): string {
  const length = word(payouts.length);
  const first = (head.length + 2) * 32;
  const offsets = [word(first), word(first + 32 * (payouts.length + 1))];
  const addresses = payouts.map(({ address }) => word(address));
  const units = payouts.map(({ units }) => word(units));
  return ['0x', selector, ...head.map(word), ...offsets, length, ...addresses, length, ...units].join('');
}

export interface Anvil {
  url: string;
  rpc: Rpc;
  sender: string;
  token: string;
  payer: string;
  send: (transaction: { to?: string; value?: bigint; data?: string }) => Promise<string>;
  mine: (blocks: number) => Promise<void>;
  end: () => Promise<void>;
}

/** Starts anvil with USDT, a contract that pays, and a replacement for Multicall3. */
export async function startAnvil(chain: 'ethereum' | 'bsc'): Promise<Anvil> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const rpc = createRpc(url);
  const options = ['--port', port, '--chain-id', CHAIN_IDS[chain], '--slots-in-an-epoch', SLOTS_IN_AN_EPOCH];
  const args = [...options.map(String), '--no-mining', '--silent'];
  const node = await startNode({ command: binary('ANVIL'), args }, () => rpc('eth_chainId'));
  const [sender] = await rpc<[string]>('eth_accounts');
  const mine = async (blocks: number) => void (await rpc('anvil_mine', hex(blocks)));
  const send: Anvil['send'] = ({ to, value = 0n, data }) =>
    rpc('eth_sendTransaction', { from: sender, to, value: hex(value), data, gas: GAS });
  const deploy = async (data: string) => {
    const transaction = await send({ data });
    await mine(1);
    const receipt = await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', transaction);
    return receipt.contractAddress;
  };

  await rpc('anvil_setCode', MULTICALL_ADDRESS, contracts.TestMulticall.runtimeBytecode);
  const token = await deploy(contracts.TestToken.bytecode + word(TOKEN_DECIMALS[chain]));
  const payer = await deploy(contracts.Payer.bytecode);
  for (const owner of [sender, payer]) await send(mintOf(token, owner, 10n ** 30n));
  await mine(3 * SLOTS_IN_AN_EPOCH);
  return { url, rpc, sender, token, payer, send, mine, end: () => node.end() };
}

export function randomAddress(): string {
  return `0x${randomBytes(20).toString('hex')}`;
}

/** The parts that both assets of an EVM chain share. */
async function startChain(chain: 'ethereum' | 'bsc') {
  const anvil = await startAnvil(chain);
  const raw = new Map<string, string>();
  const remember = async (transactionId: string) => {
    raw.set(transactionId, await anvil.rpc('eth_getRawTransactionByHash', transactionId));
    return transactionId;
  };
  const base = {
    hasMemoryPool: false,
    dustUnits: 1n,
    // The newest five seconds are not read.
    blocksUntilIncluded: chain === 'bsc' ? 13 : 3,
    blocksUntilFinal: (chain === 'bsc' ? 20 : 2 * SLOTS_IN_AN_EPOCH) + 2,
    isFinal: ({ block }, { head }) => block!.height <= head.finalizedHeight!,
    url: anvil.url,
    createWatcher: (urls = [anvil.url]) => createEvmWatcher({ chain, urls, usdtContract: anvil.token }),
    newAddress: async () => randomAddress(),
    mine: anvil.mine,
    reorganise: async (depth) => void (await anvil.rpc('anvil_reorg', depth, [])),
    includeAgain: async (transactionId) => {
      await anvil.rpc('eth_sendRawTransaction', raw.get(transactionId)!);
      await anvil.mine(1);
    },
    end: anvil.end,
  } satisfies Partial<LocalChain>;
  return { anvil, base, remember };
}

const sum = (payouts: readonly Payout[]) => payouts.reduce((sum, { units }) => sum + units, 0n);

export async function startEther(): Promise<LocalChain> {
  const { anvil, base, remember } = await startChain('ethereum');
  const { selectors } = contracts.Payer;
  const forged = await deployForged(anvil);
  return {
    ...base,
    name: 'ETH',
    asset: 'ETH',
    showsTransactionOfBatch: false,
    units: 10n ** 16n,
    async pay(...payouts) {
      const [first] = payouts;
      if (payouts.length === 1) return remember(await anvil.send({ to: first!.address, value: first!.units }));
      const data = encodePay(payouts);
      return remember(await anvil.send({ to: anvil.payer, value: sum(payouts), data }));
    },
    fakePayments: {
      'a transaction of 0': (address) => anvil.send({ to: address }),
      'a reverted payment by a contract': (address) =>
        anvil.send({
          to: anvil.payer,
          value: 10n ** 16n,
          data: encodePayouts(selectors['payAndRevert(address[],uint256[])'], [], [{ address, units: 10n ** 16n }]),
        }),
      'a token that only claims to be USDT': (address) => anvil.send(transferOf(forged, address, 10n ** 6n)),
    },
  };
}

export async function startUsdt(chain: 'ethereum' | 'bsc'): Promise<LocalChain> {
  const { anvil, base, remember } = await startChain(chain);
  const forged = await deployForged(anvil);
  const unit = 10n ** BigInt(TOKEN_DECIMALS[chain]);
  return {
    ...base,
    name: `USDT on ${chain}`,
    asset: 'USDT',
    showsTransactionOfBatch: true,
    units: 25n * unit,
    async pay(...payouts) {
      const [first] = payouts;
      if (payouts.length === 1)
        return remember(await anvil.send(transferOf(anvil.token, first!.address, first!.units)));
      const selector = contracts.Payer.selectors['payTokens(address,address[],uint256[])'];
      return remember(await anvil.send({ to: anvil.payer, data: encodePayouts(selector, [anvil.token], payouts) }));
    },
    fakePayments: {
      'a token that only claims to be USDT': (address) => anvil.send(transferOf(forged, address, unit)),
      'another contract of the same code': async (address) => {
        const other = await anvil.send({ data: contracts.TestToken.bytecode + word(TOKEN_DECIMALS[chain]) });
        await anvil.mine(1);
        const receipt = await anvil.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', other);
        return anvil.send(mintOf(receipt.contractAddress, address, unit));
      },
      'a transfer of 0': (address) => anvil.send(transferOf(anvil.token, address, 0n)),
      'a transfer of more than the sender has': (address) => anvil.send(transferOf(anvil.token, address, 10n ** 40n)),
      ...(chain === 'bsc' && { 'the native coin': (address) => anvil.send({ to: address, value: 1n }) }),
    },
  };
}

export const encodePay = (payouts: readonly Payout[]) =>
  encodePayouts(contracts.Payer.selectors['pay(address[],uint256[])'], [], payouts);

async function deployForged({ rpc, send, mine }: Anvil): Promise<string> {
  const transaction = await send({ data: contracts.ForgedToken.bytecode });
  await mine(1);
  return (await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', transaction)).contractAddress;
}

export function mintOf(token: string, to: string, units: bigint) {
  const selector = contracts.TestToken.selectors['mint(address,uint256)'];
  return { to: token, data: `0x${selector}${word(to)}${word(units)}` };
}

export function transferOf(token: string, to: string, units: bigint) {
  const selector = contracts.TestToken.selectors['transfer(address,uint256)'];
  return { to: token, data: `0x${selector}${word(to)}${word(units)}` };
}
