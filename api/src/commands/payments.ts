import { open, rm } from 'node:fs/promises';
import { SOURCES_RECOMMENDED } from '@cellhop/contract/chains';
import { commandLine } from '@cellhop/contract/command-line';
import { type Currency, currencies } from '@cellhop/contract/invoices.values';
import { idSchema } from '@cellhop/contract/schemas';
import type { Ctx } from '../ctx.ts';
import { broadcastFile } from './broadcast-command.ts';
import type { Command, Order } from './command.ts';
import {
  checkAccounts,
  checkSources,
  compareBeforeSweep,
  explainDifference,
  findHoldings,
  makeHoldingsFile,
  resumeDeposit,
  resumeChain,
} from '../modules/invoices/operator.service.ts';
import { rescanChain } from '../modules/invoices/rescan.service.ts';
import { formatUnits } from '../payments/amounts.ts';
import type { SourceFinding } from '../payments/chains/watcher.ts';
import { type Chain, chains, currencyRules } from '../payments/currencies.ts';
import { describeIndex } from '../payments/derive/addresses.ts';
import type { HoldingsFile } from '../payments/holdings-file.ts';
import { nameOtherToken } from '../payments/settings.ts';

export const payments: Command = {
  name: 'payments',
  summary: 'Checks the settings of payments, lists what addresses hold, and ends what waits for the operator',
  usage: 'COMMAND',
  details: `  check                   first addresses of each account, and whether each source serves everything that is needed
  holdings CURRENCY       the addresses that hold most of it now, with their numbers in the wallet
  holdings CHAIN          the list from which the offline program signs sweeps, on the terminal
  holdings CHAIN --file FILE  the same in a file, after a comparison of all addresses with their deposits
  resume CHAIN            credit payments again after a reorganisation
  rescan CHAIN FROM       read the blocks from this height on again, for payments that were missed
  release DEPOSIT         credit a deposit that is on hold
  explain CHAIN ADDRESS   end a difference of the daily comparison: its money is no payment, such as gas for a sweep
  broadcast FILE          send the transactions that the offline program has signed`,
  parse([name = '', ...values]): Order {
    const [subject, last] = values;
    switch (`${name} ${values.length}`) {
      case 'check 0':
        return { kind: 'question', needsSchema: false, run: check };
      case 'holdings 0':
      case 'holdings 1':
      case 'holdings 3':
        return parseHoldings(values);
      case 'resume 1':
        return change(resume, parseChain(subject));
      case 'rescan 2':
        return change(rescan, parseChain(subject), parseHeight(last));
      case 'release 1':
        return change(release, parseDeposit(subject));
      case 'explain 2':
        return change(explain, parseChain(subject), last!);
      case 'broadcast 1':
        return { kind: 'change', run: (ctx, terminal) => broadcastFile(ctx, terminal.path(subject!)) };
      default:
        throw new Error(
          name === '' ? 'Which command?' : `"${[name, ...values].join(' ')}" is not one of these commands.`,
        );
    }
  },
};

function change<Values extends readonly unknown[]>(
  work: (ctx: Ctx, ...values: Values) => Promise<string>,
  ...values: Values
): Order {
  return { kind: 'change', run: (ctx) => work(ctx, ...values) };
}

async function check(ctx: Ctx): Promise<string> {
  const accounts = checkAccounts(ctx).map(
    ({ space, fingerprint, addresses }) =>
      `${space}  account ${fingerprint}\n${addresses.map((address, index) => `  ${describeIndex(space, BigInt(index))}  ${address}`).join('\n')}`,
  );
  const checks = await checkSources(ctx);
  const sources = checks.flatMap(({ chain, findings }) => describeSources(chain, findings));
  const counts = checks.flatMap(({ chain, sourceCount }) => warnOfFewSources(chain, sourceCount));
  const tokens = checks.flatMap(({ chain }) =>
    nameOtherToken(ctx.config.payments, chain).map((sentence) => `${chain.padEnd(CHAIN_WIDTH)} ${sentence}`),
  );
  const warning = ctx.config.isDevelopment ? ['In development these are the sandbox, whatever the settings are.'] : [];
  return [...accounts, ...sources, ...counts, ...tokens, ...warning].join('\n');
}

/** One line for each source. */
function describeSources(chain: Chain, findings: readonly SourceFinding[]): string[] {
  const bySource = Map.groupBy(findings, ({ source }) => source);
  return [...bySource].map(([source, ofSource]) => {
    const failed = ofSource.filter(({ isOk, isRequired }) => !isOk && isRequired);
    const limited = ofSource.filter(({ isOk, isRequired }) => !isOk && !isRequired);
    const working = listFindings(ofSource.filter(({ isOk }) => isOk));
    const problems = [...failed, ...limited];
    const verdict = failed.length > 0 ? 'DOES NOT WORK' : limited.length > 0 ? 'works, BUT' : 'works';
    const parts = [listFindings(problems), problems.length > 0 && working !== '' ? `what works: ${working}` : working];
    return `${chain.padEnd(CHAIN_WIDTH)} ${source}  ${verdict}: ${parts.filter((part) => part !== '').join('. ')}`;
  });
}

