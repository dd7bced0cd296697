/** What a signature of a sweep needs from TRON: a reference block, prices, and what each address has for its fee. */
import { encodeTronAddress } from '../../derive/tron-address.ts';
import type { ChainHoldings, AddressBalances } from '../../holdings-file.ts';
import type { TronHeader } from './answers.ts';
import { toHexAddress } from './network.ts';
import { mapRateLimited } from './rate-limited.ts';
import { failOf, type TronNode } from './tron-node.ts';

interface HoldingsReading {
  /** 21 bytes. */
  contract: string;
  requestsPerSecond: number;
  reference: TronHeader;
  signal: AbortSignal;
}

/** Each address takes three requests. */
const REQUESTS_PER_ADDRESS = 3;

/** @param held with amounts that the sources have agreed on */
export async function describeTronHoldings(
  node: TronNode,
  { contract, requestsPerSecond, reference, signal }: HoldingsReading,
  held: readonly AddressBalances[],
): Promise<ChainHoldings> {
  const { energyPrice, bandwidthPrice, energyFactor } = await node.prices(signal);
  if (energyPrice === undefined || bandwidthPrice === undefined)
    throw failOf(node, 'INVALID_RESPONSE', 'does not say what energy and bandwidth cost');
  const pace = { perSecond: requestsPerSecond / REQUESTS_PER_ADDRESS, signal };
  const token = encodeTronAddress(Buffer.from(contract, 'hex'));
  return {
    chain: 'tron',
    referenceBlock: { height: reference.height, id: reference.id, time: reference.time.toISOString() },
    fee: { energyPrice: String(energyPrice), bandwidthPrice: String(bandwidthPrice), energyFactor },
    addresses: await mapRateLimited(held, pace, async ({ account, index, address, assets }) => {
      const owner = toHexAddress(address);
      const balance = await node.solidBalance(owner, signal);
      const agreed = (asset: string) => assets.find((one) => one.asset === asset)?.units;
      return {
        account,
        index,
        address,
        isActivated: balance !== undefined,
        ...(await node.resources(owner, signal)),
        assets: [
          { asset: 'TRX' as const, units: agreed('TRX') ?? String(balance ?? 0n) },
          { asset: 'USDT' as const, contract: token, units: agreed('USDT') ?? '0' },
        ].filter(({ units }) => units !== '0'),
        notes: (await isFrozen(node, contract, owner, signal))
          ? ['The issuer of USDT has frozen this address: its USDT cannot be moved.']
          : [],
      };
    }),
  };
}

async function isFrozen(node: TronNode, contract: string, owner: string, signal: AbortSignal): Promise<boolean> {
  const parameter = owner.slice(-40).padStart(64, '0');
  const word = await node.callSolid({ contract, signature: 'isBlackListed(address)', parameter }, signal);
  return word !== undefined && /[1-9a-f]/.test(word);
}
