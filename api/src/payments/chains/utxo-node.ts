/** The calls of Bitcoin's JSON-RPC that the watcher needs. Litecoin's nodes and bcoin have the same. */
import { bech32 } from '@scure/base';
import { z } from 'zod';
import type { TransportLimits } from './http-transport.ts';
import { createJsonRpc, type JsonRpc } from './json-rpc.ts';
import { type RawBlock, readBlock } from './raw-block.ts';
import { ChainUnavailable } from './watcher.ts';

/** Coins have 8 decimals on both chains. */
const DECIMALS = 8;
/** Scanning all unspent outputs of Bitcoin takes minutes. */
export const SCAN_TIMEOUT_MS = 15 * 60_000;
const ABORT_TIMEOUT_MS = 5000;

/** Amounts are JSON numbers: as text they do not become floats. A text inside JSON cannot match, its quotes are escaped. */
const AMOUNT = /"(value|amount|total_amount)":\s*(-?[\d.]+(?:[eE][-+]?\d+)?)/g;
const parseExactly = (text: string): unknown => JSON.parse(text.replaceAll(AMOUNT, '"$1":"$2"'));

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const height = z.number().int().nonnegative();
const time = z
  .number()
  .int()
  .transform((seconds) => new Date(seconds * 1000));
const amount = z.string().transform((text, context) => {
  const units = parseAmount(text);
  if (units !== undefined) return units;
  context.addIssue({ code: 'custom', message: 'is no amount of 8 decimals' });
  return z.NEVER;
});

const outputSchema = z.object({
  n: z.number().int().nonnegative(),
  value: amount,
  scriptPubKey: z.object({ hex: z.string() }),
});
const transactionSchema = z.object({
  txid: hash,
  vin: z.array(z.object({ coinbase: z.string().nullish(), sequence: z.number().int().nullish() })),
  // Litecoin's MWEB outputs have no script and no amount.
  vout: z.array(z.union([outputSchema, z.object({ ismweb: z.literal(true) }).transform(() => undefined)])),
});
const headerSchema = z.object({ hash, height, time });
const infoSchema = z.object({
  blocks: height,
  headers: height,
  bestblockhash: hash,
  initialblockdownload: z.boolean().optional(),
});
const scanSchema = z.object({
  success: z.boolean(),
  /** Of the newest block. */
  height,
  unspents: z.array(
    z.object({ txid: hash, vout: z.number().int().nonnegative(), scriptPubKey: z.string(), amount, height }),
  ),
});

export type UtxoTransaction = z.infer<typeof transactionSchema>;
export type UtxoNode = ReturnType<typeof createUtxoNode>;

/** @throws RpcError and ChainUnavailable, from each of its methods */
export function createUtxoNode(url: string, limits?: TransportLimits) {
  const rpc = createJsonRpc({ ...limits, url, parse: parseExactly });
  return {
    rpc,
    transport: rpc.transport,
    info: (signal: AbortSignal) => rpc.call('getblockchaininfo', [], infoSchema, signal),
    /** The hash of a block in the active chain. */
    hashAt: (height: number, signal: AbortSignal) => rpc.call('getblockhash', [height], hash, signal),
    header: (hash: string, signal: AbortSignal) => rpc.call('getblockheader', [hash, true], headerSchema, signal),
    /** The serialized block, which its hash proves. */
    async block(hash: string, signal: AbortSignal): Promise<RawBlock> {
      const block = readBlock(await rpc.call('getblock', [hash, 0], z.string(), signal), hash);
      if (block) return block;
      throw new ChainUnavailable('INVALID_RESPONSE', `${rpc.name} sent another block than ${hash}, or a part of it`);
    },
    bestHash: (signal: AbortSignal) => rpc.call('getbestblockhash', [], hash, signal),
    pooledIds: (signal: AbortSignal) => rpc.call('getrawmempool', [], z.array(hash), signal),
    pooledTransaction: (id: string, signal: AbortSignal) =>
      rpc.call('getrawtransaction', [id, true], transactionSchema, signal),
    /** @param scripts hexadecimal. Unspent outputs in blocks only */
    async unspent(scripts: readonly string[], signal: AbortSignal) {
      const descriptors = scripts.map((script) => `raw(${script})`);
      try {
        return await rpc.call('scantxoutset', ['start', descriptors], scanSchema, signal, SCAN_TIMEOUT_MS);
      } catch (error) {
        // The node would go on for minutes and refuse the next scan. A scan that it refuses is somebody else's.
        if (error instanceof ChainUnavailable) await abortScan(rpc);
        throw error;
      }
    },
  };
}

async function abortScan(rpc: JsonRpc): Promise<void> {
  const limit = AbortSignal.timeout(ABORT_TIMEOUT_MS);
  // If it cannot be reached, its scan ends by itself.
  await rpc.call('scantxoutset', ['abort'], z.unknown(), limit).catch(() => undefined);
}

/** A decimal number, perhaps with an exponent, as satoshis. @returns undefined if it is none of at most 8 decimals */
export function parseAmount(text: string): bigint | undefined {
  const match = /^(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d{1,2}))?$/.exec(text);
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const zeros = DECIMALS + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  if (zeros >= 0) return digits * 10n ** BigInt(zeros);
  const divisor = 10n ** BigInt(-zeros);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

const PUBLIC_KEY_HASH_BYTES = 20;

/**
 * The output script of a P2WPKH address, hexadecimal: scripts identify payments, since nodes show addresses in several ways.
 * @throws Error if it is not such an address of the network
 */
export function witnessScript(address: string, prefix: string): string {
  const decoded = bech32.decode(address as `${string}1${string}`);
  const [version, ...words] = decoded.words;
  const program = bech32.fromWords(words);
  if (decoded.prefix !== prefix || version !== 0 || program.length !== PUBLIC_KEY_HASH_BYTES) {
    throw new Error(`${address} is not an address that begins with ${prefix}1q and pays to a public key hash`);
  }
  return `0014${Buffer.from(program).toString('hex')}`;
}
