import { z } from 'zod';
import type { ChainWith } from '../chains/descriptors.ts';
import { createJsonRpc } from '../chains/json-rpc.ts';
import { SourceRefusal } from '../chains/refusals.ts';
import { ChainUnavailable } from '../chains/watcher.ts';
import { networks } from './networks.ts';
import type { SweepSource } from './sweep-source.ts';

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,12}$/i)
  .transform(Number);
const receiptSchema = z.object({ blockNumber: quantity, status: quantity }).nullable();
/** Of geth, Erigon, Nethermind, Besu and anvil. */
const KNOWN_MESSAGE = /already (?:known|imported|exists)|known transaction|already in the (?:pool|mempool)/i;

export function createEvmSweepSource(chain: ChainWith<'evm'>, url: string): SweepSource {
  const rpc = createJsonRpc({ url });
  const { chainId: expected } = networks[chain];
  let isChecked = false;
  const checkChain = async (signal: AbortSignal) => {
    if (isChecked) return;
    const chainId = await rpc.call('eth_chainId', [], quantity, signal);
    if (BigInt(chainId) !== expected)
      throw new ChainUnavailable('INVALID_RESPONSE', `${rpc.name} serves chain ${chainId}, not ${expected}`);
    isChecked = true;
  };
  return {
    name: rpc.name,
    async find({ transactionId }, signal) {
      await checkChain(signal);
      const receipt = await rpc.call('eth_getTransactionReceipt', [transactionId], receiptSchema, signal);
      return receipt === null ? undefined : { height: receipt.blockNumber, isSuccessful: receipt.status === 1 };
    },
    async post({ raw }, signal) {
      try {
        await checkChain(signal);
        await rpc.call('eth_sendRawTransaction', [raw], z.string(), signal);
        return 'TAKEN';
      } catch (error) {
        if (!(error instanceof SourceRefusal)) throw error;
        return KNOWN_MESSAGE.test(error.message) ? 'KNOWN' : { refusal: error.message };
      }
    },
  };
}