const listFindings = (findings: readonly SourceFinding[]) =>
  findings.map(({ need, sentence }) => `${need}: ${sentence}`).join('; ');

function warnOfFewSources(chain: Chain, count: number): string[] {
  if (count === 0 || count >= SOURCES_RECOMMENDED) return [];
  const text =
    count === 1
      ? 'one source: whatever it says is believed'
      : 'two sources: both must work and agree, or no payment is seen';
  return [`${chain.padEnd(CHAIN_WIDTH)} has ${text}. Three are recommended, of which any two must agree.`];
}

function parseHoldings([subject, option, file]: readonly string[]): Order {
  if (option !== undefined && option !== '--file') throw new Error(`"${option}" is not --file.`);
  const chain = chains.find((each) => each === subject);
  if (chain && file !== undefined)
    return { kind: 'change', run: (ctx, terminal) => writeList(ctx, chain, terminal.path(file)) };
  if (chain) return { kind: 'question', run: async (ctx) => JSON.stringify(await makeList(ctx, chain), undefined, 2) };
  const currency = currencies.find((each) => each === subject);
  if (!currency || option !== undefined) throw new Error(`Name one of the currencies: ${currencies.join(', ')}`);
  return { kind: 'question', run: (ctx) => showHoldings(ctx, currency) };
}

async function makeList(ctx: Ctx, chain: Chain): Promise<HoldingsFile> {
  const list = await makeHoldingsFile(ctx, chain, HOLDINGS_MAX);
  if (!list) throw new Error(`${chain} is not set up.`);
  return list;
}

async function writeList(ctx: Ctx, chain: Chain, file: string): Promise<string> {
  const handle = await open(file, 'wx').catch(() => {
    throw new Error(`${file} exists already or cannot be written. Name another file.`);
  });
  try {
    const differences = await compareBeforeSweep(ctx, chain);
    const list = await makeList(ctx, chain);
    await handle.writeFile(`${JSON.stringify(list, undefined, 2)}\n`);
    return [...differences, `${file} lists ${list.chains[0]!.addresses.length} addresses.`].join('\n');
  } catch (error) {
    await rm(file);
    throw error;
  } finally {
    await handle.close();
  }
}

const CHAIN_WIDTH = 9;
const HOLDINGS_MAX = 1000;

async function showHoldings(ctx: Ctx, currency: Currency): Promise<string> {
  const rules = currencyRules[currency];
  const holdings = await findHoldings(ctx, currency, HOLDINGS_MAX);
  if (!holdings) throw new Error(`${currency} is not set up.`);
  const lines = holdings.map(({ derivationIndex, fingerprint, address, balanceUnits }) =>
    [fingerprint, describeIndex(rules.addressSpace, derivationIndex), address, formatUnits(balanceUnits, rules)].join(
      '\t',
    ),
  );
  return ['account\tnumber\taddress\t' + currency, ...lines].join('\n');
}

function parseChain(name: string | undefined): Chain {
  const chain = chains.find((each) => each === name);
  if (!chain) throw new Error(`Name one of the chains: ${chains.join(', ')}`);
  return chain;
}

function parseHeight(text: string | undefined): number {
  if (!/^[1-9]\d{0,9}$/.test(text ?? '')) throw new Error('Name the height of the first block to read.');
  return Number(text);
}

function parseDeposit(text: string | undefined): string {
  const parsed = idSchema.safeParse(text);
  if (!parsed.success) throw new Error('Name the deposit by its id, which the invoice shows to staff.');
  return parsed.data;
}

async function explain(ctx: Ctx, chain: Chain, address: string): Promise<string> {
  const isExplained = await explainDifference(ctx, chain, address);
  return isExplained ? 'The difference is no longer reported.' : 'Nothing at this address is unexplained.';
}

async function rescan(ctx: Ctx, chain: Chain, from: number): Promise<string> {
  const { toHeight, found } = await rescanChain(ctx, chain, from);
  return toHeight === undefined
    ? `The worker reads ${chain} again from block ${from} on. Then: ${commandLine('payments', 'resume', chain)}`
    : `Blocks ${from} to ${toHeight} have ${found} payments that were missed. The worker credits them.`;
}

async function resume(ctx: Ctx, chain: Chain): Promise<string> {
  return (await resumeChain(ctx, chain)) ? `${chain} is credited again.` : `${chain} was not paused.`;
}

async function release(ctx: Ctx, id: string): Promise<string> {
  return (await resumeDeposit(ctx, id)) ? 'The deposit is credited within seconds.' : 'This deposit is not on hold.';
}
