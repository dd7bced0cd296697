/**
 * The calls of java-tron that the watcher needs. Providers serve all of them under one URL, a node of one's own on three ports. Hashes and
 * addresses are lower-case hexadecimal digits without 0x; addresses have 21 bytes.
 */
import { z } from 'zod';
import { logSchema, requestLogs, type LogFilter } from '../evm-node.ts';
import { speakHttpJson } from '../http-json.ts';
import { createHttpTransport, type TransportLimits } from '../http-transport.ts';
import { speakJsonRpc } from '../json-rpc.ts';
import { ChainUnavailable } from '../watcher.ts';
import {
  accountSchema,
  blockSchema,
  bodiesSchema,
  constantSchema,
  headerSchema,
  infoSchema,
  orNothing,
  parametersSchema,
  parseExactly,
  resourcesSchema,
  type TronBlock,
} from './answers.ts';

const SOLIDITY = { service: 'solidity' } as const;
const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,12}$/i)
  .transform(Number);
/** Without the fields that only EVM chains have. */
const receiptSchema = z.object({ blockHash: logSchema.shape.blockHash, logs: z.array(logSchema) });
const NO_CONTRACT = 'CONTRACT_VALIDATE_ERROR';
/** The sender of a call that changes nothing. */
const NOBODY = `41${'00'.repeat(20)}`;

export type TronNode = ReturnType<typeof createTronNode>;

export interface ConstantCall {
  contract: string;
  /** Such as `balanceOf(address)`. */
  signature: string;
  /** Hexadecimal digits, in words of 32 bytes. */
  parameter: string;
}

const block = (height: number, detail: boolean) => ({ id_or_num: String(height), detail });

/** @throws SourceRefusal and ChainUnavailable, from each of its methods */
export function createTronNode(url: string, limits: TransportLimits) {
  const transport = createHttpTransport({ ...limits, url });
  const http = speakHttpJson(transport, { parse: parseExactly });
  const rpc = speakJsonRpc(transport, { path: '/jsonrpc', service: 'jsonrpc' });
  return {
    transport,
    chainId: (signal: AbortSignal) => rpc.call('eth_chainId', [], quantity, signal),
    head: (signal: AbortSignal) => http.post('/wallet/getblock', { detail: false }, headerSchema, signal),
    /** The newest block that 19 of the 27 witnesses have built on: it never leaves the chain. */
    solidHead: (signal: AbortSignal) =>
      http.post('/walletsolidity/getblock', { detail: false }, headerSchema, signal, SOLIDITY),
    /** @returns undefined if the node does not have it */
    header: (height: number, signal: AbortSignal) =>
      http.post('/wallet/getblock', block(height, false), orNothing(headerSchema), signal),
    /** @returns undefined if the node does not have it, or it is not solid */
    solidBlock: (height: number, signal: AbortSignal) =>
      http.post('/walletsolidity/getblock', block(height, true), orNothing(blockSchema), signal, SOLIDITY),
    /** Both included. @returns fewer if the node does not have them */
    bodies: async (fromHeight: number, toHeight: number, signal: AbortSignal): Promise<TronBlock[]> => {
      const range = { startNum: fromHeight, endNum: toHeight + 1 };
      return (await http.post('/wallet/getblockbylimitnext', range, bodiesSchema, signal))?.block ?? [];
    },
    /** @param filter with addresses of 20 bytes and 0x, as on EVM chains */
    logs: (filter: LogFilter, signal: AbortSignal) => requestLogs(rpc, filter, signal),
    /** @returns null if the node does not have it, which happens for the newest blocks */
    receipt: (transactionId: string, signal: AbortSignal) =>
      rpc.call('eth_getTransactionReceipt', [`0x${transactionId}`], receiptSchema.nullable(), signal),
    /** @returns undefined if there is none, or its block is not solid */
    solidInfo: (transactionId: string, signal: AbortSignal) => {
      const body = { value: transactionId };
      return http.post('/walletsolidity/gettransactioninfobyid', body, orNothing(infoSchema), signal, SOLIDITY);
    },
    solidInfosOf: (height: number, signal: AbortSignal) => {
      const path = '/walletsolidity/gettransactioninfobyblocknum';
      return http.post(path, { num: height }, z.array(infoSchema), signal, SOLIDITY);
    },
    /** At the newest solid block. @returns sun; undefined if the account does not exist: it was never sent TRX */
    solidBalance: async (address: string, signal: AbortSignal): Promise<bigint | undefined> => {
      const account = await http.post('/walletsolidity/getaccount', { address }, accountSchema, signal, SOLIDITY);
      return account?.balance;
    },
    /** Energy and bandwidth that the account has without paying for them. */
    resources: async (address: string, signal: AbortSignal) => {
      const resources = await http.post('/wallet/getaccountresource', { address }, resourcesSchema, signal);
      const { freeNetLimit, freeNetUsed, NetLimit, NetUsed, EnergyLimit, EnergyUsed } = resources;
      return {
        energy: Math.max(0, EnergyLimit - EnergyUsed),
        bandwidth: Math.max(0, freeNetLimit - freeNetUsed + NetLimit - NetUsed),
      };
    },
    /** @returns sun for a unit of energy and of bandwidth, and the highest factor of energy in units of 1/10,000 */
    prices: async (signal: AbortSignal) =>
      readPrices(await http.post('/wallet/getchainparameters', {}, parametersSchema, signal)),
    /** At the newest solid block. @returns undefined if the contract refuses the call, or there is no contract */
    callSolid: async (call: ConstantCall, signal: AbortSignal): Promise<string | undefined> => {
      const { contract: contract_address, signature: function_selector, parameter } = call;
      const body = { owner_address: NOBODY, contract_address, function_selector, parameter };
      const path = '/walletsolidity/triggerconstantcontract';
      const { result, constant_result, transaction } = await http.post(path, body, constantSchema, signal, SOLIDITY);
      // There is no contract. Any other code is about the node, such as a time limit, and says nothing about the contract.
      if (!result.result && result.code !== NO_CONTRACT)
        throw failOf({ transport }, 'INVALID_RESPONSE', `failed with the code ${result.code.slice(0, 40)} at ${path}`);
      const hasFailed = !result.result || transaction.ret.some(({ ret }) => ret === 'FAILED');
      return hasFailed ? undefined : constant_result[0];
    },
  };
}

function readPrices({ chainParameter }: z.output<typeof parametersSchema>) {
  const valueOf = (key: string) => chainParameter.find((one) => one.key === key)?.value;
  return {
    energyPrice: valueOf('getEnergyFee'),
    bandwidthPrice: valueOf('getTransactionFee'),
    energyFactor: valueOf('getDynamicEnergyMaxFactor') ?? 0,
  };
}

/** For what a node says without a failure of its transport: others are preferred for a while. */
export function failOf(
  { transport }: Pick<TronNode, 'transport'>,
  reason: ChainUnavailable['reason'],
  problem: string,
): ChainUnavailable {
  transport.failedAtMs = performance.now();
  return new ChainUnavailable(reason, `${transport.name} ${problem}`);
}
