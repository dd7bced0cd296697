import { describe, expect, test } from 'vitest';
import {
  ethereumHoldings,
  EVM_ADDRESSES,
  EVM_TREASURY,
  holdingsFile,
  LISTED_AT,
  TON_ADDRESSES,
  TON_TREASURY,
  tonHoldings,
  TRON_ADDRESSES,
  TRON_TREASURY,
  tronHoldings,
  USDT,
} from '../../../test/holdings.ts';
import { createOfflineMachine, SEED_WORDS, TON_WORDS } from '../../../test/offline-machine.ts';
import { signList } from '../../../test/offline-signing.ts';
import { runOffline } from './program.ts';

const ethereum = holdingsFile(ethereumHoldings());
const tron = holdingsFile(tronHoldings());

describe('Ethereum', () => {
  test('sweeps USDT and ether to the typed addresses, and says so before it asks', async () => {
    const { screen, sweeps } = await signList(ethereum, [EVM_TREASURY, EVM_TREASURY, 'sign']);
    expect(sweeps).toMatchObject([
      {
        from: EVM_ADDRESSES[0],
        to: EVM_TREASURY,
        contract: undefined,
        units: 999_370_000_000_000_000n,
        feeLimitUnits: 630_000_000_000_000n,
        nonce: 3n,
      },
      { from: EVM_ADDRESSES[1], to: EVM_TREASURY, contract: USDT.ethereum, units: 250_000_000n, nonce: 0n },
      // The rest of the ether that was there for the fee.
      { from: EVM_ADDRESSES[1], to: EVM_TREASURY, contract: undefined, units: 6_370_000_000_000_000n, nonce: 1n },
    ]);
    expect(screen).toContain(`Ethereum: 250.00 USDT on 1 address.
Destination (empty: leave it): ${EVM_TREASURY}

Ethereum: 1.01 ETH on 2 addresses.
Destination (empty: leave it): ${EVM_TREASURY}

To sign:
  1. 0.99937 ETH on Ethereum
     from ${EVM_ADDRESSES[0]} (0/0)
     to   ${EVM_TREASURY}
     fee at most 0.00063 ETH, transaction 3 of the address
  2. 250.00 USDT on Ethereum
     from ${EVM_ADDRESSES[1]} (0/1)
     to   ${EVM_TREASURY}
     fee at most 0.003 ETH, transaction 0 of the address
  3. 0.00637 ETH on Ethereum
     from ${EVM_ADDRESSES[1]} (0/1)
     to   ${EVM_TREASURY}
     fee at most 0.00063 ETH, transaction 1 of the address

In all:
  250.00 USDT on Ethereum to ${EVM_TREASURY}
  1.00574 ETH on Ethereum to ${EVM_TREASURY}
  0.00426 ETH of fees on Ethereum at most
To sign these 3, type the last six characters of the destination: 169EE7
`);
  });

  test('leaves an asset without a destination where it is', async () => {
    const { sweeps } = await signList(ethereum, [EVM_TREASURY, '', 'sign']);
    expect(sweeps.map(({ units }) => units)).toEqual([250_000_000n]);
  });

  test('says what the fee of a token lacks, and leaves ether that is not worth its fee', async () => {
    const list = ethereumHoldings();
    list.addresses[0]!.assets = [{ asset: 'ETH', units: '1259999999999999' }];
    list.addresses[1]!.assets[1]!.units = '2999999999999999';
    list.addresses.push({
      ...list.addresses[1]!,
      index: 2,
      address: '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A',
      assets: [{ asset: 'USDT', contract: USDT.ethereum, units: '12000000' }],
    });
    const typed = [EVM_TREASURY, EVM_TREASURY, 'sign'];
    const { screen, sweeps } = await signList(holdingsFile(list), typed);
    expect(sweeps).toMatchObject([{ from: EVM_ADDRESSES[1], contract: undefined }]);
    expect(screen).toContain(
      `0.001259999999999999 ETH on Ethereum, ${EVM_ADDRESSES[0]} (0/0): the fee may be 0.00063 ETH, which is not worth it`,
    );
    expect(screen).toContain(
      `250.00 USDT on Ethereum, ${EVM_ADDRESSES[1]} (0/1): the fee needs 0.003 ETH and the address holds 0.002999999999999999 ETH: send 0.000000000000000001 ETH to it from an address of PAY_EVM_FUNDING`,
    );
    expect(screen).toContain('the fee needs 0.003 ETH and the address holds 0.00 ETH: send 0.003 ETH to it');
    list.addresses[2]!.assets[0]!.units = '11999999';
    const worthless = await signList(holdingsFile(list), typed);
    expect(worthless.screen).toContain(
      '11.999999 USDT on Ethereum, 0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A (0/2): the fee may be 0.003 ETH, which is not worth it',
    );
  });

  test('signs for BNB Smart Chain with its chain id and its contract of 18 decimals', async () => {
    const list = ethereumHoldings();
    const bsc = { ...list, chain: 'bsc' as const, chainId: 56, addresses: list.addresses.slice(1) };
    bsc.addresses[0]!.assets = [
      { asset: 'USDT', contract: USDT.bsc.toLowerCase(), units: '250000000000000000000' },
      { asset: 'BNB', units: '10000000000000000' },
    ];
    bsc.fee = { maxFeePerGas: '1000000000', maxPriorityFeePerGas: '1000000000' };
    const { screen, sweeps } = await signList(holdingsFile(bsc), [EVM_TREASURY, '', 'sign']);
    expect(sweeps).toMatchObject([{ chain: 'bsc', to: EVM_TREASURY, contract: USDT.bsc, units: 250n * 10n ** 18n }]);
    expect(screen).toContain('1. 250.00 USDT on BNB Smart Chain\n');
    expect(screen).toContain('fee at most 0.0001 BNB');
  });
});

