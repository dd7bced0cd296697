/** Where the money goes: typed on this machine, for each asset of each chain, and never read from the list. */
import { USDT as USDT_ON_TON } from '../chains/ton/jetton.ts';
import { parseAddress } from '../derive/addresses.ts';
import { parseEvmDestination } from '../sweep/evm-plan.ts';
import { networks } from '../sweep/networks.ts';
import { type Destinations, formatAsset } from '../sweep/plan.ts';
import { parseTonDestination } from '../sweep/ton-plan.ts';
import { tokenWalletOf } from '../sweep/ton-token.ts';
import { parseTronDestination } from '../sweep/tron-plan.ts';
import type { SweepChain } from '../sweep/sweep.ts';
import { contractOf, type Held, heldUnits, type SweepList, type TonList } from './holdings-list.ts';
import type { Terminal } from './machine.ts';

export interface Answers {
  destinations: Destinations;
  /** The known one, or typed. */
  usdtContract: string;
  /** The known one, or typed: the hash of the code of its wallets. On TON only. */
  usdtWalletCode: string;
  /** Whether the destination of USDT holds some: matters on TRON only. */
  isHolder: boolean;
}

interface Form {
  /** @returns the address as this program shows it; undefined if the text is none */
  parse: (text: string) => string | undefined;
  /** What is wrong with a text that cannot be parsed. */
  problem: string;
  /** For a comparison of addresses. */
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
const ton: Form = {
  parse: parseTonDestination,
  problem: 'This is no address of TON: it begins with UQ or EQ, and its checksum finds a mistyped letter.',
  fold: (address) => parseAddress('ton', address) ?? address,
};
const forms: Record<SweepChain, Form> = { ethereum: evm, bsc: evm, tron, ton };

/** @param isOfShop whether an address is one that customers pay to */
export async function askDestinations(
  terminal: Terminal,
  list: SweepList,
  own: readonly Held[],
  isOfShop: (address: string) => boolean,
): Promise<Answers> {
  const { usdtContract: known } = networks[list.chain];
  const usdt = saySum(terminal, list.chain, own, 'usdt') ? await askToken(terminal, list, isOfShop) : undefined;
  const isRefused = (address: string) => isOfShop(address) || isSame(list.chain, address, known);
  const coin = saySum(terminal, list.chain, own, 'coin')
    ? await askAddress(terminal, list.chain, isRefused)
    : undefined;
  const canReceive = coin === undefined || list.chain !== 'tron' || (await askActivated(terminal, coin));
  return {
    destinations: { usdt: usdt?.to, coin: canReceive ? coin : undefined },
    usdtContract: usdt?.contract ?? known,
    usdtWalletCode: usdt?.walletCode ?? USDT_ON_TON.walletCode,
    isHolder: usdt?.to !== undefined && list.chain === 'tron' && (await askHolder(terminal, usdt.to)),
  };
}

/** @returns whether there is any of it */
function saySum({ say }: Terminal, chain: SweepChain, own: readonly Held[], asset: 'coin' | 'usdt'): boolean {
  const { title, usdtUnitsLeft } = networks[chain];
  const held = own
    .map((each) => heldUnits(each, asset))
    .filter((units) => units > (asset === 'usdt' ? usdtUnitsLeft : 0n));
  if (held.length === 0) return false;
  const sum = held.reduce((sum, units) => sum + units);
  const count = held.length === 1 ? '1 address' : `${held.length} addresses`;
  say(`\n${title}: ${formatAsset(chain, asset, sum)} on ${count}.`);
  return true;
}

/** @returns undefined to leave it where it is */
async function askToken(terminal: Terminal, list: SweepList, isOfShop: (address: string) => boolean) {
  const contract = await askContract(terminal, list);
  if (contract === undefined) return undefined;
  const walletCode = list.chain === 'ton' ? await askWalletCode(terminal, list, contract) : USDT_ON_TON.walletCode;
  if (walletCode === undefined) return undefined;
  const isRefused = (address: string) => isOfShop(address) || isSame(list.chain, address, contract);
  const to = await askAddress(terminal, list.chain, isRefused);
  return { contract, walletCode, to };
}

const isSame = (chain: SweepChain, address: string, other: string): boolean =>
  forms[chain].fold(address) === forms[chain].fold(other);

/** A list with another contract could make this program sign calls of any program, so the operator must know that contract. */
async function askContract(terminal: Terminal, list: SweepList): Promise<string | undefined> {
  const { title, usdtContract: known } = networks[list.chain];
  const listed = contractOf(list)!;
  if (isSame(list.chain, listed, known)) return known;
  terminal.say(`The list names another contract of USDT on ${title} than this program knows:`);
  terminal.say(`${listed} instead of ${known}.`);
  while (true) {
    const typed = await terminal.ask('Type its address if it is one of your settings (empty: leave this USDT): ');
    if (typed === '') return undefined;
    const contract = forms[list.chain].parse(typed);
    if (contract !== undefined && isSame(list.chain, contract, listed)) return contract;
    terminal.say('This is not the contract of the list.');
  }
}

/** The wallets of USDT follow from the code that they have: with another one, the transfers would go to unknown contracts. */
async function askWalletCode(terminal: Terminal, { addresses }: TonList, master: string): Promise<string | undefined> {
  const holders = addresses.filter((each) => heldUnits(each, 'usdt') > 0n && each.jettonWallet !== undefined);
  const givesWallets = (walletCode: string) =>
    holders.every(({ address, jettonWallet }) =>
      isSame('ton', tokenWalletOf(address, { master, walletCode }), jettonWallet!),
    );
  if (givesWallets(USDT_ON_TON.walletCode)) return USDT_ON_TON.walletCode;
  terminal.say('The list names other wallets of USDT on TON than this program derives.');
  while (true) {
    const typed = await terminal.ask('Type PAY_USDT_TON_WALLET_CODE if you have set it (empty: leave this USDT): ');
    if (typed === '') return undefined;
    const walletCode = typed.toLowerCase();
    if (/^[0-9a-f]{64}$/.test(walletCode) && givesWallets(walletCode)) return walletCode;
    terminal.say('This code does not give the wallets of the list.');
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
    if (address !== undefined && !isRefused(address)) {
      if (address !== typed) terminal.say(`Shown from here on as ${address}, which is the same address.`);
      return address;
    }
    terminal.say(
      address === undefined ? forms[chain].problem : 'This is an address of the shop or a contract, not yours.',
    );
  }
}

/** The first TRX to an address cost the sender 1.1 TRX more, so nodes refuse a transfer of everything. */
async function askActivated(terminal: Terminal, destination: string): Promise<boolean> {
  const isActivated = await askWhether(terminal, `Has ${destination} received TRX before? Check it in an explorer`);
  if (!isActivated)
    terminal.say('Activate it first: send 1 TRX to it from another wallet. The TRX stay where they are.');
  return isActivated;
}

const askHolder = (terminal: Terminal, destination: string): Promise<boolean> =>
  askWhether(terminal, `Does ${destination} hold USDT already? A transfer to it costs half then`);

async function askWhether(terminal: Terminal, question: string): Promise<boolean> {
  while (true) {
    const typed = await terminal.ask(`${question} (yes or no): `);
    if (typed === 'yes' || typed === 'no') return typed === 'yes';
  }
}
