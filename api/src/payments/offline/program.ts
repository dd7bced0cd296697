/** The commands of the offline program: the public keys of the accounts, and signed sweeps. */
import { parseArgs } from 'node:util';
import { signSweeps } from './sign.ts';
import { type Machine, Refusal } from './machine.ts';
import { accountPath, checkWords, InvalidWords, openAccounts, type PrivateAccount, type SweepSpace } from './seed.ts';

const USAGE = `node cellhop-offline.mjs accounts               public keys and first addresses, for the settings of the server
node cellhop-offline.mjs sign HOLDINGS SIGNED   signs sweeps of the list HOLDINGS into the new file SIGNED

--account N          another account of the seed words than 0
--with-network       runs although this machine is connected to a network`;

/** Larger numbers are typing errors. */
const ACCOUNT_MAX = 1000;

/** @throws Refusal and ListRefused, with a sentence for the operator */
export async function runOffline(machine: Machine, values: readonly string[]): Promise<void> {
  const { command, files, account, isNetworkAllowed } = readArguments(values);
  if (!isNetworkAllowed) refuseNetwork(machine);
  if (command === 'accounts') return showAccounts(machine, account);
  const [holdings, signed] = files;
  return signSweeps(machine, holdings!, signed!, () => askAccounts(machine, account, false));
}

function readArguments(values: readonly string[]) {
  const { positionals, options } = parse(values);
  const [command, ...files] = positionals;
  const account = Number(options.account);
  const isComplete = (command === 'accounts' && files.length === 0) || (command === 'sign' && files.length === 2);
  if (!isComplete || !/^\d+$/.test(options.account) || account > ACCOUNT_MAX) throw new Refusal(USAGE);
  return { command, files, account, isNetworkAllowed: options['with-network'] };
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
  const accounts = await askAccounts(machine, account, true);
  const { say } = machine.terminal;
  say('');
  for (const space of ['evm', 'tron'] as const) {
    const name = `PAY_${space.toUpperCase()}`;
    const { xpub, fingerprint, addressOf } = accounts[space];
    say(`# ${accountPath(space, account)}, account ${fingerprint}`);
    say(`${name}_XPUB=${xpub}`);
    say(`${name}_ADDRESS_0=${addressOf(0)}`);
  }
  say('');
  say('These are public: copy them into the settings of the server. The seed words stay here.');
}

/** @param isNew the passphrase is asked twice, because nothing would tell that it was mistyped */
async function askAccounts(
  { terminal }: Machine,
  account: number,
  isNew: boolean,
): Promise<Record<SweepSpace, PrivateAccount>> {
  const words = await askWords(terminal);
  const passphrase = await terminal.askHidden('Passphrase (none: press Enter; not shown): ');
  if (isNew && passphrase !== '' && (await terminal.askHidden('The passphrase again: ')) !== passphrase)
    throw new Refusal('The passphrases differ.');
  return openAccounts(words, passphrase, account);
}

async function askWords(terminal: Machine['terminal']): Promise<string> {
  while (true) {
    try {
      return checkWords(await terminal.askHidden('Seed words, separated by spaces (not shown): '));
    } catch (error) {
      if (!(error instanceof InvalidWords)) throw error;
      terminal.say(error.message);
    }
  }
}
