import { freePort } from '../../../tools/ports.mjs';
import type { LocalChain } from './local-chain.ts';
import { type LocalServer, serveBodies } from './local-server.ts';
import { binary, nodeDirectory, startNode } from './local-node.ts';
import { createRpc } from './rpc.ts';
import { mineCoins, openUtxoChain } from './utxo-chain.ts';

const network = { bech32: 'rb', pubKeyHash: 0x3c, scriptHash: 0x26, wif: 0x5a };
const COINS = 80;
/** From here on, transactions with witnesses are accepted. */
const SEGWIT_HEIGHT = 432;

export async function startBitcoin(): Promise<LocalChain> {
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
  ];
  // Its native addons are not built.
  const env = { NODE_BACKEND: 'js' };
  const node = await startNode({ command: process.execPath, args, env }, () => rpc('getblockcount'));
  const facade = await startFacade(url);
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
    end: async () => {
      await facade.close();
      await node.end();
      remove();
    },
  };
  const { chain, wallet } = await openUtxoChain(options);
  await mineCoins(options, wallet, COINS);
  await generate(SEGWIT_HEIGHT - COINS + 20, wallet.address);
  const { replace: _replace, ...withoutReplacement } = chain;
  return { ...withoutReplacement, cannotReadBalances: true };
}

/** bcoin's RPC is older than Bitcoin's verbosity numbers: a boolean asks for the serialized block. */
function startFacade(target: string): Promise<LocalServer> {
  const { username, password, origin } = new URL(target);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const forward = async (body: string) => {
    const call = JSON.parse(body) as { method: string; params: unknown[] };
    if (call.method === 'getblock') call.params = [call.params[0], false];
    const headers = { 'content-type': 'application/json', authorization };
    const response = await fetch(origin, { method: 'POST', headers, body: JSON.stringify(call) });
    return response.text();
  };
  return serveBodies((_request, body, response) => {
    forward(body).then(
      (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      () => response.destroy(),
    );
  });
}
