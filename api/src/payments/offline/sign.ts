/** Signs sweeps: reads the list, asks where the money goes, says what it will sign, asks again, signs, and checks what was signed. */
import { commandLine } from '@cellhop/contract/command-line';
import assert from 'node:assert/strict';
import { parseAddress } from '../derive/addresses.ts';
import { networks } from '../sweep/networks.ts';
import { planEvm } from '../sweep/evm-plan.ts';
import { describePlace, ListRefused, type Plan, type PlannedSweep } from '../sweep/plan.ts';
import { readSigned } from '../sweep/read-signed.ts';
import type { SignedFile } from '../sweep/signed-file.ts';
import type { SignedSweep, Sweep } from '../sweep/sweep.ts';
import { planTon } from '../sweep/ton-plan.ts';
import { planTron } from '../sweep/tron-plan.ts';
import { type Answers, askDestinations } from './destinations.ts';
import { type Held, heldUnits, readHoldings, type SweepList } from './holdings-list.ts';
import { type Machine, Refusal, type Terminal } from './machine.ts';
import { describePlan, describeTotals, listDestinations } from './describe-plan.ts';
import { type PrivateAccount, type PrivateAccounts, spaceOf, type SweepSpace } from './seed.ts';

/** As many as wallets show at first. */
const FIRST_ADDRESSES = 20;
/** Of a destination, for the confirmation. */
const ENDING_LENGTH = 6;

/**
 * @param askAccounts for those that the list needs
 * @throws ListRefused and Refusal
 */
export async function signSweeps(
  machine: Machine,
  holdingsFile: string,
  signedFile: string,
  askAccounts: (spaces: ReadonlySet<SweepSpace>) => Promise<PrivateAccounts>,
): Promise<void> {
  const { terminal } = machine;
  checkFile(machine, signedFile);
  const { lists, others, madeAt } = readHoldings(readFile(machine, holdingsFile));
  if (others.length > 0) terminal.say(`This program does not sweep ${others.join(' and ')}: use the wallet.`);
  const accounts = await askAccounts(new Set(lists.map(({ chain }) => spaceOf[chain])));
  const plan = await planLists(machine, lists, madeAt, accounts);
  terminal.say(describePlan(plan));
  if (plan.sweeps.length === 0) throw new Refusal('There is nothing to sign.');
  terminal.say(describeTotals(plan.sweeps));
  const count = plan.sweeps.length;
  await confirm(terminal, count, listDestinations(plan.sweeps));
  const transactions = plan.sweeps.map((sweep) => sign(sweep, accounts[spaceOf[sweep.chain]]!));
  const file: SignedFile = { kind: 'cellhop-signed', version: 1, transactions };
  writeFile(machine, signedFile, `${JSON.stringify(file, null, 2)}\n`);
  terminal.say(`Signed ${count}: ${signedFile} contains no secret. Take it to the server:`);
  terminal.say(commandLine('payments', 'broadcast', signedFile));
}

/** An answer that was prepared before the plan was read would not fit it. @throws Refusal */
async function confirm(terminal: Terminal, count: number, destinations: readonly string[]): Promise<void> {
  const endings = destinations.map((destination) => destination.slice(-ENDING_LENGTH)).join(' ');
  const each =
    destinations.length === 1 ? 'the destination' : `each of the ${destinations.length} destinations in this order`;
  const prompt = `To sign ${count === 1 ? 'it' : `these ${count}`}, type the last six characters of ${each}: `;
  while (true) {
    const typed = await terminal.ask(prompt);
    if (typed === '') throw new Refusal('Nothing was signed.');
    if (typed.split(/\s+/).join(' ') === endings) return;
    terminal.say('This is not how the destinations end. An empty line ends without signing.');
  }
}

function readFile(machine: Machine, path: string): Uint8Array {
  try {
    return machine.readFile(path);
  } catch {
    throw new Refusal(`${path} cannot be read.`);
  }
}

/** Before the seed words are asked for. */
function checkFile(machine: Machine, path: string): void {
  try {
    machine.checkNewFile(path);
  } catch {
    throw new Refusal(`${path} exists already or cannot be written. Name another file for what is signed.`);
  }
}

function writeFile(machine: Machine, path: string, text: string): void {
  try {
    machine.writeNewFile(path, text);
  } catch {
    throw new Refusal(
      `${path} exists already or cannot be written, so what was signed is not stored. Name another file.`,
    );
  }
}