describe('TRON', () => {
  test('sweeps USDT but one unit, and TRX, and says what an address without TRX needs', async () => {
    const { screen, sweeps } = await signList(tron, [TRON_TREASURY, TRON_TREASURY, 'yes', 'yes', 'sign']);
    const expiresAt = new Date(LISTED_AT.getTime() + 23 * 3_600_000);
    expect(sweeps).toMatchObject([
      {
        from: TRON_ADDRESSES[0],
        to: TRON_TREASURY,
        contract: USDT.tron,
        units: 149_999_999n,
        feeLimitUnits: 13_100_000n,
        expiresAt,
      },
      // What is left of 20 TRX after the fee limit and the bandwidth of both.
      { from: TRON_ADDRESSES[0], to: TRON_TREASURY, contract: undefined, units: 6_287_000n, feeLimitUnits: 0n },
      // Its free bandwidth suffices.
      { from: TRON_ADDRESSES[2], to: TRON_TREASURY, contract: undefined, units: 1_000_000_000n },
    ]);
    expect(screen).toContain(`  1. 149.999999 USDT on TRON
     from ${TRON_ADDRESSES[0]} (0/0)
     to   ${TRON_TREASURY}
     fee at most 13.445 TRX, valid until 2026-11-27T11:00:00.000Z
`);
    expect(screen).toContain(
      `40.00 USDT on TRON, ${TRON_ADDRESSES[1]} (0/1): the fee needs 6.845 TRX (65000 energy, of which it has 0, and 345 bandwidth) ` +
        'and the address holds 0.00 TRX: send 6.845 TRX to it from an address of PAY_TRON_FUNDING. It is not activated, so it has no free ' +
        'bandwidth and cannot be lent energy: the first TRX sent to it costs the sender about 1.1 TRX more.',
    );
  });

  test('needs twice the energy if the destination holds no USDT', { tags: ['thorough'] }, async () => {
    const list = tronHoldings();
    list.addresses[0]!.assets[1]!.units = '13099999';
    const { screen, sweeps } = await signList(holdingsFile(list), [
      TRON_TREASURY,
      TRON_TREASURY,
      '',
      'yes',
      'no',
      'sign',
    ]);
    expect(sweeps.map(({ contract }) => contract)).toEqual([undefined, undefined]);
    expect(screen).toContain('the fee needs 13.10 TRX (131000 energy, of which it has 0, and 345 bandwidth)');
    expect(screen).toContain('send 0.000001 TRX to it from an address of PAY_TRON_FUNDING.\n');
  });

  test('leaves TRX where they are if the destination has to be activated first', async () => {
    const { screen, sweeps } = await signList(tron, [TRON_TREASURY, TRON_TREASURY, 'maybe', 'no', 'yes', 'sign']);
    expect(screen).toContain(`Has ${TRON_TREASURY} received TRX before? Check it in an explorer (yes or no): no
Activate it first: send 1 TRX to it from another wallet. The TRX stay where they are.`);
    expect(sweeps.map(({ contract }) => contract)).toEqual([USDT.tron]);
  });

  test('leaves USDT that are worth less than twice their fee', async () => {
    const list = tronHoldings();
    list.addresses[0]!.assets[0]!.units = '3249999';
    const { screen } = await signList(holdingsFile(list), [TRON_TREASURY, TRON_TREASURY, 'yes', 'yes', 'sign']);
    expect(screen).toContain(
      `3.249999 USDT on TRON, ${TRON_ADDRESSES[0]} (0/0): the fee may be 6.50 TRX, which is not worth it`,
    );
  });

  test(
    'multiplies energy by what the network allows more than the known factor, up to its ceiling',
    { tags: ['thorough'] },
    async () => {
      const list = tronHoldings();
      const limitAt = async (energyFactor: number) => {
        list.fee.energyFactor = energyFactor;
        return (await signList(holdingsFile(list), [TRON_TREASURY, '', 'yes', 'sign'])).sweeps[0]!.feeLimitUnits;
      };
      list.addresses[0]!.assets[1]!.units = '40000000';
      expect([await limitAt(0), await limitAt(34_000), await limitAt(78_000)]).toEqual([
        13_100_000n,
        13_100_000n,
        26_200_000n,
      ]);
      // 32.75 TRX.
      await expect(limitAt(100_000)).rejects.toThrow('This program allows 30.00 TRX at most');
      await expect(limitAt(100_001)).rejects.toThrow('a factor of 100001, which cannot be');
    },
  );

  test('counts energy and bandwidth that an address has', { tags: ['thorough'] }, async () => {
    const list = tronHoldings();
    Object.assign(list.addresses[0]!, { energy: 65_000, assets: [list.addresses[0]!.assets[0]] });
    const { sweeps } = await signList(holdingsFile(list), [TRON_TREASURY, '', 'yes', 'sign']);
    expect(sweeps).toMatchObject([{ from: TRON_ADDRESSES[0], units: 149_999_999n }]);
    list.addresses[0]!.energy = 64_999;
    await expect(signList(holdingsFile(list), [TRON_TREASURY, '', 'yes'])).rejects.toThrow('nothing to sign');
  });

  test('does not sweep the unit that keeps a slot in use', async () => {
    const list = tronHoldings();
    for (const { assets } of list.addresses) if (assets[0]!.asset === 'USDT') assets[0]!.units = '1';
    await expect(signList(holdingsFile(list), [''])).rejects.toThrow('There is nothing to sign.');
  });

  test.each([
    ['an hour ahead', -3_600_001],
    ['23 hours old', 23 * 3_600_000],
  ])('refuses a reference block that is %s of the clock', async (_, ageMs) => {
    const now = new Date(LISTED_AT.getTime() + ageMs);
    await expect(signList(tron, [TRON_TREASURY, '', 'yes'], now)).rejects.toThrow('make a new list, or set the clock');
  });
});

