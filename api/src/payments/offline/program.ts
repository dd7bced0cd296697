/** The commands of the offline program: the public keys of the accounts, and signed sweeps. */
import { parseArgs } from 'node:util';
import { signSweeps } from './sign.ts';
import { type Machine, Refusal, type Terminal } from './machine.ts';
import {
  accountPath,
  checkWords,
  InvalidWords,
  openAccounts,
  type PrivateAccount,
  type PrivateAccounts,
  type SweepSpace,
  type WordSpace,
} from './seed.ts';
import { openTonAccount } from './ton-seed.ts';

const USAGE = `node cellhop-offline.mjs accounts               public keys and first addresses, for the settings of the server
node cellhop-offline.mjs accounts ton           the same for TON, whose wallets have seed words of their own kind
node cellhop-offline.mjs sign HOLDINGS SIGNED   signs sweeps of the list HOLDINGS into the new file SIGNED

--account N          another account of the seed words than 0; TON has none
--with-network       runs although this machine is connected to a network`;

/** Larger numbers are typing errors. */
const ACCOUNT_MAX = 1000;

/** @throws Refusal and ListRefused, with a sentence for the operator */
export async function runOffline(machine: Machine, values: readonly string[]): Promise<void> {
  const { command, subjects, account, isNetworkAllowed } = readArguments(values);
  if (!isNetworkAllowed) refuseNetwork(machine);
  if (command === 'accounts') return subjects.length > 0 ? showTonAccount(machine) : showAccounts(machine, account);
  if (!machine.terminal.isInteractive)
    throw new Refusal('Sweeps are signed at a terminal only, where somebody reads what is asked: no pipe, no file.');
  const [holdings, signed] = subjects;
  return signSweeps(machine, holdings!, signed!, (spaces) => askAccounts(machine, spaces, account));
}

function readArguments(values: readonly string[]) {
  const { positionals, options } = parse(values);
  const [command, ...subjects] = positionals;
  const account = Number(options.account);
  const isTon = command === 'accounts' && subjects.length === 1 && subjects[0] === 'ton' && account === 0;
  const isComplete =
    isTon || (command === 'accounts' && subjects.length === 0) || (command === 'sign' && subjects.length === 2);
  if (!isComplete || !/^\d+$/.test(options.account) || account > ACCOUNT_MAX) throw new Refusal(USAGE);
  return { command, subjects, account, isNetworkAllowed: options['with-network'] };
}

function parse(values: readonly string[]) {
  try {
    const { positionals, values: options } = parseArgs({
      args: [...values],
      allowPositionals: true,
      options: { account: { type: 'string', default: '0' }, 'with-network': { type: 'boolean', default: false } },
    });
    return { positionals, options };
  } catch {
    throw new Refusal(USAGE);
  }
}

function refuseNetwork(machine: Machine): void {
  const names = machine.connectedInterfaces();
  if (names.length === 0) return;
  throw new Refusal(
    `This machine is connected to a network (${names.join(', ')}). Seed words belong on a machine without one: disconnect it first.\n` +
      'This program itself opens no connection. --with-network lets it run nevertheless.',
  );
}

async function showAccounts(machine: Machine, account: number): Promise<void> {
  const { terminal } = machine;
  const accounts = await askWordAccounts(terminal, account, true);
  terminal.say('');
  for (const space of ['evm', 'tron'] as const) {
    terminal.say(`# ${accountPath(space, account)}, account ${accounts[space].fingerprint}`);
    saySettings(terminal, `PAY_${space.toUpperCase()}`, 'XPUB', accounts[space]);
  }
  sayPublic(terminal);
}

async function showTonAccount({ terminal }: Machine): Promise<void> {
  const account = await askTonAccount(terminal);
  terminal.say('');
  terminal.say(`# wallets v4R2, account ${account.fingerprint}`);
  saySettings(terminal, 'PAY_TON', 'PUBLIC_KEY', account);
  sayPublic(terminal);
}

function saySettings({ say }: Terminal, name: string, kind: string, { publicKey, addressOf }: PrivateAccount): void {
  say(`${name}_${kind}=${publicKey}`);
  say(`${name}_ADDRESS_0=${addressOf(0)}`);
}

function sayPublic({ say }: Terminal): void {
  say('');
  say('These are public: copy them into the settings of the server. The seed words stay here.');
}

async function askAccounts(
  { terminal }: Machine,
  spaces: ReadonlySet<SweepSpace>,
  account: number,
): Promise<PrivateAccounts> {
  const needsWords = spaces.has('evm') || spaces.has('tron');
  return {
    ...(needsWords && (await askWordAccounts(terminal, account, false))),
    ...(spaces.has('ton') && { ton: await askTonAccount(terminal) }),
  };
}

/** @param isNew the passphrase is asked twice, because nothing would tell that it was mistyped */
async function askWordAccounts(
  terminal: Terminal,
  account: number,
  isNew: boolean,
): Promise<Record<WordSpace, PrivateAccount>> {
  const words = await askSecret(terminal, 'Seed words, separated by spaces (not shown): ', checkWords);
  const passphrase = await terminal.askHidden('Passphrase (none: press Enter; not shown): ');
  if (isNew && passphrase !== '' && (await terminal.askHidden('The passphrase again: ')) !== passphrase)
    throw new Refusal('The passphrases differ.');
  return openAccounts(words, passphrase, account);
}

const askTonAccount = (terminal: Terminal): Promise<PrivateAccount> =>
  askSecret(terminal, 'Seed words of TON, or its seed as 64 hexadecimal digits (not shown): ', openTonAccount);

/** Asks until it can be read. */
async function askSecret<Read>(
  terminal: Terminal,
  prompt: string,
  read: (typed: string) => Read | Promise<Read>,
): Promise<Read> {
  while (true) {
    try {
      return await read(await terminal.askHidden(prompt));
    } catch (error) {
      if (!(error instanceof InvalidWords)) throw error;
      terminal.say(error.message);
    }
  }
}
