/** Which token of TON is accepted. */

/** Layout of the state: that of USDT. Its code is stored once for all wallets, in the library of the masterchain. */
export interface Jetton {
  /** The contract of the issuer, in any written form. */
  master: string;
  /** The hash of the code of wallets, 64 hexadecimal digits. */
  walletCode: string;
}

export const USDT: Jetton = {
  master: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
  walletCode: '8f452d7a4dfd74066b682365177259ed05734435be76b5fd4bd5d8af2b7c3d68',
};
