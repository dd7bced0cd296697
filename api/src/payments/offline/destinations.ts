/** Where the money goes: typed on this machine, for each asset of each chain, and never read from the list. */
import { parseEvmDestination } from '../sweep/evm-plan.ts';
import { networks } from '../sweep/networks.ts';
import { type Destinations, formatAsset } from '../sweep/plan.ts';
import { parseTronDestination } from '../sweep/tron-plan.ts';
import type { SweepChain } from '../sweep/sweep.ts';
import { contractOf, type Held, heldUnits, type SweepList } from './holdings-list.ts';
import type { Terminal } from './machine.ts';

export interface Answers {
  destinations: Destinations;
  /** The known one, or typed. */
  usdtContract: string;
  /** Whether the destination of USDT holds some: matters on TRON only. */
  isHolder: boolean;
}

interface Form {
  parse: (text: string) => string | undefined;
  /** What is wrong with a text that cannot be parsed. */
  problem: string;
  /** For a comparison of contracts. */
  fold: (address: string) => string;
}

const evm: Form = {
  parse: parseEvmDestination,
  problem:
    'This is no address of Ethereum with its checksum: capital and small letters must be as your wallet shows them.',
  fold: (address) => address.toLowerCase(),
};
const tron: Form = {
  parse: parseTronDestination,
  problem: 'This is no address of TRON: it begins with T, and its checksum finds a mistyped letter.',
  fold: (address) => address,
};
const forms: Record<SweepChain, Form> = { ethereum: evm, bsc: evm, tron };

/** @param isOfShop whether an address is one that customers pay to */
export async function askDestinations(
  terminal: Terminal,
  list: SweepList,
  own: readonly Held[],
  isOfShop: (address: string) => boolean,
): Promise<Answers> {
  const { title, usdtContract: known, usdtUnitsLeft } = networks[list.chain];
  const askFor = async (asset: 'coin' | 'usdt') => {
    const held = own
      .map((each) => heldUnits(each, asset))
      .filter((units) => units > (asset === 'usdt' ? usdtUnitsLeft : 0n));
    if (held.length === 0) return undefined;
    const sum = formatAsset(
      list.chain,
      asset,
      held.reduce((sum, units) => sum + units),
    );
    terminal.say(`\n${title}: ${sum} on ${held.length} ${held.length === 1 ? 'address' : 'addresses'}.`);
    const contract = asset === 'usdt' ? await askContract(terminal, list) : known;
    if (contract === undefined) return undefined;
    const to = await askAddress(terminal, list.chain, (address) => isOfShop(address) || address === contract);
    return to === undefined ? undefined : { to, contract };
  };
  const usdt = await askFor('usdt');
  const coin = await askFor('coin');
  return {
    destinations: { usdt: usdt?.to, coin: coin?.to },
    usdtContract: usdt?.contract ?? known,
    isHolder: usdt !== undefined && list.chain === 'tron' && (await askHolder(terminal, usdt.to)),
  };
}

/** A list with another contract could make this program sign calls of any program, so the operator must know that contract. */
async function askContract(terminal: Terminal, list: SweepList): Promise<string | undefined> {
  const { title, usdtContract: known } = networks[list.chain];
  const { parse, fold } = forms[list.chain];
  const listed = contractOf(list)!;
  if (fold(listed) === fold(known)) return known;
  terminal.say(`The list names another contract of USDT on ${title} than this program knows:`);
  terminal.say(`${listed} instead of ${known}.`);
  while (true) {
    const typed = await terminal.ask('Type its address if it is one of your settings (empty: leave this USDT): ');
    if (typed === '') return undefined;
    const contract = parse(typed);
    if (contract !== undefined && fold(contract) === fold(listed)) return contract;
    terminal.say('This is not the contract of the list.');
  }
}

async function askAddress(
  terminal: Terminal,
  chain: SweepChain,
  isRefused: (address: string) => boolean,
): Promise<string | undefined> {
  while (true) {
    const typed = await terminal.ask('Destination (empty: leave it): ');
    if (typed === '') return undefined;
    const address = forms[chain].parse(typed);
    if (address !== undefined && !isRefused(address)) return address;
    terminal.say(
      address === undefined ? forms[chain].problem : 'This is an address of the shop or a contract, not yours.',
    );
  }
}

async function askHolder(terminal: Terminal, destination: string): Promise<boolean> {
  while (true) {
    const typed = await terminal.ask(
      `Does ${destination} hold USDT already? A transfer to it costs half then (yes or no): `,
    );
    if (typed === 'yes' || typed === 'no') return typed === 'yes';
  }
}
