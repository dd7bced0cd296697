/** Reads the list that `npm run payments -- holdings` has written, on the machine with the keys. The server may be in a thief's hands. */
import { holdingsFileSchema, type HoldingsFile } from '../holdings-file.ts';
import { networks } from '../sweep/networks.ts';
import { describePlace, ListRefused } from '../sweep/plan.ts';
import type { SweepChain } from '../sweep/sweep.ts';

type AnyList = HoldingsFile['chains'][number];
/** The holdings of a chain that this program sweeps. */
export type SweepList = Extract<AnyList, { chain: SweepChain }>;
export type TonList = Extract<AnyList, { chain: 'ton' }>;
export type Held = SweepList['addresses'][number];

/** The largest list is a tenth of it. Text beyond it is not even parsed. */
const BYTES_MAX = 8 * 1024 * 1024;

/** @throws ListRefused */
export function readHoldings(bytes: Uint8Array): { lists: SweepList[]; others: AnyList['chain'][]; madeAt: Date } {
  const { chains, madeAt } = parse(bytes);
  if (new Set(chains.map(({ chain }) => chain)).size !== chains.length)
    throw new ListRefused('The list contains a chain twice.');
  const lists = chains.filter((list) => list.chain in networks) as SweepList[];
  for (const list of lists) refuseContradictions(list);
  const others = chains.map(({ chain }) => chain).filter((chain) => !(chain in networks));
  return { lists, others, madeAt: new Date(madeAt) };
}

/** What the list says that an address holds. Notes are about tokens that cannot be moved: trying would only cost the fee. */
export function heldUnits({ assets, notes }: Held, asset: 'coin' | 'usdt'): bigint {
  if (asset === 'usdt' && notes.length > 0) return 0n;
  return BigInt(assets.find(({ asset: name }) => (name === 'USDT') === (asset === 'usdt'))?.units ?? 0);
}

/** The contract of USDT in the list, as the list writes it. */
export function contractOf({ addresses }: SweepList): string | undefined {
  return addresses.flatMap(({ assets }) => assets).find(({ asset }) => asset === 'USDT')?.contract;
}

function parse(bytes: Uint8Array): HoldingsFile {
  if (bytes.length > BYTES_MAX) throw new ListRefused(`The list is larger than ${BYTES_MAX} bytes.`);
  const parsed = holdingsFileSchema.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ListRefused(`The list is not as this program expects it, at "${issue?.path.join('.')}": ${issue?.message}`);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The message of the parser would repeat a part of the file.
    throw new ListRefused('The list is not JSON.');
  }
}

function refuseContradictions(list: SweepList): void {
  const { title, chainId } = networks[list.chain];
  if ('chainId' in list && BigInt(list.chainId) !== chainId)
    throw new ListRefused(`The list says that ${title} is the chain ${list.chainId}; it is ${chainId}.`);
  refuseRepeated(
    title,
    list.addresses.map(({ address }) => address),
  );
  refuseRepeated(
    title,
    list.addresses.map(({ account, index }) => `${describePlace(list.chain, index)} of ${account}`),
  );
  for (const held of list.addresses) refuseAssets(list.chain, held);
  const contracts = list.addresses.flatMap(({ assets }) => assets.flatMap(({ contract }) => contract ?? []));
  if (new Set(contracts).size > 1) throw new ListRefused(`The list contains several contracts of USDT on ${title}.`);
}

function refuseRepeated(title: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new ListRefused(`The list contains ${name} on ${title} twice.`);
    seen.add(name);
  }
}

function refuseAssets(chain: SweepChain, { address, assets }: Held): void {
  const { title, coin, unitsMax } = networks[chain];
  refuseRepeated(
    title,
    assets.map(({ asset }) => `${asset} of ${address}`),
  );
  for (const { asset, contract, units } of assets) {
    const isKnown = asset === 'USDT' ? contract !== undefined : asset === coin && contract === undefined;
    if (!isKnown) throw new ListRefused(`The list says that ${address} on ${title} holds ${asset}, which cannot be.`);
    if (BigInt(units) > unitsMax)
      throw new ListRefused(`The list says that ${address} holds more ${asset} than exists.`);
  }
}
