/** The contract of a wallet v4r2, which is deployed by its first message. Its first state is what its address is derived from. */
import { beginCell, Cell, type StateInit } from '@ton/core';
import { TON_WALLET_ID } from '../derive/ton-address.ts';

/** As its authors have published it (github.com/ton-blockchain/wallet-contract, tag v4r2-stable). */
const walletV4R2Code = Cell.fromBase64(
  [
    'te6cckECFAEAAtQAART/APSkE/S88sgLAQIBIAIPAgFIAwYC5tAB0NMDIXGwkl8E4CLXScEgkl8E4ALTHyGCEHBsdWe9IoIQ',
    'ZHN0cr2wkl8F4AP6QDAg+kQByMoHy//J0O1E0IEBQNch9AQwXIEBCPQKb6Exs5JfB+AF0z/IJYIQcGx1Z7qSODDjDQOCEGRz',
    'dHK6kl8G4w0EBQB4AfoA9AQw+CdvIjBQCqEhvvLgUIIQcGx1Z4MesXCAGFAEywUmzxZY+gIZ9ADLaRfLH1Jgyz8gyYBA+wAG',
    'AIpQBIEBCPRZMO1E0IEBQNcgyAHPFvQAye1UAXKwjiOCEGRzdHKDHrFwgBhQBcsFUAPPFiP6AhPLassfyz/JgED7AJJfA+IC',
    'ASAHDgIBIAgNAgFYCQoAPbKd+1E0IEBQNch9AQwAsjKB8v/ydABgQEI9ApvoTGACASALDAAZrc52omhAIGuQ64X/wAAZrx32',
    'omhAEGuQ64WPwAARuMl+1E0NcLH4AFm9JCtvaiaECAoGuQ+gIYRw1AgIR6STfSmRDOaQPp/5g3gSgBt4EBSJhxWfMYQE+PKD',
    'CNcYINMf0x/THwL4I7vyZO1E0NMf0x/T//QE0VFDuvKhUVG68qIF+QFUEGT5EPKj+AAkpMjLH1JAyx9SMMv/UhD0AMntVPgP',
    'AdMHIcAAn2xRkyDXSpbTB9QC+wDoMOAhwAHjACHAAuMAAcADkTDjDQOkyMsfEssfy/8QERITAG7SB/oA1NQi+QAFyMoHFcv/',
    'ydB3dIAYyMsFywIizxZQBfoCFMtrEszMyXP7AMhAFIEBCPRR8qcCAHCBAQjXGPoA0z/IVCBHgQEI9FHyp4IQbm90ZXB0gBjI',
    'ywXLAlAGzxZQBPoCFMtqEssfyz/Jc/sAAgBsgQEI1xj6ANM/MFIkgQEI9Fnyp4IQZHN0cnB0gBjIywXLAlAFzxZQA/oCE8tq',
    'yx8Syz/Jc/sAAAr0AMntVAj45Sg=',
  ].join(''),
);

const NUMBER_BITS = 32;

/** @param publicKey 64 hexadecimal digits */
export function firstState(publicKey: string, index: bigint): StateInit & { code: Cell; data: Cell } {
  const data = beginCell()
    .storeUint(0, NUMBER_BITS)
    .storeUint(TON_WALLET_ID + index, NUMBER_BITS)
    .storeBuffer(Buffer.from(publicKey, 'hex'))
    // No plugins.
    .storeBit(false)
    .endCell();
  return { code: walletV4R2Code, data };
}

/** Of the next message that the wallet takes. @param data its state now, as base64; undefined if it is not deployed */
export const nextSeqno = (data: string | undefined): number =>
  data === undefined ? 0 : Cell.fromBase64(data).beginParse().loadUint(NUMBER_BITS);
