/** Reads the transfers of a token to our addresses in pieces that a node accepts. Serves every chain with Ethereum's JSON-RPC. */
import { TRANSFER_TOPIC, type EvmLog, type EvmNode, type LogFilter } from './evm-node.ts';
import { RpcError } from './json-rpc.ts';

/** java-tron accepts 1,000 topics and 5,000 blocks, public nodes often fewer blocks. */
const RECIPIENTS_MAX = 1000;
const HEIGHTS_MAX = 2000;
/** How nodes and providers refuse a request that is too large. */
const TOO_LARGE_MESSAGE =
  /range|block.?count|limit|exceed|too (many|large|big|wide|long)|more than|maximum|max |result|response size|timeout|timed out/i;

export interface TokenTransfer {
  log: EvmLog;
  recipient: string;
  units: bigint;
}

export type TransferReader = ReturnType<typeof createTransferReader>;

/** Remembers the request sizes that its node has accepted; a restart begins with the largest ones. */
export function createTransferReader(node: EvmNode, contract: string) {
  let heightsMax = HEIGHTS_MAX;
  let recipientsMax = RECIPIENTS_MAX;

  /** @returns false if nothing is left to halve */
  function halve(filter: LogFilter): boolean {
    const heights = filter.toHeight - filter.fromHeight + 1;
    if (heights > 1) heightsMax = Math.floor(heights / 2);
    else if (filter.recipients.length > 1) recipientsMax = Math.floor(filter.recipients.length / 2);
    else return false;
    return true;
  }

  async function readPiece(filter: LogFilter, signal: AbortSignal): Promise<EvmLog[] | undefined> {
    try {
      return await node.logs(filter, signal);
    } catch (error) {
      const isTooLarge = error instanceof RpcError && TOO_LARGE_MESSAGE.test(error.message);
      if (!isTooLarge || !halve(filter)) throw error;
      return undefined;
    }
  }

  async function readRange(fromHeight: number, toHeight: number, recipients: readonly string[], signal: AbortSignal) {
    const logs: EvmLog[] = [];
    for (let start = 0; start < recipients.length;) {
      const batch = recipients.slice(start, start + recipientsMax);
      const piece = await readPiece({ contract, fromHeight, toHeight, recipients: batch }, signal);
      // The range has become smaller: the caller starts over.
      if (!piece && toHeight - fromHeight >= heightsMax) return undefined;
      if (!piece) continue;
      logs.push(...piece);
      start += batch.length;
    }
    return logs;
  }

  return {
    /**
     * @param recipients lower case
     * @returns transfers of more than 0 to them. A fee that the token takes is already deducted.
     */
    async read(fromHeight: number, toHeight: number, recipients: ReadonlySet<string>, signal: AbortSignal) {
      const transfers: TokenTransfer[] = [];
      const list = [...recipients];
      for (let from = fromHeight; from <= toHeight;) {
        const to = Math.min(toHeight, from + heightsMax - 1);
        const logs = await readRange(from, to, list, signal);
        if (!logs) continue;
        const isInRange = ({ blockNumber }: EvmLog) => blockNumber >= from && blockNumber <= to;
        transfers.push(...logs.filter(isInRange).flatMap((log) => parseTransfer(log, contract, recipients)));
        from = to + 1;
      }
      return transfers;
    },
  };
}

/** A node is not trusted to have applied the filter. Transfers of 0 imitate earlier ones ("address poisoning"). */
export function parseTransfer(log: EvmLog, contract: string, recipients: ReadonlySet<string>): TokenTransfer[] {
  const [topic, , to] = log.topics;
  if (log.removed || log.address !== contract || topic !== TRANSFER_TOPIC || log.topics.length !== 3) return [];
  if (!/^0x[0-9a-f]{64}$/.test(log.data)) return [];
  const recipient = `0x${to!.slice(-40)}`;
  const units = BigInt(log.data);
  return units > 0n && recipients.has(recipient) ? [{ log, recipient, units }] : [];
}
