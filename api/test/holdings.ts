/** A list of holdings of the seed words `abandon` x 11 + `about`, on TON of `abandon` x 23 + `clean`, as the server writes it. */
import type { HoldingsFile } from '../src/payments/holdings-file.ts';

export const EVM_ADDRESSES = [
  '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
  '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0',
] as const;
export const TRON_ADDRESSES = [
  'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
  'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
  'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx',
] as const;
/** Of the seed words of TON. */
export const TON_ADDRESSES = [
  'UQD_XdWevORtYcZBMshj2ZThQXiUhfVXf5xDAfMZAh0MO4Py',
  'UQBPkq00Xr57YEoCYmCXrXK_uTfLHvTceOWCeKt0hozjfvcx',
  'UQCB2J29uSkrUGCP_fhnSPyUuTmeQDb0dMalxfFsDIYUDcj0',
] as const;
export const EVM_ACCOUNT = '12329a45453006a3';
const TRON_ACCOUNT = '3ef261fd17f411dc';
const TON_ACCOUNT = '4ddc8307c9c68554';
export const USDT = {
  ethereum: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  bsc: '0x55d398326f99059fF775485246999027B3197955',
  tron: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  ton: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
};
/** Treasuries of the operator: none of the shop's addresses. */
export const EVM_TREASURY = '0x52908400098527886E0F7030069857D2E4169EE7';
export const TRON_TREASURY = 'TCLBgkbfVkJroVBJVqBEsxtPNQEQMTQCLQ';
export const TON_TREASURY = 'UQCAwOrkCl6cPi_riCJAU3Bq3JzCsdGg3SA8_b-t76aqBtBv';
export const LISTED_AT = new Date('2026-11-26T12:00:00.000Z');

export type EvmHoldings = Extract<HoldingsFile['chains'][number], { chain: 'ethereum' | 'bsc' }>;
export type TonHoldings = Extract<HoldingsFile['chains'][number], { chain: 'ton' }>;
export type TronHoldings = Extract<HoldingsFile['chains'][number], { chain: 'tron' }>;

/** 0/0 holds 1 ETH, 0/1 holds 250 USDT and 0.01 ETH for the fee. */
export function ethereumHoldings(): EvmHoldings {
  return {
    chain: 'ethereum',
    chainId: 1,
    fee: { maxFeePerGas: '30000000000', maxPriorityFeePerGas: '1000000000' },
    addresses: [
      {
        account: EVM_ACCOUNT,
        index: 0,
        address: EVM_ADDRESSES[0],
        nonce: 3,
        assets: [{ asset: 'ETH', units: '1000000000000000000' }],
        notes: [],
      },
      {
        account: EVM_ACCOUNT,
        index: 1,
        address: EVM_ADDRESSES[1],
        nonce: 0,
        assets: [
          { asset: 'USDT', contract: USDT.ethereum, units: '250000000' },
          { asset: 'ETH', units: '10000000000000000' },
        ],
        notes: [],
      },
    ],
  };
}

/** 0/0 holds 150 USDT and 20 TRX, 0/1 holds 40 USDT and was never activated, 0/2 holds 1,000 TRX. */
export function tronHoldings(): TronHoldings {
  const height = 80_000_000;
  const held = { account: TRON_ACCOUNT, notes: [], isActivated: true, energy: 0, bandwidth: 600 };
  const usdt = { asset: 'USDT' as const, contract: USDT.tron };
  return {
    chain: 'tron',
    referenceBlock: {
      height,
      id: height.toString(16).padStart(16, '0') + '85fc9d795829e08985fc9d795829e08985fc9d795829e089',
      time: LISTED_AT.toISOString(),
    },
    fee: { energyPrice: '100', bandwidthPrice: '1000', energyFactor: 0 },
    addresses: [
      {
        ...held,
        index: 0,
        address: TRON_ADDRESSES[0],
        assets: [
          { ...usdt, units: '150000000' },
          { asset: 'TRX', units: '20000000' },
        ],
      },
      {
        ...held,
        index: 1,
        address: TRON_ADDRESSES[1],
        isActivated: false,
        bandwidth: 0,
        assets: [{ ...usdt, units: '40000000' }],
      },
      { ...held, index: 2, address: TRON_ADDRESSES[2], assets: [{ asset: 'TRX', units: '1000000000' }] },
    ],
  };
}

/** The first wallet holds 150 USDT and 2 TON, the second 40 USDT and too little TON, the third, which is deployed, 12 TON. */
export function tonHoldings(): TonHoldings {
  const held = { account: TON_ACCOUNT, notes: [], seqno: 0, state: 'UNINITIALIZED' as const };
  const usdt = { asset: 'USDT' as const, contract: USDT.ton };
  return {
    chain: 'ton',
    addresses: [
      {
        ...held,
        index: 0,
        address: TON_ADDRESSES[0],
        jettonWallet: '0:8bb346a47000b78e6b9668e78a2c14df1a1e87f80a25b772de77ea76afc7773c',
        assets: [
          { asset: 'TON', units: '2000000000' },
          { ...usdt, units: '150000000' },
        ],
      },
      {
        ...held,
        index: 1,
        address: TON_ADDRESSES[1],
        jettonWallet: '0:20f8a0596cc762522339494146b21bec65993494f703ba52a1f6ced937a87796',
        assets: [
          { asset: 'TON', units: '10000000' },
          { ...usdt, units: '40000000' },
        ],
      },
      {
        ...held,
        index: 2,
        address: TON_ADDRESSES[2],
        state: 'ACTIVE',
        seqno: 4,
        assets: [{ asset: 'TON', units: '12000000000' }],
      },
    ],
  };
}

export function holdingsFile(...chains: HoldingsFile['chains']): HoldingsFile {
  return { kind: 'cellhop-holdings', version: 1, madeAt: LISTED_AT.toISOString(), chains };
}
