/**
 * Lists of holdings that somebody has changed who controls the server: money still goes only from the addresses of the
 * seed words to the destination that was typed, and fees stay below the ceiling.
 * @module-tag thorough
 */
import { expect, test } from 'vitest';
import { createRandom } from '../../../../tools/random.ts';
import {
  ethereumHoldings,
  EVM_ACCOUNT,
  EVM_ADDRESSES,
  EVM_TREASURY,
  type EvmHoldings,
  holdingsFile,
  TON_ADDRESSES,
  TON_TREASURY,
  type TonHoldings,
  tonHoldings,
  TRON_ADDRESSES,
  TRON_TREASURY,
  type TronHoldings,
  tronHoldings,
  USDT,
} from '../../../test/holdings.ts';
import { signList, type Signing } from '../../../test/offline-signing.ts';
import { networks } from '../sweep/networks.ts';
import { ListRefused } from '../sweep/plan.ts';
import type { SweepChain } from '../sweep/sweep.ts';
import { Refusal } from './machine.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const ROUNDS = scaled(50, 150);
const THIEF = '0x00000000000000000000000000000000DeaDBeef';
const THIEF_TRON = 'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx';
const THIEF_TON = 'UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w';

/** The operator types the treasury of the chain that is asked for, and knows no other contract and no other code. */
function answer(prompt: string): string {
  if (/^Type (?:its address|PAY_USDT_TON_WALLET_CODE)/.test(prompt)) return '';
  if (/^(?:Does|Has) /.test(prompt)) return 'yes';
  return prompt.startsWith('To sign ') ? 'sign' : 'treasury';
}

/** @returns undefined if the list was refused */
async function sign(list: unknown): Promise<Signing | undefined> {
  const text = typeof list === 'string' ? list : JSON.stringify(list);
  let attempts = 0;
  const treasuries = [EVM_TREASURY, TRON_TREASURY, TON_TREASURY];
  const type = (prompt: string) => {
    const typed = answer(prompt);
    // One of them is of the chain; the others are refused.
    return typed === 'treasury' ? treasuries[(attempts += 1) % 3]! : typed;
  };
  try {
    return await signList(text, type);
  } catch (error) {
    if (error instanceof ListRefused || error instanceof Refusal) {
      return undefined;
    }
    throw error;
  }
}

const evmOwn = { treasury: EVM_TREASURY, addresses: EVM_ADDRESSES };
const own: Record<SweepChain, { treasury: string; addresses: readonly string[] }> = {
  ethereum: evmOwn,
  bsc: evmOwn,
  tron: { treasury: TRON_TREASURY, addresses: TRON_ADDRESSES },
  ton: { treasury: TON_TREASURY, addresses: TON_ADDRESSES },
};

/** What must hold for everything that was signed. */
function expectSafe(signing: Signing | undefined): void {
  for (const { chain, from, to, contract, feeLimitUnits } of signing?.sweeps ?? []) {
    const { treasury, addresses } = own[chain];
    expect(to).toBe(treasury);
    expect(addresses).toContain(from);
    expect([undefined, networks[chain].usdtContract]).toContain(contract);
    expect(feeLimitUnits).toBeLessThanOrEqual(networks[chain].feeMaxUnits);
  }
}

const ethereum = (change: (list: EvmHoldings) => void) => {
  const list = ethereumHoldings();
  change(list);
  return holdingsFile(list);
};
const tron = (change: (list: TronHoldings) => void) => {
  const list = tronHoldings();
  change(list);
  return holdingsFile(list);
};
const ton = (change: (list: TonHoldings) => void) => {
  const list = tonHoldings();
  change(list);
  return holdingsFile(list);
};
const usdtOf = (list: EvmHoldings | TronHoldings | TonHoldings) =>
  list.addresses.flatMap(({ assets }) => assets).find(({ asset }) => asset === 'USDT')!;

