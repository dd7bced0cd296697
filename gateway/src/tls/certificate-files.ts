import { certificateFits, certificateMillisecondsLeft, type NodeCertificate } from '@cellhop/contract/certificates';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import { type Certificate, CertificateProblem, parseCertificate } from './certificate.ts';

export interface TlsSettings {
  /** Paths of PEM files. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** The host that customers see, if this node knows it. */
  readonly host: string | undefined;
}

const SETTINGS = { certificate: 'GATEWAY_TLS_CERTIFICATE', key: 'GATEWAY_TLS_KEY' } as const;
const FILE_BYTES_MAX = 1024 * 1024;

/** The certificate of the public port. Its files are read again and again: whoever renews them need not restart the gateway. */
export class CertificateFiles {
  #current: Certificate | undefined;
  #problem: string | undefined;
  #warning: string | undefined;
  /** What was read last. */
  #texts: string | undefined;

  constructor(
    private readonly settings: TlsSettings,
    private readonly log: Logger,
  ) {}

  /** Undefined: clients that speak TLS are refused. */
  get current(): Certificate | undefined {
    return this.#current;
  }

  /** What the control plane learns. */
  get description(): NodeCertificate | undefined {
    if (!this.#current) return undefined;
    const { names, startsAt, endsAt } = this.#current;
    return { names: [...names], startsAt, endsAt };
  }

  /** The files cannot be used as they are now. */
  get hasProblem(): boolean {
    return this.#problem !== undefined;
  }

  /** Keeps the certificate in use if the files are not usable: they may be in the middle of a renewal. Each problem is logged once. */
  async refresh(): Promise<void> {
    try {
      await this.#read();
      this.#problem = undefined;
    } catch (error) {
      if (!(error instanceof CertificateProblem)) throw error;
      if (error.message !== this.#problem)
        this.log.error({ isServed: this.#current !== undefined }, `TLS to the proxy: ${error.message}`);
      this.#problem = error.message;
    }
    this.#warn();
  }

  async #read(): Promise<void> {
    const { certificate, key } = this.settings;
    if (certificate === undefined && key === undefined) return;
    const texts = [await readPart('certificate', certificate), await readPart('key', key)] as const;
    const joined = texts.join('\0');
    if (joined === this.#texts && !this.hasProblem) return;
    this.#current = parseCertificate(...texts);
    this.#texts = joined;
    const { names, endsAt } = this.#current;
    this.log.info({ names, endsAt }, 'TLS to the proxy is served with this certificate');
  }

  /** Clients refuse such a certificate, but those that do not check it go on. */
  #warn(): void {
    const warning = this.#current && this.#doubt(this.#current);
    if (warning !== undefined && warning !== this.#warning) this.log.error(`TLS to the proxy: ${warning}`);
    this.#warning = warning;
  }

  #doubt({ names, endsAt }: Certificate): string | undefined {
    const { host } = this.settings;
    if (certificateMillisecondsLeft(endsAt) <= 0) return `the certificate expired at ${endsAt}; clients refuse it.`;
    if (host === undefined || isIP(host) || certificateFits(names, host)) return undefined;
    return `the certificate is for ${names.join(', ') || 'no name'}, and customers connect to ${host}; clients refuse it.`;
  }
}

/** @param tls undefined: none */
export async function openCertificateFiles(
  tls: TlsSettings | undefined,
  log: Logger,
  watch: Metrics['watch'],
): Promise<CertificateFiles> {
  const files = new CertificateFiles(tls ?? { certificate: undefined, key: undefined, host: undefined }, log);
  await files.refresh();
  const ends = 'Unix time until which the certificate of the public port is valid; 0: TLS is not served';
  watch('gateway_tls_certificate_ends_seconds', ends, () => (files.current?.endsAtMs ?? 0) / 1000);
  const problem = '1 while the files of the certificate cannot be used; an earlier certificate is still served';
  watch('gateway_tls_certificate_problem', problem, () => (files.hasProblem ? 1 : 0));
  return files;
}

async function readPart(part: keyof typeof SETTINGS, path: string | undefined): Promise<string> {
  const setting = SETTINGS[part];
  const other = SETTINGS[part === 'key' ? 'certificate' : 'key'];
  if (path === undefined) throw new CertificateProblem(`${other} is set and ${setting} is not; both are needed.`);
  try {
    const text = await readFile(path, 'utf8');
    if (text.length <= FILE_BYTES_MAX) return text;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new CertificateProblem(`The file of ${setting} cannot be read (${code}).`);
  }
  throw new CertificateProblem(`The file of ${setting} is too large.`);
}
