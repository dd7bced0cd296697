import { freePort } from '../../../tools/ports.mjs';
import type { LocalChain } from './local-chain.ts';
import type { LocalServer } from './local-server.ts';
import { binary, nodeDirectory, startNode } from './local-node.ts';
import { createRpc, type Rpc } from './rpc.ts';
import { startRpcFacade } from './rpc-facade.ts';
import { mineCoins, openUtxoChain } from './utxo-chain.ts';

const network = { bech32: 'rb', pubKeyHash: 0x3c, scriptHash: 0x26, wif: 0x5a };
const COINS = 80;
/** From here on, transactions with witnesses are accepted. */
const SEGWIT_HEIGHT = 432;

export interface Bcoin {
  /** Of the node itself, with its password. */
  url: string;
  /** As Bitcoin's JSON-RPC of today. */
  facade: LocalServer;
  rpc: Rpc;
  prefix: string;
  end: () => Promise<void>;
}

/** @param options in addition to those that every test needs */
export async function startBcoin(...options: string[]): Promise<Bcoin> {
  const { directory, remove } = nodeDirectory();
  const port = await freePort();
  const url = `http://x:test@127.0.0.1:${port}/`;
  const rpc = createRpc(url);
  const args = [
    binary('BCOIN'),
    '--network=regtest',
    '--memory=true',
    `--prefix=${directory}`,
    '--api-key=test',
    '--http-host=127.0.0.1',
    `--http-port=${port}`,
    '--listen=false',
    '--no-dns=true',
    '--index-tx=true',
    ...options,
  ];
  // Its native addons are not built.
  const env = { NODE_BACKEND: 'js' };
  const node = await startNode({ command: process.execPath, args, env }, () => rpc('getblockcount'));
  const facade = await startFacade(url);
  const end = async () => {
    await facade.close();
    await node.end();
    remove();
  };
  return { url, facade, rpc, prefix: network.bech32, end };
}

export async function startBitcoin(): Promise<LocalChain> {
  const { facade, rpc, end } = await startBcoin();
  const generate = (blocks: number, address: string) => rpc<string[]>('generatetoaddress', blocks, address);
  const options = {
    name: 'BTC',
    chain: 'bitcoin' as const,
    asset: 'BTC' as const,
    url: facade.url,
    rpc,
    network,
    dustUnits: 294n,
    generate,
    // Transactions of blocks that left the chain do not return to its memory pool.
    generateEmpty: (address: string) => generate(1, address),
    end,
  };
  const { chain, wallet } = await openUtxoChain(options);
  await mineCoins(options, wallet, COINS);
  await generate(SEGWIT_HEIGHT - COINS + 20, wallet.address);
  const { replace: _replace, ...withoutReplacement } = chain;
  return { ...withoutReplacement, cannotReadBalances: true };
}

/** bcoin's RPC is older than Bitcoin's verbosity numbers: a boolean asks for the serialized block. */
const startFacade = (target: string): Promise<LocalServer> =>
  startRpcFacade(target, ({ method, params }) => ({
    method,
    params: method === 'getblock' ? [params[0], false] : params,
  }));