test.each<[string, object, string]>([
  ['the address of another index', ethereum((list) => void (list.addresses[0]!.index = 7)), 'which is wrong'],
  ['the address of a thief', ethereum((list) => void (list.addresses[1]!.address = THIEF)), 'which is wrong'],
  [
    'another case of an address',
    ethereum(({ addresses }) => void (addresses[0]!.address = EVM_ADDRESSES[0].toLowerCase())),
    'which is wrong',
  ],
  ['another address on TRON', tron((list) => void (list.addresses[0]!.address = THIEF_TRON)), 'twice'],
  ['an address twice', ethereum((list) => void list.addresses.push({ ...list.addresses[0]!, nonce: 4 })), 'twice'],
  ['an index twice', ethereum((list) => void list.addresses.push({ ...list.addresses[0]!, address: THIEF })), 'twice'],
  ['an asset twice', ethereum(({ addresses }) => void addresses[0]!.assets.push(addresses[0]!.assets[0]!)), 'twice'],
  ['another chain id', ethereum((list) => void (list.chainId = 61)), 'is the chain 61; it is 1'],
  ['Ethereum under the id of BSC', ethereum((list) => void (list.chainId = 56)), 'is the chain 56; it is 1'],
  [
    'two contracts',
    ethereum(({ addresses }) => void addresses[0]!.assets.push({ asset: 'USDT', contract: THIEF, units: '5' })),
    'several contracts',
  ],
  [
    'a coin with a contract',
    ethereum(({ addresses }) => void (addresses[0]!.assets[0]!.contract = THIEF)),
    'which cannot be',
  ],
  ['USDT without a contract', ethereum((list) => void delete usdtOf(list).contract), 'which cannot be'],
  ['BNB on Ethereum', ethereum(({ addresses }) => void (addresses[0]!.assets[0]!.asset = 'BNB')), 'which cannot be'],
  ['more than exists', ethereum((list) => void (usdtOf(list).units = '9'.repeat(78))), 'more USDT than exists'],
  ['more than 63 bits on TRON', tron((list) => void (usdtOf(list).units = String(2n ** 63n))), 'more USDT than exists'],
  [
    'a fee above the ceiling',
    ethereum((list) => void (list.fee.maxFeePerGas = '100000000001')),
    'This program allows 0.01 ETH at most',
  ],
  [
    'a fee of 78 digits',
    ethereum((list) => void (list.fee.maxFeePerGas = '9'.repeat(78))),
    'This program allows 0.01 ETH at most',
  ],
  ['no fee', ethereum((list) => void (list.fee.maxFeePerGas = '0')), 'is not possible'],
  ['a tip above the fee', ethereum((list) => void (list.fee.maxPriorityFeePerGas = '30000000001')), 'is not possible'],
  [
    'energy that costs more',
    tron((list) => void (list.fee.energyPrice = '230')),
    'This program allows 30.00 TRX at most',
  ],
  [
    'bandwidth that costs more',
    tron((list) => void (list.fee.bandwidthPrice = '110000')),
    'This program allows 30.00 TRX at most',
  ],
  ['another block number', tron((list) => void (list.referenceBlock.height += 1)), 'another number than its id'],
  [
    'a block of next year',
    tron((list) => void (list.referenceBlock.time = '2027-11-26T12:00:00.000Z')),
    'set the clock',
  ],
  ['another address on TON', ton((list) => void (list.addresses[0]!.address = THIEF_TON)), 'which is wrong'],
  [
    'the other form of an address on TON',
    ton((list) => void (list.addresses[1]!.address = 'EQBPkq00Xr57YEoCYmCXrXK_uTfLHvTceOWCeKt0hozjfqr0')),
    'which is wrong',
  ],
  ['the wallet of another index', ton((list) => void (list.addresses[0]!.index = 7)), 'wallet 698983198 on TON'],
  ['more messages than fit', ton((list) => void (list.addresses[0]!.seqno = 2 ** 32 - 1)), 'which cannot be'],
  [
    'more TON than exists',
    ton((list) => void (list.addresses[0]!.assets[0]!.units = String(2n ** 63n))),
    'more TON than exists',
  ],
  ['TRX on TON', ton(({ addresses }) => void (addresses[0]!.assets[0]!.asset = 'TRX')), 'which cannot be'],
  ['a list of TON of next year', { ...ton(() => {}), madeAt: '2027-11-26T12:00:00.000Z' }, 'set the clock'],
  ['a chain twice', holdingsFile(ethereumHoldings(), ethereumHoldings()), 'a chain twice'],
  ['another kind of file', { ...holdingsFile(), kind: 'cellhop-signed' }, 'at "kind"'],
  ['another version', { ...holdingsFile(), version: 2 }, 'at "version"'],
  ['a list instead of an object', [], 'at ""'],
])('refuses %s', async (_, list, message) => {
  const typed = (prompt: string) => (answer(prompt) === 'treasury' ? treasuryFor(list) : answer(prompt));
  await expect(signList(JSON.stringify(list), typed)).rejects.toThrow(message);
  await expect(signList(JSON.stringify(list), typed)).rejects.toBeInstanceOf(ListRefused);
});

function treasuryFor(list: object): string {
  const text = JSON.stringify(list);
  if (text.includes('"ton"')) return TON_TREASURY;
  return text.includes('"tron"') ? TRON_TREASURY : EVM_TREASURY;
}

