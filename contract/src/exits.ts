/**
 * The kinds of exits. An exit is a key, which is unique at its node and outlives keys of `SECRET_KEY`, parameters, and a sealed secret. Each kind has one
 * descriptor: how a file names such an exit, and what its gateway gets. Nothing else in API and database depends on the kind.
 */
import { z } from 'zod';
import { canonicalAddress, isMetadataAddress } from './network.ts';
import { idSchema } from './schemas.ts';
import type { ImportProblem } from './staff/inventory.values.ts';

/** The username and the password have at most 255 bytes each (SOCKS5, RFC 1929). */
export const credentialsSchema = z.object({
  username: z.string().min(1).max(255),
  password: z.string().min(1).max(255),
});
export type ExitCredentials = z.infer<typeof credentialsSchema>;

/** What its gateway gets in addition to id, kind and credentials. */
export type ExitParameters = Record<string, string | number | null>;

export interface ParsedExit {
  /** Without `#`: where credentials are stored, their keyed hash follows it, because several exits may differ in them alone. */
  key: string;
  parameters: ExitParameters;
  /** `hidden` in an exported file: those of the proxy's current exit. Undefined: none. */
  credentials?: ExitCredentials | 'hidden' | undefined;
}

/** Replaces credentials in exported files. */
const HIDDEN = '***';
const UPSTREAM =
  /^(\w+):\/\/(?:(.*)@)?(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?)):(\d{1,5})\/?$/;
const HOST_LENGTH_MAX = 253;
const CREDENTIAL_BYTES_MAX = 255;
const CONTROL_CHARACTER = /\p{Cc}|\p{Surrogate}/u;

/** An address of the node's host; null, and empty in files: the host's default route. */
const localAddress = {
  schema: z.object({
    kind: z.literal('local-address'),
    id: idSchema,
    address: z.union([z.ipv4(), z.ipv6()]).nullable(),
  }),
  parse(text: string): ParsedExit | ImportProblem {
    const address = text.includes('%') ? undefined : text && canonicalAddress(text);
    if (address === undefined) return 'NOT_AN_ADDRESS';
    return { key: `local-address://${address}`, parameters: { address: address || null } };
  },
  format: ({ address }: ExitParameters) => String(address ?? ''),
};

/**
 * Where the names of destinations behind another proxy are resolved: through it, or by the name servers of its node. New ones get `exit`; absent,
 * as where 0.4.0 has created it: `node`.
 */
export const exitNamesSchema = z.enum(['exit', 'node']);
export type ExitNames = z.infer<typeof exitNamesSchema>;

/** Another proxy through which traffic leaves. `host` is a name or an address. */
function upstream<Kind extends string>(kind: Kind) {
  const text = ({ host, port }: ExitParameters, login = '') =>
    `${kind}://${login}${String(host).includes(':') ? `[${String(host)}]` : String(host)}:${String(port)}`;
  return {
    schema: z.object({
      kind: z.literal(kind),
      id: idSchema,
      host: z.string().min(1).max(HOST_LENGTH_MAX),
      port: z.int().min(1).max(65_535),
      credentials: credentialsSchema.optional(),
      names: exitNamesSchema.optional(),
    }),
    parse(written: string): ParsedExit | ImportProblem {
      const [, scheme, login, ipv6, name, digits] = UPSTREAM.exec(written) ?? [];
      const host = ipv6 === undefined ? canonicalHost(name) : canonicalAddress(ipv6);
      const port = Number(digits);
      const isPlace = host !== undefined && host.length <= HOST_LENGTH_MAX && port >= 1 && port <= 65_535;
      if (scheme !== kind || !isPlace) return 'NOT_AN_UPSTREAM';
      const credentials = login === HIDDEN ? 'hidden' : login === undefined ? undefined : parseCredentials(kind, login);
      if (login !== undefined && credentials === undefined) return 'NOT_AN_UPSTREAM';
      if (isMetadataAddress(host)) return 'REFUSED_UPSTREAM';
      return { key: text({ host, port }), parameters: { host, port, names: 'exit' }, credentials };
    },
    format: (parameters: ExitParameters, hasCredentials: boolean) =>
      text(parameters, hasCredentials ? `${HIDDEN}@` : ''),
  };
}

/** `0x7f.1` and `2130706433` are addresses, as they are for the C library. */
function canonicalHost(name = ''): string | undefined {
  return URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).hostname : undefined;
}

/** Special characters are percent-encoded, as in URLs. */
function parseCredentials(kind: string, login: string): ExitCredentials | undefined {
  const colon = login.indexOf(':');
  if (colon === -1) return undefined;
  const [username, password] = [decode(login.slice(0, colon)), decode(login.slice(colon + 1))];
  if (username === undefined || password === undefined) return undefined;
  // Basic authentication ends the username at its first colon (RFC 7617).
  return kind === 'http' && username.includes(':') ? undefined : { username, password };
}

function decode(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    const bytes = new TextEncoder().encode(text).length;
    return bytes >= 1 && bytes <= CREDENTIAL_BYTES_MAX && !CONTROL_CHARACTER.test(text) ? text : undefined;
  } catch {
    // A percent sign that encodes nothing.
    return undefined;
  }
}

/** `parse` reads the exit of a file, `format` writes it, without its credentials; `schema` is what the gateway gets. */
const descriptors = {
  'local-address': localAddress,
  socks5: upstream('socks5'),
  http: upstream('http'),
};
export type ExitKind = keyof typeof descriptors;
export const exitKinds = Object.keys(descriptors) as ExitKind[];

/**
 * How traffic leaves. Connections whose exits have the same `id` share one exit in the node.
 */
export const exitSchema = z.discriminatedUnion('kind', [
  descriptors['local-address'].schema,
  descriptors.socks5.schema,
  descriptors.http.schema,
]);
export type Exit = z.infer<typeof exitSchema>;
export type UpstreamExit = Extract<Exit, { host: string }>;

/**
 * Where names are resolved, also if a check has found that DNS does not work through the exit: then by its node.
 * @returns null if the exit is no other proxy
 */
export function namesOf({ host, names }: ExitParameters, dnsWorks: boolean | null): ExitNames | null {
  if (host === undefined) return null;
  return names === 'exit' && dnsWorks !== false ? 'exit' : 'node';
}

export const parseExit = (kind: ExitKind, text: string) => descriptors[kind].parse(text);

/**
 * An exit in a list or an exported file.
 * @param kind that only a newer release may know
 */
export function formatExit(kind: string, parameters: ExitParameters, hasCredentials = false): string {
  const known = exitKinds.find((each) => each === kind);
  return known === undefined ? kind : descriptors[known].format(parameters, hasCredentials);
}
