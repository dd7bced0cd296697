/** The output of each command of `npm run payments`. */
import { currencies } from '@cellhop/contract/invoices.values';
import { idSchema } from '@cellhop/contract/schemas';
import type { Ctx } from '../ctx.ts';
import {
  checkAccounts,
  checkNodes,
  explainDifference,
  findHoldings,
  releaseDeposit,
  resumeChain,
} from '../modules/invoices/operator.service.ts';
import { formatUnits } from '../payments/amounts.ts';
import { type Chain, chains, currencyRules } from '../payments/currencies.ts';

const USAGE = `npm run payments -- check              first addresses of each account, and the newest block of each node
npm run payments -- holdings CURRENCY  the addresses that hold most of it now, with their numbers in the wallet, for sweeping
npm run payments -- resume CHAIN       credit payments again after a reorganisation
npm run payments -- release DEPOSIT    credit a deposit that is on hold
npm run payments -- explain CHAIN ADDRESS  end a difference of the daily comparison: its money is no payment, such as gas for a sweep`;

/** @throws Error with a message for the operator */
export async function runPaymentsCommand(ctx: Ctx, [command, subject, ...rest]: readonly string[]): Promise<string> {
  if (command === 'explain' && rest.length === 1) return explain(ctx, subject, rest[0]!);
  if (rest.length > 0) throw new Error(USAGE);
  if (command === 'check' && subject === undefined) return check(ctx);
  if (command === 'holdings') return showHoldings(ctx, subject);
  if (command === 'resume') return resume(ctx, subject);
  if (command === 'release') return release(ctx, subject);
  throw new Error(USAGE);
}

async function check(ctx: Ctx): Promise<string> {
  const accounts = checkAccounts(ctx).map(
    ({ space, fingerprint, addresses }) =>
      `${space}  account ${fingerprint}\n${addresses.map((address, index) => `  0/${index}  ${address}`).join('\n')}`,
  );
  const nodes = (await checkNodes(ctx)).map(({ chain, head, problem }) =>
    head
      ? `${chain.padEnd(9)} works: block ${head.height} of ${head.time.toISOString()}`
      : `${chain.padEnd(9)} does not work: ${problem ?? ''}`,
  );
  const warning = ctx.config.isDevelopment ? ['In development these are the sandbox, whatever the settings are.'] : [];
  return [...accounts, ...nodes, ...warning].join('\n');
}

const HOLDINGS_MAX = 1000;

async function showHoldings(ctx: Ctx, name: string | undefined): Promise<string> {
  const currency = currencies.find((each) => each === name);
  if (!currency) throw new Error(`Name one of the currencies: ${currencies.join(', ')}`);
  const rules = currencyRules[currency];
  const holdings = await findHoldings(ctx, currency, HOLDINGS_MAX);
  if (!holdings) throw new Error(`${currency} is not set up.`);
  const lines = holdings.map(({ derivationIndex, fingerprint, address, heldUnits }) =>
    [fingerprint, `0/${derivationIndex}`, address, formatUnits(heldUnits, rules)].join('\t'),
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