describe('TON', () => {
  const ton = holdingsFile(tonHoldings());

  test('sweeps USDT and then TON of a wallet, and says what the transfer of USDT needs', async () => {
    const { screen, sweeps } = await signList(ton, [TON_TREASURY, TON_TREASURY, 'sign']);
    const expiresAt = new Date(LISTED_AT.getTime() + 23 * 3_600_000);
    const toTreasury = { to: TON_TREASURY, expiresAt };
    const [first, , third] = TON_ADDRESSES;
    expect(sweeps).toMatchObject([
      { ...toTreasury, from: first, contract: USDT.ton, units: 150_000_000n, feeLimitUnits: 50_000_000n, nonce: 0n },
      // What is left after all that the transfer may cost, and the fee of its own.
      { ...toTreasury, from: first, contract: undefined, units: 1_930_000_000n, feeLimitUnits: 0n, nonce: 1n },
      { ...toTreasury, from: third, contract: undefined, units: 11_990_000_000n, feeLimitUnits: 0n, nonce: 4n },
    ]);
    expect(screen).toContain(`  1. 150.00 USDT on TON
     from ${first} (wallet 698983191)
     to   ${TON_TREASURY}
     fee at most 0.06 TON, transaction 0 of the address, valid until 2026-11-27T11:00:00.000Z
`);
    expect(screen).toContain(
      `40.00 USDT on TON, ${TON_ADDRESSES[1]} (wallet 698983192): the transfer needs 0.06 TON, of which the destination gets back what is ` +
        'not used, and the address holds 0.01 TON: send 0.051 TON to it from an address of PAY_TON_FUNDING\n',
    );
    expect(screen).toContain(`0.01 TON on TON, ${TON_ADDRESSES[1]} (wallet 698983192): after the fees nothing`);
  });

  test('leaves what a frozen contract holds', { tags: ['thorough'] }, async () => {
    const list = tonHoldings();
    list.addresses[0]!.state = 'FROZEN';
    const { screen, sweeps } = await signList(holdingsFile(list), [TON_TREASURY, TON_TREASURY, 'sign']);
    expect(sweeps.map(({ from }) => from)).toEqual([TON_ADDRESSES[2]]);
    expect(screen.match(/its contract is frozen/g)).toHaveLength(2);
  });

  test('takes a destination in both forms, and no address of the shop, of a wallet of USDT, or without a checksum', async () => {
    const refused = [
      TON_TREASURY.toLowerCase(),
      TON_TREASURY.slice(0, -1),
      '0:80c0eae40a5e9c3e2feb88224053706adc9cc2b1d1a0dd203cfdbfadefa6aa06',
      // Of a test network, of the masterchain, and the one that belongs to nobody.
      'kQCAwOrkCl6cPi_riCJAU3Bq3JzCsdGg3SA8_b-t76aqBjYg',
      'Ef8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADAU',
      'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c',
      EVM_TREASURY,
    ];
    const ofShop = [
      TON_ADDRESSES[1],
      // The other form of the same, one that is not listed, a wallet of USDT, and the contract.
      'EQBPkq00Xr57YEoCYmCXrXK_uTfLHvTceOWCeKt0hozjfqr0',
      'UQB32kFP_k_bVjUaHDN4KjGLS8ZTZjfVethigIA7va23ZEBP',
      'UQCLs0akcAC3jmuWaOeKLBTfGh6H-Aolt3Led-p2r8d3PJnX',
      USDT.ton,
    ];
    const bounceable = 'EQCAwOrkCl6cPi_riCJAU3Bq3JzCsdGg3SA8_b-t76aqBo2q';
    const { screen, sweeps } = await signList(ton, [...refused, ...ofShop, bounceable, '', 'sign']);
    expect(screen.match(/This is no address of TON/g)).toHaveLength(refused.length);
    expect(screen.match(/an address of the shop or a contract/g)).toHaveLength(ofShop.length);
    expect(screen).toContain(`Shown from here on as ${TON_TREASURY}, which is the same address.`);
    expect(sweeps).toMatchObject([{ to: TON_TREASURY }]);
  });

  test.each([
    ['an hour ahead', -3_600_001],
    ['23 hours old', 23 * 3_600_000],
  ])('refuses a list that is %s of the clock', async (_, ageMs) => {
    const now = new Date(LISTED_AT.getTime() + ageMs);
    await expect(signList(ton, [TON_TREASURY, TON_TREASURY], now)).rejects.toThrow('make a new list, or set the clock');
  });

  test('asks for both kinds of seed words if the list has chains of both', { tags: ['thorough'] }, async () => {
    const list = holdingsFile(ethereumHoldings(), tonHoldings());
    const typed = [SEED_WORDS, '', TON_WORDS, EVM_TREASURY, '', '', TON_TREASURY, 'sign'];
    const offline = createOfflineMachine({ typed, files: { list: JSON.stringify(list) }, now: LISTED_AT });
    await runOffline(offline.machine, ['sign', 'list', 'signed']);
    expect(offline.screen()).toContain('Signed 3: signed contains no secret.');
  });
});

