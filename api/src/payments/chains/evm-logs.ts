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

type Piece = Required<Omit<LogFilter, 'contract'>>;

export type TransferReader = ReturnType<typeof createTransferReader>;

/** Remembers the request sizes that its node has accepted; a restart begins with the largest ones. */
export function createTransferReader(node: Pick<EvmNode, 'logs'>, contract: string) {
  let heightsMax = HEIGHTS_MAX;
  let recipientsMax = RECIPIENTS_MAX;

  /** @returns false if nothing is left to halve */
  function halve({ fromHeight, toHeight, recipients }: Piece): boolean {
    const heights = toHeight - fromHeight + 1;
    if (heights > 1) heightsMax = Math.floor(heights / 2);
    else if (recipients.length > 1) recipientsMax = Math.floor(recipients.length / 2);
    else return false;
    return true;
  }

  /** @returns undefined if the node refused it as too large, and less is tried from now on */
  async function readPiece(piece: Piece, signal: AbortSignal): Promise<EvmLog[] | undefined> {
    try {
      const logs = await node.logs({ ...piece, contract }, signal);
      return logs.filter(({ blockNumber }) => blockNumber >= piece.fromHeight && blockNumber <= piece.toHeight);
    } catch (error) {
      const isTooLarge = error instanceof RpcError && TOO_LARGE_MESSAGE.test(error.message);
      if (!isTooLarge || !halve(piece)) throw error;
      return undefined;
    }
  }

  /** Cuts what is larger than the node accepts, into a first part that has at most the accepted heights, and the rest. */
  function cut(piece: Piece): Piece[] {
    const { fromHeight, toHeight, recipients } = piece;
    const nextHeight = fromHeight + heightsMax;
    if (nextHeight <= toHeight)
      return [
        { ...piece, toHeight: nextHeight - 1 },
        { ...piece, fromHeight: nextHeight },
      ];
    if (recipients.length > recipientsMax)
      return [
        { ...piece, recipients: recipients.slice(0, recipientsMax) },
        { ...piece, recipients: recipients.slice(recipientsMax) },
      ];
    return [piece];
  }

  return {
    /**
     * @param recipients lower case
     * @returns transfers of more than 0 to them. A fee that the token takes is already deducted.
     */
    async read(fromHeight: number, toHeight: number, recipients: ReadonlySet<string>, signal: AbortSignal) {
      const transfers: TokenTransfer[] = [];
      if (recipients.size === 0 || fromHeight > toHeight) return transfers;
      // The next piece is the last one.
      const pieces: Piece[] = [{ fromHeight, toHeight, recipients: [...recipients] }];
      for (let piece = pieces.pop(); piece; piece = pieces.pop()) {
        const parts = cut(piece);
        if (parts.length > 1) pieces.push(...parts.toReversed());
        else {
          const logs = await readPiece(piece, signal);
          if (logs) transfers.push(...logs.flatMap((log) => parseTransfer(log, contract, recipients)));
          // The accepted size has become smaller.
          else pieces.push(piece);
        }
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
