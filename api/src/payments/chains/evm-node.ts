/** The calls of Ethereum's JSON-RPC that the watcher needs, with their responses parsed. Addresses and hashes are lower case. */
import { z } from 'zod';
import type { TransportLimits } from './http-transport.ts';
import { createJsonRpc, type JsonRpc, RpcError } from './json-rpc.ts';

/** `Transfer(address,address,uint256)` */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const hex = (digits: string) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-f]${digits}$`, 'i'))
    .toLowerCase();
const quantity = hex('{1,64}').transform(BigInt);
const height = hex('{1,12}').transform(Number);
/** Of any network: those of private ones may have more digits than a height. */
const chainId = quantity.transform(Number);
const hash = hex('{64}');
export const address = hex('{40}');

const headerSchema = z.object({
  number: height,
  hash,
  parentHash: hash,
  stateRoot: hash,
  timestamp: hex('{1,10}').transform((seconds) => new Date(Number(seconds) * 1000)),
});
const transactionSchema = z.object({ hash, from: address, to: address.nullish(), value: quantity });
const blockSchema = headerSchema.extend({ transactions: z.array(transactionSchema) });
export const logSchema = z.object({
  address,
  topics: z.array(hash).max(4),
  data: hex('*'),
  blockNumber: height,
  blockHash: hash,
  transactionHash: hash,
  logIndex: height,
  removed: z.boolean().nullish(),
});
const receiptSchema = z.object({
  blockHash: hash,
  status: quantity.refine((status) => status === 0n || status === 1n, 'must be 0 or 1'),
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  blobGasUsed: quantity.nullish(),
  blobGasPrice: quantity.nullish(),
  logs: z.array(logSchema),
});

/** Addresses and accounts are short paths in the trie of states. */
const proofSchema = z.object({ accountProof: z.array(hex('+')).max(64) });

export type EvmHeader = z.infer<typeof headerSchema>;
export type EvmTransaction = z.infer<typeof transactionSchema>;
export type EvmLog = z.infer<typeof logSchema>;
export type EvmReceipt = z.infer<typeof receiptSchema>;
export type EvmNode = ReturnType<typeof createEvmNode>;

export interface LogFilter {
  contract: string;
  fromHeight: number;
  toHeight: number;
  /** Undefined for transfers to anyone. */
  recipients?: readonly string[] | undefined;
}

const toHex = (value: number | bigint) => `0x${value.toString(16)}`;
/** An address as a topic or an argument: 32 bytes, left-padded. */
const padAddress = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;

/** @throws RpcError and ChainUnavailable, from each of its methods */
export function createEvmNode(url: string, limits?: TransportLimits) {
  const rpc: JsonRpc = createJsonRpc({ ...limits, url });
  return {
    rpc,
    transport: rpc.transport,
    chainId: (signal: AbortSignal) => rpc.call('eth_chainId', [], chainId, signal),
    /** @returns null if the node does not have it */
    header: (block: number | 'latest' | 'safe' | 'finalized', signal: AbortSignal) =>
      rpc.call(
        'eth_getBlockByNumber',
        [typeof block === 'number' ? toHex(block) : block, false],
        headerSchema.nullable(),
        signal,
      ),
    block: (height: number, signal: AbortSignal) =>
      rpc.call('eth_getBlockByNumber', [toHex(height), true], blockSchema.nullable(), signal),
    receipt: (transactionHash: string, signal: AbortSignal) =>
      rpc.call('eth_getTransactionReceipt', [transactionHash], receiptSchema.nullable(), signal),
    logs: (filter: LogFilter, signal: AbortSignal) => requestLogs(rpc, filter, signal),
    /** @returns the nodes of the trie; undefined if the node does not serve proofs */
    async accountProof(owner: string, height: number, signal: AbortSignal): Promise<string[] | undefined> {
      try {
        const { accountProof } = await rpc.call('eth_getProof', [owner, [], toHex(height)], proofSchema, signal);
        return accountProof;
      } catch (error) {
        if (error instanceof RpcError) return undefined;
        throw error;
      }
    },
    balance: (owner: string, height: number, signal: AbortSignal) =>
      rpc.call('eth_getBalance', [owner, toHex(height)], quantity, signal),
    /** A call that changes nothing, in the state after the block. */
    callContract: (contract: string, data: string, height: number, signal: AbortSignal) =>
      rpc.call('eth_call', [{ to: contract, data }, toHex(height)], hex('*'), signal),
  };
}

/** Transfers of a token. Chains that are not EVM chains have this call, too. */
export function requestLogs(
  rpc: JsonRpc,
  { contract, fromHeight, toHeight, recipients }: LogFilter,
  signal: AbortSignal,
): Promise<EvmLog[]> {
  const filter = {
    address: contract,
    fromBlock: toHex(fromHeight),
    toBlock: toHex(toHeight),
    topics: recipients ? [TRANSFER_TOPIC, null, recipients.map(padAddress)] : [TRANSFER_TOPIC],
  };
  return rpc.call('eth_getLogs', [filter], z.array(logSchema), signal);
}
