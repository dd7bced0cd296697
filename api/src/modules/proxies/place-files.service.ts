/** Country and operator of public addresses, by files in MaxMind's format (MMDB) that the operator provides. Without them nothing is known. */
import type { Place } from '@cellhop/contract/places.values';
import type { Reader, Response } from 'maxmind';
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import type { Ctx } from '../../ctx.ts';
import { UNKNOWN, UNKNOWN_COUNTRY } from './import-rows.ts';

export interface FoundPlace {
  /** Null: not in the file, or there is no file. */
  countryCode: string | null;
  isp: string | null;
  asn: number | null;
}

export type PlaceOf = (address: string | null) => FoundPlace | null;

const countryRecord = z.object({ country: z.object({ iso_code: z.string().regex(/^[A-Z]{2}$/) }) });
/** Of files of operators; those of MaxMind's file "ISP" have both names. */
const operatorRecord = z.object({
  autonomous_system_number: z.int().positive().optional(),
  autonomous_system_organization: z.string().optional(),
  isp: z.string().optional(),
});

/** An address of the documentation: a damaged file cannot be searched for it. */
const PROBE = '192.0.2.1';

interface OpenFile {
  version: string;
  /** The last one that could be read. */
  reader: Reader<Response> | undefined;
  /** A sentence for the operator. */
  failure: string | null;
}

/** By path, of this process. */
const openFiles = new Map<string, OpenFile>();

/** A file is read again when it has changed. One that cannot be read is reported once; what was read before stays in use. */
async function openFile(ctx: Ctx, setting: string, path: string): Promise<OpenFile> {
  const known = openFiles.get(path);
  const file: OpenFile = { version: '', reader: known?.reader, failure: null };
  try {
    const { mtimeMs, size } = await stat(path);
    file.version = `${mtimeMs} ${size}`;
    if (file.version === known?.version) return known;
    // Only installations with such a file load the library.
    const { Reader } = await import('maxmind');
    const reader = new Reader<Response>(await readFile(path));
    reader.get(PROBE);
    file.reader = reader;
  } catch (error) {
    file.failure = `${setting}: ${path} cannot be read (${error instanceof Error ? error.message : String(error)}).`;
    if (file.failure !== known?.failure) ctx.log.error(file.failure);
  }
  openFiles.set(path, file);
  return file;
}

/** Looks the files up again when they change. @returns null for an address of which neither file says anything */
export async function openPlaces(ctx: Ctx): Promise<PlaceOf> {
  const { countryFile, operatorFile } = ctx.config.places;
  const countries = countryFile === undefined ? undefined : await openFile(ctx, 'MMDB_COUNTRY_FILE', countryFile);
  const operators = operatorFile === undefined ? undefined : await openFile(ctx, 'MMDB_OPERATOR_FILE', operatorFile);
  return (address) => {
    if (address === null) return null;
    const countryCode = find(countries, address, countryRecord)?.country.iso_code ?? null;
    const operator = find(operators, address, operatorRecord);
    const isp = operator?.isp ?? operator?.autonomous_system_organization ?? null;
    const asn = operator?.autonomous_system_number ?? null;
    return countryCode === null && isp === null && asn === null ? null : { countryCode, isp, asn };
  };
}

/** Part of a file may be damaged: then it says nothing about these addresses. */
function find<Record>(file: OpenFile | undefined, address: string, schema: z.ZodType<Record>): Record | undefined {
  try {
    return schema.safeParse(file?.reader?.get(address)).data;
  } catch {
    return undefined;
  }
}

/**
 * Whether what was seen is what is sold; null: one of both is unknown. Names of operators are not compared: each file spells them in its
 * way.
 */
export function compareWithSold(
  { countryCode, asn }: Pick<Place, 'countryCode' | 'asn'>,
  seen: FoundPlace | null,
): { country: boolean | null; operator: boolean | null } {
  return { country: isEqual(countryCode, seen?.countryCode), operator: isEqual(asn, seen?.asn) };
}

function isEqual<Value>(sold: Value | null, seen: Value | null | undefined): boolean | null {
  return sold === null || seen == null ? null : sold === seen;
}

/** What a line of a file does not say. */
export function completePlace(
  { countryCode, isp, asn }: Pick<Place, 'countryCode' | 'isp' | 'asn'>,
  found: FoundPlace | null,
): Pick<Place, 'countryCode' | 'isp' | 'asn'> {
  return {
    countryCode: countryCode === UNKNOWN_COUNTRY ? (found?.countryCode ?? countryCode) : countryCode,
    isp: isp === UNKNOWN ? (found?.isp ?? isp) : isp,
    asn: isp === UNKNOWN ? (asn ?? found?.asn ?? null) : asn,
  };
}

/** @returns sentences about files that cannot be read */
export async function findUnreadableFiles(ctx: Ctx): Promise<string[]> {
  await openPlaces(ctx);
  const { countryFile, operatorFile } = ctx.config.places;
  return [countryFile, operatorFile].flatMap((path) => openFiles.get(path ?? '')?.failure ?? []);
}