async function planLists(
  machine: Machine,
  lists: readonly SweepList[],
  listedAt: Date,
  accounts: PrivateAccounts,
): Promise<Plan> {
  const plan: Plan = { sweeps: [], leftOut: [] };
  // All are checked before the first question: a list with one wrong address is not to be trusted with the others.
  for (const list of lists) deriveAgain(machine, list, accounts[spaceOf[list.chain]]!);
  const isOfShop = knowAddresses(lists, accounts);
  for (const list of lists) {
    const account = accounts[spaceOf[list.chain]]!;
    const own = (list.addresses as readonly Held[]).filter((held) => held.account === account.fingerprint);
    if (own.length === 0) continue;
    const answers = await askDestinations(machine.terminal, list, own, isOfShop);
    const { sweeps, leftOut } = planList(list, account, answers, { listedAt, now: machine.now() });
    plan.sweeps.push(...sweeps);
    plan.leftOut.push(...leftOut);
  }
  return plan;
}

/** @throws ListRefused if an address that the list has for these seed words is not theirs */
function deriveAgain({ terminal }: Machine, list: SweepList, account: PrivateAccount): void {
  const { title } = networks[list.chain];
  const foreign = new Map<string, number>();
  for (const held of list.addresses) {
    if (held.account !== account.fingerprint) foreign.set(held.account, (foreign.get(held.account) ?? 0) + 1);
    else if (account.addressOf(held.index) !== held.address)
      throw new ListRefused(
        `The list says that ${describePlace(list.chain, held.index)} on ${title} is ${held.address}, which is wrong. Nothing of it was signed: find out who has changed it.`,
      );
    // Not repeated here: words of the list could talk the operator into anything.
    else if (held.notes.length > 0)
      terminal.say(
        `${title}: the list has a note about ${held.address} (${describePlace(list.chain, held.index)}): read it there. USDT of this address stays where it is.`,
      );
  }
  for (const [fingerprint, count] of foreign)
    terminal.say(
      `${title}: ${count} of the list belong to the account ${fingerprint}. These seed words are ${account.fingerprint}.`,
    );
}

/** What customers pay to is no treasury: the list's addresses, their wallets of USDT on TON, and the first addresses of the accounts. */
function knowAddresses(lists: readonly SweepList[], accounts: PrivateAccounts): (address: string) => boolean {
  const listed = lists.flatMap(({ addresses }) => addresses as readonly (Held & { jettonWallet?: string })[]);
  const wallets = listed.flatMap(({ jettonWallet }) => (jettonWallet && parseAddress('ton', jettonWallet)) ?? []);
  const known = new Set([...listed.map(({ address }) => address), ...wallets]);
  for (const { addressOf } of Object.values(accounts))
    for (let index = 0; index < FIRST_ADDRESSES; index += 1) known.add(addressOf(index));
  return (address) => known.has(address);
}

function planList(
  list: SweepList,
  { fingerprint, publicKey }: PrivateAccount,
  answers: Answers,
  { listedAt, now }: { listedAt: Date; now: Date },
): Plan {
  const { destinations, usdtContract, usdtWalletCode, isHolder } = answers;
  const toOwn = <Address extends Held>(addresses: readonly Address[]) =>
    addresses
      .filter(({ account }) => account === fingerprint)
      .map((held) => ({ ...held, coinUnits: heldUnits(held, 'coin'), usdtUnits: heldUnits(held, 'usdt') }));
  if (list.chain === 'tron') {
    const { referenceBlock } = list;
    const [energyPrice, bandwidthPrice] = [BigInt(list.fee.energyPrice), BigInt(list.fee.bandwidthPrice)];
    const fee = { energyPrice, bandwidthPrice, energyFactor: BigInt(list.fee.energyFactor ?? 0) };
    const addresses = toOwn(list.addresses);
    return planTron({ addresses, referenceBlock, fee, destinations, isHolder, usdtContract, now });
  }
  if (list.chain === 'ton') {
    const usdt = { master: usdtContract, walletCode: usdtWalletCode };
    return planTon({ publicKey, addresses: toOwn(list.addresses), listedAt, destinations, usdt, now });
  }
  const [maxFeePerGas, maxPriorityFeePerGas] = [list.fee.maxFeePerGas, list.fee.maxPriorityFeePerGas].map(BigInt);
  const fee = { maxFeePerGas: maxFeePerGas!, maxPriorityFeePerGas: maxPriorityFeePerGas! };
  return planEvm({ chain: list.chain, addresses: toOwn(list.addresses), fee, destinations, usdtContract });
}

/** The bytes are read again, by the code that reads them before they are sent: they must do what was said, and nothing else. */
function sign(sweep: PlannedSweep, account: PrivateAccount): SignedFile['transactions'][number] {
  const key = account.privateKeyOf(sweep.index);
  try {
    const raw = sweep.sign(key);
    assert.deepEqual(whatItDoes(readSigned[sweep.chain](raw)), whatItDoes(sweep));
    return { chain: sweep.chain, raw };
  } finally {
    key.fill(0);
  }
}

function whatItDoes({ chain, from, to, contract, units, feeLimitUnits, nonce, expiresAt }: Sweep | SignedSweep): Sweep {
  return { chain, from, to, contract, units, feeLimitUnits, nonce, expiresAt };
}
