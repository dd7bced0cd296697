/** The addresses that customers pay to are those that the operator's own wallet shows. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import type { AddressSpace } from '../../src/payments/currencies.ts';
import { parseAccountKey } from '../../src/payments/derive/account-key.ts';
import { deriveAddress } from '../../src/payments/derive/addresses.ts';
import { binary, nodeDirectory, startNode } from '../chains/local-node.ts';
import { createRpc } from '../chains/rpc.ts';

const ADDRESSES = 200;
const COMMAND_TIMEOUT_MS = 60_000;
/** The accounts of the seed phrase `abandon` x 11 + `about`. */
const BITCOIN_ZPUB =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
const LITECOIN_XPUB =
  'xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE';

function derived(space: AddressSpace, key: string): string[] {
  const account = parseAccountKey(key);
  return Array.from({ length: ADDRESSES }, (_, index) => deriveAddress(space, account, BigInt(index)));
}

describe('derived addresses', () => {
  it('are those that Electrum shows for the same account', () => {
    const { directory, remove } = nodeDirectory();
    onTestFinished(remove);
    const electrum = (...args: string[]) =>
      execFileSync(binary('ELECTRUM'), ['--offline', '-D', directory, ...args], {
        encoding: 'utf8',
        timeout: COMMAND_TIMEOUT_MS,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    electrum('restore', BITCOIN_ZPUB);
    electrum('changegaplimit', String(ADDRESSES), '--iknowwhatimdoing');
    expect(derived('btc', BITCOIN_ZPUB)).toEqual(JSON.parse(electrum('listaddresses', '--receiving')));
  });

  it('are those that litecoind derives from the same account', async () => {
    const { directory, remove } = nodeDirectory();
    const port = await freePort();
    const rpc = createRpc(`http://test:test@127.0.0.1:${port}/`);
    const args = [`-datadir=${directory}`, `-rpcport=${port}`, '-rpcuser=test', '-rpcpassword=test', '-server=1'];
    const offline = ['-listen=0', '-dnsseed=0', '-connect=0', '-disablewallet=1'];
    const node = await startNode({ command: binary('LITECOIND'), args: [...args, ...offline] }, () =>
      rpc('getblockcount'),
    );
    onTestFinished(async () => {
      await node.end();
      remove();
    });
    const { descriptor } = await rpc<{ descriptor: string }>('getdescriptorinfo', `wpkh(${LITECOIN_XPUB}/0/*)`);
    const addresses = await rpc<string[]>('deriveaddresses', descriptor, [0, ADDRESSES - 1]);
    expect(derived('ltc', LITECOIN_XPUB)).toEqual(addresses);
  });
});
