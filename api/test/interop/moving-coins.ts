/**
 * bcoin as Bitcoin and litecoind as Litecoin, with a block every second and wallets of their own that pay. Both are test networks: a facade
 * names the main network's block 0, and addresses are written in the form of the test network.
 */
import { bech32 } from '@scure/base';
import { freePort } from '../../../tools/ports.mjs';
import { startBcoin } from '../chains/bcoin.ts';
import { startLitecoind } from '../chains/litecoind.ts';
import type { LocalServer } from '../chains/local-server.ts';
import { createRpc, type Rpc } from '../chains/rpc.ts';
import { readTarget, startRpcFacade } from '../chains/rpc-facade.ts';

const BLOCK_EVERY_MS = 1000;
/** Mined coins can be spent after 100 blocks. */
const FIRST_BLOCKS = 110;
const FEE_RATE = 0.0002;

const genesisHashes = {
  bitcoin: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  litecoin: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
};

/** The accounts m/84'/0'/0' and m/84'/2'/0' of the seed phrase `abandon` x 11 + `about`. */
const accounts = {
  PAY_BTC_XPUB:
    'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
  PAY_BTC_ADDRESS_0: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  PAY_LTC_XPUB:
    'xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE',
  PAY_LTC_ADDRESS_0: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
};

export interface MovingCoins {
  /** Pays from the wallet of the node. @returns the id of the transaction */
  pay: Record<'BTC' | 'LTC', (address: string, amount: number) => Promise<string>>;
  /** Of the operator. */
  settings: Record<string, string>;
  end: () => Promise<void>;
}

export async function startMovingCoins(): Promise<MovingCoins> {
  const [bitcoin, litecoin] = await Promise.all([startBitcoin(), startLitecoin()]);
  return {
    pay: { BTC: bitcoin.pay, LTC: litecoin.pay },
    settings: { ...accounts, PAY_BTC_URLS: bitcoin.url, PAY_LTC_URLS: litecoin.url },
    end: async () => void (await Promise.all([bitcoin.end(), litecoin.end()])),
  };
}

async function startBitcoin() {
  const walletPort = await freePort();
  const node = await startBcoin(`--wallet-http-port=${walletPort}`, '--index-address=true');
  const walletUrl = `http://x:test@127.0.0.1:${walletPort}/`;
  const wallet = createRpc(walletUrl);
  await wallet('settxfee', FEE_RATE);
  const own = await readOwnAddress(walletUrl);
  const facade = await serveAsMain('bitcoin', node.facade.url, (scripts) => scanByAddress(node, scripts));
  const stopMining = await keepMining(node.rpc, own);
  return {
    url: facade.url,
    pay: (address: string, amount: number) => wallet('sendtoaddress', toPrefix(address, node.prefix), amount),
    async end() {
      stopMining();
      await facade.close();
      await node.end();
    },
  };
}

async function startLitecoin() {
  const node = await startLitecoind();
  await node.rpc('createwallet', 'payer');
  const facade = await serveAsMain('litecoin', node.url);
  const stopMining = await keepMining(node.rpc, await node.rpc('getnewaddress'));
  return {
    url: facade.url,
    pay: (address: string, amount: number) => node.rpc('sendtoaddress', toPrefix(address, node.prefix), amount),
    async end() {
      stopMining();
      await facade.close();
      await node.end();
    },
  };
}

/** bcoin's RPC writes it in the form of the main network. */
async function readOwnAddress(walletUrl: string): Promise<string> {
  const { origin, headers } = readTarget(walletUrl);
  const response = await fetch(`${origin}/wallet/primary/account/default`, { headers });
  return ((await response.json()) as { receiveAddress: string }).receiveAddress;
}

/** @returns a function that ends it */
async function keepMining(rpc: Rpc, address: string): Promise<() => void> {
  await rpc('generatetoaddress', FIRST_BLOCKS, address);
  const timer = setInterval(() => void rpc('generatetoaddress', 1, address).catch(() => undefined), BLOCK_EVERY_MS);
  return () => clearInterval(timer);
}

function toPrefix(address: string, prefix: string): string {
  return bech32.encode(prefix, bech32.decode(address as `${string}1${string}`).words);
}

type Scan = (scripts: readonly string[]) => Promise<unknown>;

/** @param scan answers `scantxoutset` for a node that lacks it */
const serveAsMain = (chain: keyof typeof genesisHashes, target: string, scan?: Scan): Promise<LocalServer> =>
  startRpcFacade(target, async ({ method, params }) => {
    if (method === 'getblockhash' && params[0] === 0) return { result: genesisHashes[chain] };
    if (method !== 'scantxoutset' || !scan) return { method, params };
    const [action, descriptors] = params as [string, string[]];
    return { result: action === 'start' ? await scan(descriptors.map((one) => /\w{44}/.exec(one)![0])) : null };
  });

interface Coin {
  hash: string;
  index: number;
  value: number;
  height: number;
  script: string;
}

/** From bcoin's index of addresses. */
async function scanByAddress({ rpc, url, prefix }: Awaited<ReturnType<typeof startBcoin>>, scripts: readonly string[]) {
  const height = await rpc<number>('getblockcount');
  const { origin, headers } = readTarget(url);
  const unspents = await Promise.all(
    scripts.map(async (script) => {
      const address = bech32.encode(prefix, [0, ...bech32.toWords(Buffer.from(script.slice(4), 'hex'))]);
      const response = await fetch(`${origin}/coin/address/${address}`, { headers });
      const coins = (await response.json()) as Coin[];
      return coins
        .filter((coin) => coin.height >= 0)
        .map((coin) => ({
          txid: coin.hash,
          vout: coin.index,
          scriptPubKey: coin.script,
          amount: coin.value / 1e8,
          height: coin.height,
        }));
    }),
  );
  return { success: true, height, unspents: unspents.flat() };
}
