/** The output of each command of `npm run payments`. */
import { writeFile } from 'node:fs/promises';
import { SOURCES_RECOMMENDED } from '@cellhop/contract/chains';
import { currencies } from '@cellhop/contract/invoices.values';
import { idSchema } from '@cellhop/contract/schemas';
import type { Ctx } from '../ctx.ts';
import { broadcastFile } from './broadcast-command.ts';
import {
  checkAccounts,
  checkSources,
  explainDifference,
  findHoldings,
  makeHoldingsFile,
  releaseDeposit,
  resumeChain,
} from '../modules/invoices/operator.service.ts';
import { rescanChain } from '../modules/invoices/rescan.service.ts';
import { formatUnits } from '../payments/amounts.ts';
import type { SourceFinding } from '../payments/chains/watcher.ts';
import { type Chain, chains, currencyRules } from '../payments/currencies.ts';
import { describeIndex } from '../payments/derive/addresses.ts';

const USAGE = `npm run payments -- check              first addresses of each account, and whether each source serves everything that is needed
npm run payments -- holdings CURRENCY  the addresses that hold most of it now, with their numbers in the wallet
npm run payments -- holdings CHAIN [--file FILE]  the list from which the offline program signs sweeps, to a file or the terminal
npm run payments -- resume CHAIN       credit payments again after a reorganisation
npm run payments -- rescan CHAIN FROM  read the blocks from this height on again, for payments that were missed
npm run payments -- release DEPOSIT    credit a deposit that is on hold
npm run payments -- explain CHAIN ADDRESS  end a difference of the daily comparison: its money is no payment, such as gas for a sweep
npm run payments -- broadcast FILE     send the transactions that the offline program has signed`;

/** @throws Error with a message for the operator */
export async function runPaymentsCommand(ctx: Ctx, [command, subject, ...rest]: readonly string[]): Promise<string> {
  if (command === 'holdings' && chains.some((chain) => chain === subject)) return listForSweep(ctx, subject, rest);
  if (command === 'explain' && rest.length === 1) return explain(ctx, subject, rest[0]!);
  if (command === 'rescan' && rest.length === 1) return rescan(ctx, subject, rest[0]!);
  if (rest.length > 0) throw new Error(USAGE);
  if (command === 'check' && subject === undefined) return check(ctx);
  if (command === 'holdings') return showHoldings(ctx, subject);
  if (command === 'resume') return resume(ctx, subject);
  if (command === 'release') return release(ctx, subject);
  if (command === 'broadcast' && subject !== undefined) return broadcastFile(ctx, subject);
  throw new Error(USAGE);
}

async function check(ctx: Ctx): Promise<string> {
  const accounts = checkAccounts(ctx).map(
    ({ space, fingerprint, addresses }) =>
      `${space}  account ${fingerprint}\n${addresses.map((address, index) => `  ${describeIndex(space, BigInt(index))}  ${address}`).join('\n')}`,
  );
  const checks = await checkSources(ctx);
  const sources = checks.flatMap(({ chain, findings }) => describeSources(chain, findings));
  const counts = checks.flatMap(({ chain, sourceCount }) => warnOfFewSources(chain, sourceCount));
  const warning = ctx.config.isDevelopment ? ['In development these are the sandbox, whatever the settings are.'] : [];
  return [...accounts, ...sources, ...counts, ...warning].join('\n');
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

async function listForSweep(
  ctx: Ctx,
  name: string | undefined,
  [option, path, ...rest]: readonly string[],
): Promise<string> {
  const isValid = option === undefined || (option === '--file' && path !== undefined && rest.length === 0);
  if (!isValid) throw new Error(USAGE);
  const chain = parseChain(name);
  const list = await makeHoldingsFile(ctx, chain, HOLDINGS_MAX);
  if (!list) throw new Error(`${chain} is not set up.`);
  const text = JSON.stringify(list, undefined, 2);
  if (path === undefined) return text;
  await writeFile(path, `${text}\n`);
  return `${path} lists ${list.chains[0]!.addresses.length} addresses.`;
}

const CHAIN_WIDTH = 9;
const HOLDINGS_MAX = 1000;

async function showHoldings(ctx: Ctx, name: string | undefined): Promise<string> {
  const currency = currencies.find((each) => each === name);
  if (!currency) throw new Error(`Name one of the currencies: ${currencies.join(', ')}`);
  const rules = currencyRules[currency];
  const holdings = await findHoldings(ctx, currency, HOLDINGS_MAX);
  if (!holdings) throw new Error(`${currency} is not set up.`);
  const lines = holdings.map(({ derivationIndex, fingerprint, address, heldUnits }) =>
    [fingerprint, describeIndex(rules.addressSpace, derivationIndex), address, formatUnits(heldUnits, rules)].join(
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

async function explain(ctx: Ctx, name: string | undefined, address: string): Promise<string> {
  const isExplained = await explainDifference(ctx, parseChain(name), address);
  return isExplained ? 'The difference is no longer reported.' : 'Nothing at this address is unexplained.';
}

async function rescan(ctx: Ctx, name: string | undefined, from: string): Promise<string> {
  const chain = parseChain(name);
  if (!/^[1-9]\d{0,9}$/.test(from)) throw new Error('Name the height of the first block to read.');
  const { toHeight, found } = await rescanChain(ctx, chain, Number(from));
  return toHeight === undefined
    ? `The worker reads ${chain} again from block ${from} on. Then: npm run payments -- resume ${chain}`
    : `Blocks ${from} to ${toHeight} have ${found} payments that were missed. The worker credits them.`;
}

async function resume(ctx: Ctx, name: string | undefined): Promise<string> {
  const chain = parseChain(name);
  return (await resumeChain(ctx, chain)) ? `${chain} is credited again.` : `${chain} was not paused.`;
}

async function release(ctx: Ctx, id: string | undefined): Promise<string> {
  const parsed = idSchema.safeParse(id);
  if (!parsed.success) throw new Error('Name the deposit by its id, which the invoice shows to staff.');
  const isReleased = await releaseDeposit(ctx, parsed.data);
  return isReleased ? 'The deposit is credited within seconds.' : 'This deposit is not on hold.';
}
