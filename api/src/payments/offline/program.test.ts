import { expect, test } from 'vitest';
import { createOfflineMachine, SEED_WORDS, TON_WORDS } from '../../../test/offline-machine.ts';
import { deriveAddress } from '../derive/addresses.ts';
import { parseAccountKey } from '../derive/account-key.ts';
import { parseWalletKey } from '../derive/wallet-key.ts';
import { runOffline } from './program.ts';
import { openAccounts } from './seed.ts';
import { openTonAccount } from './ton-seed.ts';

const XPUB_EVM =
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt';
const XPUB_TRON =
  'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd';

async function run(typed: readonly string[], ...values: string[]) {
  const offline = createOfflineMachine({ typed });
  await runOffline(offline.machine, values);
  return offline.screen();
}

test('prints the settings of both accounts, as other wallets derive them, and no word', async () => {
  const screen = await run([SEED_WORDS, ''], 'accounts');
  const lines = screen.split('\n');
  expect(lines).toContain("# m/44'/60'/0', account 12329a45453006a3");
  expect(lines).toContain(`PAY_EVM_XPUB=${XPUB_EVM}`);
  expect(lines).toContain('PAY_EVM_ADDRESS_0=0x9858EfFD232B4033E47d90003D41EC34EcaEda94');
  expect(lines).toContain(`PAY_TRON_XPUB=${XPUB_TRON}`);
  expect(lines).toContain('PAY_TRON_ADDRESS_0=TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH');
  expect(screen).not.toContain('abandon');
});

test('derives the same addresses as the server does from the public key', () => {
  const { evm, tron } = openAccounts(SEED_WORDS, '', 0);
  for (const index of [0, 1, 2, 1_000_000, 2 ** 31 - 1])
    expect(evm.addressOf(index)).toBe(deriveAddress('evm', parseAccountKey(XPUB_EVM), BigInt(index)));
  expect([0, 1, 2].map(tron.addressOf)).toEqual([
    'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
    'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
    'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx',
  ]);
});

test('takes words in any case and spacing, a passphrase that is typed twice, and another account', async () => {
  const untidy = `  ${SEED_WORDS.toUpperCase().replaceAll(' ', '\t ')} `;
  expect(await run([untidy, ''], 'accounts')).toContain(XPUB_EVM);
  const withPassphrase = await run([SEED_WORDS, 'TREZOR ', 'TREZOR '], 'accounts');
  expect(withPassphrase).not.toContain(XPUB_EVM);
  expect(withPassphrase).not.toContain('TREZOR');
  await expect(run([SEED_WORDS, 'TREZOR', 'TREZOE'], 'accounts')).rejects.toThrow('The passphrases differ.');
  const second = await run([SEED_WORDS, ''], 'accounts', '--account', '1');
  expect(second).toContain("m/44'/60'/1'");
  expect(second).not.toContain(XPUB_EVM);
});

test('asks again after mistyped words, and repeats none of them', async () => {
  const screen = await run(
    [
      'abandon about',
      SEED_WORDS.replace('about', 'aboot'),
      SEED_WORDS.replace('about', 'zoo'),
      // Of another language.
      `${'ábaco '.repeat(11)}abierto`,
      SEED_WORDS,
      '',
    ],
    'accounts',
  );
  expect(screen).toContain('Seed words are 12, 15, 18, 21 or 24 words; these are 2.');
  expect(screen).toContain('Word 12 is not in the English list of BIP-39.');
  expect(screen).toContain('The checksum of these words is wrong: a word is mistyped, or their order.');
  expect(screen).toContain('Word 1 is not in the English list of BIP-39.');
  expect(screen).not.toMatch(/abandon|aboot|zoo|baco/);
});

test('prints the settings of TON, of its own seed words or of a seed', { tags: ['thorough'] }, async () => {
  const screen = await run([TON_WORDS], 'accounts', 'ton');
  const lines = screen.split('\n');
  expect(lines).toContain('# wallets v4R2, account 4ddc8307c9c68554');
  expect(lines).toContain('PAY_TON_PUBLIC_KEY=671e0395fd80ad296be2bca5cf5c85c23d3e4f832c3efb1b23cad3da9ca3fee4');
  expect(screen).not.toMatch(/abandon|clean|479fcd81/);
  // Both are of others: of the tests of TON's own library, and of a calculation with it.
  const published = `hospital stove relief fringe tongue always charge angry urge sentence again match nerve inquiry senior coconut
    label tumble carry category beauty bean road solution`;
  expect(await run([published], 'accounts', 'ton')).toContain(
    'PAY_TON_PUBLIC_KEY=f6c450a16bb1c514e22f1977e390a3025599aa1e7b00068a6aacf2119484c1bd',
  );
  expect(await run([`0x${'07'.repeat(32)}`], 'accounts', 'ton')).toContain(
    'PAY_TON_ADDRESS_0=UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w',
  );
});

test('derives the same addresses of TON as the server does from the public key', async () => {
  const { addressOf, publicKey, fingerprint } = await openTonAccount(TON_WORDS);
  const account = parseWalletKey(publicKey);
  expect(account.fingerprint).toBe(fingerprint);
  for (const index of [0, 1, 2, 1_000_000]) expect(addressOf(index)).toBe(deriveAddress('ton', account, BigInt(index)));
});

test('asks again after words that are not of TON, and says of which kind they are', async () => {
  const ofBip39 = `${'abandon '.repeat(23)}art`;
  const typed = ['abandon clean', TON_WORDS.replace('clean', 'cleen'), TON_WORDS.replace('clean', 'zoo'), ofBip39];
  const screen = await run([...typed, `${'07'.repeat(31)}0`, TON_WORDS.toUpperCase()], 'accounts', 'ton');
  expect(screen).toContain('Seed words of TON are 24 or 12 words, a seed is 64 hexadecimal digits; these are 2 words.');
  expect(screen).toContain('Word 24 is not in the English list of BIP-39.');
  expect(screen).toContain('The checksum of these words is wrong: a word is mistyped, or their order.');
  expect(screen).toContain('These words are of BIP-39, for other chains.');
  expect(screen).toContain('these are 1 words');
  expect(screen).not.toMatch(/abandon|cleen|zoo|art\b|0707/);
});

function connected(...values: string[]) {
  const offline = createOfflineMachine({ typed: [SEED_WORDS, ''], interfaces: ['eth0', 'wlan0'] });
  return runOffline(offline.machine, values).then(offline.screen);
}

test('refuses a machine that is connected to a network, unless it is told not to', async () => {
  await expect(connected('accounts')).rejects.toThrow('This machine is connected to a network (eth0, wlan0).');
  expect(await connected('accounts', '--with-network')).toContain(XPUB_EVM);
});

test.each([
  [[]],
  [['sign']],
  [['sign', 'list']],
  [['sign', 'list', 'signed', 'more']],
  [['accounts', 'more']],
  [['accounts', 'ton', 'more']],
  [['accounts', 'ton', '--account', '1']],
  [['accounts', '--account', '-1']],
  [['accounts', '--account', '1001']],
  [['accounts', '--account', '1e2']],
  [['accounts', '--seed', 'abandon']],
  [['broadcast', 'file']],
])('%j gets the usage', async (values) => {
  await expect(run([], ...values)).rejects.toThrow('node cellhop-offline.mjs accounts');
});