test('takes no destination that is mistyped, of another network, of the shop, or a contract', async () => {
  const mistyped = [
    EVM_TREASURY.toLowerCase(),
    EVM_TREASURY.replace('E7', 'e7'),
    EVM_TREASURY.slice(0, -1),
    `0x${'0'.repeat(40)}`,
    TRON_TREASURY,
    'vitalik.eth',
  ];
  // 0/2 is not in the list, but among the first addresses of the seed words.
  const ofShop = [EVM_ADDRESSES[1], USDT.ethereum, '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A'];
  const { screen, sweeps } = await signList(ethereum, [...mistyped, ...ofShop, EVM_TREASURY, '', 'sign']);
  expect(screen.match(/no address of Ethereum with its checksum/g)).toHaveLength(mistyped.length);
  expect(screen.match(/an address of the shop or a contract/g)).toHaveLength(ofShop.length);
  expect(sweeps).toMatchObject([{ to: EVM_TREASURY }]);
  const tronMistyped = [
    TRON_TREASURY.toLowerCase(),
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T',
    EVM_TREASURY,
    '41'.repeat(21),
  ];
  const other = await signList(tron, [...tronMistyped, USDT.tron, TRON_TREASURY, '', 'maybe', 'yes', 'sign']);
  expect(other.screen.match(/no address of TRON/g)).toHaveLength(tronMistyped.length);
});