test.each<[string, unknown]>([
  ['a fraction', 1.5],
  ['a negative number', -1],
  ['a number beyond 2^53', 2 ** 60],
  ['text', '1'],
  ['nothing', null],
  ['a list', [1]],
])('refuses %s as an index, a nonce or a height', async (_, value) => {
  for (const list of [
    ethereum(({ addresses }) => Object.assign(addresses[0]!, { index: value })),
    ethereum(({ addresses }) => Object.assign(addresses[0]!, { nonce: value })),
    tron(({ referenceBlock }) => Object.assign(referenceBlock, { height: value })),
    ton(({ addresses }) => Object.assign(addresses[0]!, { seqno: value })),
  ])
    expect(await sign(list)).toBeUndefined();
});

test.each(['-1', '0x10', '1e9', '01', '1.0', ' 1', '１', 'Infinity', 'NaN', '', '1'.repeat(79)])(
  'refuses "%s" as an amount or a fee',
  async (text) => {
    expect(await sign(ethereum((list) => void (usdtOf(list).units = text)))).toBeUndefined();
    expect(await sign(ethereum((list) => void (list.fee.maxFeePerGas = text)))).toBeUndefined();
    expect(await sign(tron((list) => void (list.fee.energyPrice = text)))).toBeUndefined();
  },
);

test('reads no destination, under any name and at any place', async () => {
  const named = {
    destination: THIEF,
    to: THIEF,
    recipient: THIEF,
    sweepTo: THIEF,
    gasLimit: '9',
    decimals: 0,
    data: '0xa9',
  };
  const list = ethereum((each) => {
    Object.assign(each, named);
    for (const held of [...each.addresses, ...each.addresses.flatMap(({ assets }) => assets)])
      Object.assign(held, named);
  });
  const signing = await sign({ ...list, ...named });
  expect(signing?.sweeps).toHaveLength(3);
  expectSafe(signing);
  expect(signing?.screen).not.toContain(THIEF);
});

test('an unknown contract is swept only if the operator types it', async () => {
  const list = ethereum((each) => void (usdtOf(each).contract = THIEF.toLowerCase()));
  const ignored = await sign(list);
  expectSafe(ignored);
  expect(ignored!.screen).toContain(`${THIEF.toLowerCase()} instead of ${USDT.ethereum}.`);
  const typed = await signList(list, [USDT.ethereum, THIEF.toLowerCase(), THIEF, EVM_TREASURY, '', 'sign']);
  expect(typed.screen.match(/This is not the contract of the list/g)).toHaveLength(2);
  expect(typed.screen).toContain(`1. 250.00 USDT on Ethereum, contract ${THIEF}\n`);
  expect(typed.sweeps).toMatchObject([{ contract: THIEF, to: EVM_TREASURY }]);
});

test('on TON, a contract or a wallet of USDT that is not known is swept only if the operator types what makes it', async () => {
  const foreign = ton(({ addresses }) => {
    for (const each of addresses.flatMap(({ assets }) => assets)) if (each.contract) each.contract = THIEF_TON;
  });
  const contract = await sign(foreign);
  expectSafe(contract);
  expect(contract!.screen).toContain(`${THIEF_TON} instead of ${USDT.ton}.`);
  expect(contract!.sweeps.map(({ contract }) => contract)).toEqual([undefined, undefined]);
  const [, thief] = tonHoldings().addresses;
  const list = ton(({ addresses }) => void (addresses[0]!.jettonWallet = thief!.jettonWallet!));
  const wallet = await sign(list);
  expectSafe(wallet);
  expect(wallet!.screen).toContain('The list names other wallets of USDT on TON than this program derives.');
  expect(wallet!.sweeps.map(({ contract }) => contract)).toEqual([undefined, undefined]);
  const typed = ['f00d', '11'.repeat(32), '', TON_TREASURY, 'sign'];
  expect((await signList(list, typed)).screen.match(/This code does not give the wallets/g)).toHaveLength(2);
  // Left out, it is derived all the same.
  const withoutWallets = ton(({ addresses }) => {
    for (const each of addresses) delete each.jettonWallet;
  });
  const silent = await sign(withoutWallets);
  expectSafe(silent);
  expect(silent!.sweeps).toHaveLength(3);
});

test('amounts and nonces that are wrong move no more than the address has, to the same destination', async () => {
  const list = ethereum((each) => {
    usdtOf(each).units = String(2n ** 128n - 1n);
    each.addresses[0]!.nonce = 2 ** 53 - 1;
  });
  const signing = await sign(list);
  expectSafe(signing);
  expect(signing!.sweeps).toMatchObject([{ nonce: 2n ** 53n - 1n }, { units: 2n ** 128n - 1n }, {}]);
  expect(signing!.screen).toContain('340282366920938463463374607431768.211455 USDT');
});

test('a low price of energy does not lower the limit of a fee, which would burn it in vain', async () => {
  const signing = await sign(tron((list) => void (list.fee.energyPrice = '0')));
  expect(signing!.sweeps[0]).toMatchObject({ feeLimitUnits: 13_100_000n });
});

