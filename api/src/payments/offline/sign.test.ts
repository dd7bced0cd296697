import { describe, expect, test } from 'vitest';
import {
  ethereumHoldings,
  EVM_ADDRESSES,
  EVM_TREASURY,
  holdingsFile,
  LISTED_AT,
  TRON_ADDRESSES,
  TRON_TREASURY,
  tronHoldings,
  USDT,
} from '../../../test/holdings.ts';
import { createOfflineMachine, SEED_WORDS } from '../../../test/offline-machine.ts';
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
Type "sign" to sign these 3: sign
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
      assets: [{ asset: 'USDT', contract: USDT.ethereum, units: '1' }],
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
    const { screen, sweeps } = await signList(tron, [TRON_TREASURY, TRON_TREASURY, 'yes', 'sign']);
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

  test('needs twice the energy if the destination holds no USDT', async () => {
    const list = tronHoldings();
    list.addresses[0]!.assets[1]!.units = '13099999';
    const { screen, sweeps } = await signList(holdingsFile(list), [TRON_TREASURY, TRON_TREASURY, '', 'no', 'sign']);
    expect(sweeps.map(({ contract }) => contract)).toEqual([undefined, undefined]);
    expect(screen).toContain('the fee needs 13.10 TRX (131000 energy, of which it has 0, and 345 bandwidth)');
    expect(screen).toContain('send 0.000001 TRX to it from an address of PAY_TRON_FUNDING.\n');
  });

  test('counts energy and bandwidth that an address has', async () => {
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

test.each(['', 'yes', 'SIGN', 'sign it'])('signs nothing after "%s"', async (answer) => {
  await expect(signList(ethereum, [EVM_TREASURY, '', answer])).rejects.toThrow('Nothing was signed.');
});

test('overwrites no file, and reads only one that exists', async () => {
  const typed = [SEED_WORDS, '', EVM_TREASURY, '', 'sign'];
  const files = { 'holdings.json': JSON.stringify(ethereum), 'signed.json': 'precious' };
  const offline = createOfflineMachine({ typed, files });
  await expect(runOffline(offline.machine, ['sign', 'holdings.json', 'signed.json'])).rejects.toThrow(
    'signed.json exists already',
  );
  expect(offline.files.get('signed.json')).toBe('precious');
  await expect(runOffline(offline.machine, ['sign', 'none.json', 'new.json'])).rejects.toThrow(
    'none.json cannot be read.',
  );
});
