/**
 * What the offline program knows of the main networks, so that a list of holdings cannot tell it otherwise: chain ids, the contracts of
 * USDT, decimals, and what a fee may be at most.
 */
import { USDT as USDT_ON_TON } from '../chains/ton/jetton.ts';
import { currencyRules } from '../currencies.ts';
import type { SweepChain } from './sweep.ts';

export interface Network {
  title: string;
  /** Of a recovered signature (EIP-155). TRON binds a transaction to its chain by the id of a block, TON only by the number of the message. */
  chainId: bigint | undefined;
  coin: 'ETH' | 'BNB' | 'TRX' | 'TON';
  coinDecimals: number;
  usdtContract: string;
  usdtDecimals: number;
  /** What a sweep leaves, so that the slot of the address in the contract stays in use: the next payment to it costs the payer half. */
  usdtUnitsLeft: bigint;
  /** USDT units that one coin is taken to be worth, roughly, as no list may say it: for `FEE_SHARE_MAX` of USDT. */
  coinWorth: bigint;
  /** More cannot be held, so a list that says so is wrong. */
  unitsMax: bigint;
  /** Setting with the addresses that fees may be sent from without being payments. */
  fundingSetting: string;
  /** Of one transaction, in base units of the coin. A list that asks for more is refused. */
  feeMaxUnits: bigint;
}

const ETHER = 10n ** 18n;
const TRX = 10n ** 6n;
const TON = 10n ** 9n;
/** More than all coins and tokens that exist, and small enough for every field of a transaction. */
const EVM_UNITS_MAX = 2n ** 128n - 1n;

export const networks: Record<SweepChain, Network> = {
  ethereum: {
    title: 'Ethereum',
    chainId: 1n,
    coin: 'ETH',
    coinDecimals: currencyRules.ETH.decimals,
    usdtContract: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    usdtDecimals: currencyRules.USDT_ERC20.decimals,
    coinWorth: 2_000_000_000n,
    usdtUnitsLeft: 0n,
    unitsMax: EVM_UNITS_MAX,
    fundingSetting: 'PAY_EVM_FUNDING',
    feeMaxUnits: ETHER / 100n,
  },
  bsc: {
    title: 'BNB Smart Chain',
    chainId: 56n,
    coin: 'BNB',
    coinDecimals: 18,
    usdtContract: '0x55d398326f99059fF775485246999027B3197955',
    usdtDecimals: currencyRules.USDT_BSC.decimals,
    coinWorth: 500n * ETHER,
    usdtUnitsLeft: 0n,
    unitsMax: EVM_UNITS_MAX,
    fundingSetting: 'PAY_EVM_FUNDING',
    feeMaxUnits: ETHER / 500n,
  },
  tron: {
    title: 'TRON',
    chainId: undefined,
    coin: 'TRX',
    coinDecimals: currencyRules.TRX.decimals,
    usdtContract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    usdtDecimals: currencyRules.USDT_TRC20.decimals,
    coinWorth: 250_000n,
    usdtUnitsLeft: 1n,
    unitsMax: 2n ** 63n - 1n,
    fundingSetting: 'PAY_TRON_FUNDING',
    feeMaxUnits: 30n * TRX,
  },
  ton: {
    title: 'TON',
    chainId: undefined,
    coin: 'TON',
    coinDecimals: currencyRules.TON.decimals,
    usdtContract: USDT_ON_TON.master,
    usdtDecimals: currencyRules.USDT_TON.decimals,
    coinWorth: 2_000_000n,
    usdtUnitsLeft: 0n,
    unitsMax: 2n ** 63n - 1n,
    fundingSetting: 'PAY_TON_FUNDING',
    feeMaxUnits: TON / 10n,
  },
};