describe('the confirmation', () => {
  const ENDING = EVM_TREASURY.slice(-6);
  const other = `0x${'12'.repeat(20)}`;

  test.each(['yes', ENDING.toLowerCase(), ENDING.slice(1), EVM_TREASURY, `${ENDING} ${ENDING}`])(
    'is how the destinations end, so "%s" signs nothing',
    async (answer) => {
      await expect(signList(ethereum, [EVM_TREASURY, '', answer, answer, ''])).rejects.toThrow('Nothing was signed.');
    },
  );

  test('names each destination, in the order of the totals', async () => {
    const { screen, sweeps } = await signList(ethereum, [EVM_TREASURY, other, `121212 ${ENDING}`, `${ENDING}  121212`]);
    expect(screen).toContain(
      'type the last six characters of each of the 2 destinations in this order: 121212 169EE7\n',
    );
    expect(screen).toContain('This is not how the destinations end.');
    expect(sweeps).toHaveLength(3);
  });
});

test('signs at a terminal only', async () => {
  const typed = [SEED_WORDS, '', EVM_TREASURY, '', 'sign'];
  const offline = createOfflineMachine({ typed, files: { 'holdings.json': JSON.stringify(ethereum) } });
  offline.machine.terminal.isInteractive = false;
  await expect(runOffline(offline.machine, ['sign', 'holdings.json', 'signed.json'])).rejects.toThrow(
    'at a terminal only',
  );
  expect(offline.left()).toEqual(typed);
});

test('overwrites no file, and reads only one that exists', async () => {
  const typed = [SEED_WORDS, '', EVM_TREASURY, '', 'sign'];
  const files = { 'holdings.json': JSON.stringify(ethereum), 'signed.json': 'precious' };
  const offline = createOfflineMachine({ typed, files });
  await expect(runOffline(offline.machine, ['sign', 'holdings.json', 'signed.json'])).rejects.toThrow(
    'signed.json exists already',
  );
  // Not even the seed words were asked for.
  expect(offline.left()).toEqual(typed);
  expect(offline.files.get('signed.json')).toBe('precious');
  await expect(runOffline(offline.machine, ['sign', 'none.json', 'new.json'])).rejects.toThrow(
    'none.json cannot be read.',
  );
});
