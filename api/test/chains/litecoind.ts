import fs from 'node:fs';
import path from 'node:path';
import { freePort } from '../../../tools/ports.mjs';
import type { LocalChain } from './local-chain.ts';
import { binary, nodeDirectory, startNode } from './local-node.ts';
import { createRpc, type Rpc } from './rpc.ts';
import { mineCoins, openUtxoChain } from './utxo-chain.ts';

const network = { bech32: 'rltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef };
/** The next block must contain an MWEB block, and so a peg-in. */
const MWEB_HEIGHT = 431;
const COINS = 80;
const WALLET_COINS = 2;
const REWARD = 50;
/** More than the fee of any transaction. */
const PRIORITY_UNITS = 100_000_000;

export interface Litecoin {
  chain: LocalChain;
  rpc: Rpc;
  generateEmpty: (address: string) => Promise<unknown>;
}

export interface Litecoind {
  /** With its password. */
  url: string;
  rpc: Rpc;
  prefix: string;
  end: () => Promise<void>;
}

export async function startLitecoind(): Promise<Litecoind> {
  const { directory, remove } = nodeDirectory();
  const [port, rpcPort] = [await freePort(), await freePort()];
  const settings = `regtest=1
server=1
txindex=1
fallbackfee=0.0001
mempoolreplacement=1
[regtest]
rpcuser=test
rpcpassword=test
rpcbind=127.0.0.1
rpcallowip=127.0.0.1
rpcport=${rpcPort}
port=${port}
listen=0
dnsseed=0
`;
  const file = path.join(directory, 'litecoin.conf');
  fs.writeFileSync(file, settings);
  const url = `http://test:test@127.0.0.1:${rpcPort}/`;
  const rpc = createRpc(url);
  const args = [`-datadir=${directory}`, `-conf=${file}`];
  const node = await startNode({ command: binary('LITECOIND'), args }, () => rpc('getblockcount'));
  const end = async () => {
    await node.end();
    remove();
  };
  return { url, rpc, prefix: network.bech32, end };
}

/** Starts a chain after the activation of MWEB, with a wallet whose coins are inside MWEB. */
export async function startLitecoin(): Promise<Litecoin> {
  const { url, rpc, end } = await startLitecoind();
  const generate = (blocks: number, address: string) => rpc<string[]>('generatetoaddress', blocks, address);
  // `generateblock` fails since MWEB; a negative priority keeps a transaction out of the block.
  const generateEmpty = async (address: string) => {
    const waiting = await rpc<string[]>('getrawmempool');
    for (const id of waiting) await rpc('prioritisetransaction', id, 0, -PRIORITY_UNITS);
    await generate(1, address);
    for (const id of waiting) await rpc('prioritisetransaction', id, 0, PRIORITY_UNITS);
  };
  const options = {
    name: 'LTC',
    chain: 'litecoin' as const,
    asset: 'LTC' as const,
    url,
    rpc,
    network,
    dustUnits: 2940n,
    generate,
    generateEmpty,
    end,
  };
  const { chain, wallet } = await openUtxoChain(options);
  await rpc('createwallet', 'test');
  await generate(WALLET_COINS, await rpc('getnewaddress'));
  await mineCoins(options, wallet, COINS);
  await generate(MWEB_HEIGHT - WALLET_COINS - COINS, wallet.address);
  await rpc('sendtoaddress', await rpc('getnewaddress', '', 'mweb'), WALLET_COINS * REWARD, '', '', true);
  await generate(2, wallet.address);
  return { chain, rpc, generateEmpty };
}