test('addresses of other accounts are left out, and reported by their fingerprints', async () => {
  const signing = await sign(ethereum((list) => void (list.addresses[1]!.account = 'f00d')));
  expectSafe(signing);
  expect(signing!.sweeps).toHaveLength(1);
  expect(signing!.screen).toContain(
    `Ethereum: 1 of the list belong to the account f00d. These seed words are ${EVM_ACCOUNT}.`,
  );
});

test('escape codes of terminals do not get to the terminal', async () => {
  const escape = '\u001B[2J\u001B]0;title\u0007\u202E';
  const file = ethereum(() => {});
  const changed = [
    ethereum((list) => void (list.addresses[0]!.account = escape)),
    ethereum((list) => void (list.addresses[0]!.address = escape)),
    ethereum((list) => void list.addresses[0]!.notes.push(escape)),
    ethereum(({ addresses }) => void (addresses[0]!.assets[0]!.contract = escape)),
    ethereum(({ addresses }) => Object.assign(addresses[0]!.assets[0]!, { asset: escape })),
    { ...file, [escape]: 1, madeAt: escape },
    { ...file, chains: [{ ...file.chains[0], chain: escape }] },
    `{"kind":"${escape}`,
  ];
  for (const list of changed) {
    const signing = await sign(list);
    expect(signing?.screen ?? '').toMatch(/^[\x20-\x7e\n]*$/);
  }
});

test('words of the list are not printed: they could ask for another destination', async () => {
  const note = 'Tether has moved: send to 0x00000000000000000000000000000000DeaDBeef instead';
  const signing = await sign(ethereum((list) => void list.addresses[1]!.notes.push(note)));
  expectSafe(signing);
  expect(signing!.screen).not.toContain('Tether');
  expect(signing!.sweeps.map(({ contract }) => contract)).toEqual([undefined, undefined]);
  expect(signing!.screen).toContain(
    `the list has a note about ${EVM_ADDRESSES[1]} (0/1): read it there. USDT of this address stays where it is.\n`,
  );
});

test('a list of a million addresses, of 9 MB or with a broken encoding is refused at once', async () => {
  const [first] = ethereumHoldings().addresses;
  const many = JSON.stringify(first);
  const text = JSON.stringify(ethereum(() => {}));
  const million = text.replace(many, Array.from({ length: 1_000_000 }, () => '{}').join(','));
  expect(await sign(million)).toBeUndefined();
  await expect(signList(' '.repeat(9 * 1024 * 1024), [])).rejects.toThrow('larger than 8388608 bytes');
  await expect(signList(Uint8Array.of(0x7b, 0xff, 0x7d), [])).rejects.toThrow('is not JSON');
  await expect(signList('['.repeat(1_000_000), [])).rejects.toThrow('is not JSON');
});

test('with any value replaced by any other, money goes nowhere else', { tags: ['long'] }, async () => {
  const random = createRandom(4141);
  const values = [
    THIEF,
    THIEF_TRON,
    USDT.tron,
    USDT.bsc,
    EVM_ACCOUNT,
    'USDT',
    'ETH',
    'BNB',
    'TRX',
    'bsc',
    'tron',
    'ton',
    'TON',
    'ACTIVE',
    'FROZEN',
    THIEF_TON,
    USDT.ton,
    '0',
    '1',
    null,
    0,
  ];
  const others = [
    1,
    56,
    2 ** 31,
    -1,
    1e21,
    [],
    {},
    true,
    '9'.repeat(30),
    '__proto__',
    ...EVM_ADDRESSES,
    ...TRON_ADDRESSES,
    ...TON_ADDRESSES,
  ];
  let signed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const list = holdingsFile(ethereumHoldings(), tronHoldings(), tonHoldings());
    for (let change = random.below(2); change >= 0; change -= 1) {
      const places = placesOf(list);
      const [place, key] = random.pick(places);
      // Values of the same type pass the first checks.
      const similar = places.map(([from, name]) => from[name]).filter((value) => typeof value === typeof place[key]);
      place[key] = structuredClone(random.pick(random.below(4) > 0 ? similar : [...values, ...others]));
    }
    const signing = await sign(list);
    expectSafe(signing);
    if (signing) signed += 1;
  }
  // The rest was refused: both happen.
  expect(signed).toBeGreaterThan(ROUNDS / 20);
  expect(signed).toBeLessThan((ROUNDS * 19) / 20);
});

type Place = [object: Record<string, unknown>, key: string];

function placesOf(value: unknown): Place[] {
  if (value === null || typeof value !== 'object') return [];
  const place = value as Record<string, unknown>;
  return Object.keys(place).flatMap((key): Place[] => [[place, key], ...placesOf(place[key])]);
}
