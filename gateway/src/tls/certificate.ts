import { CERTIFICATE_NAMES_MAX, type NodeCertificate } from '@cellhop/contract/certificates';
import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';

/** What a client of the public port is served with. */
export interface Certificate extends NodeCertificate {
  readonly context: SecureContext;
  readonly startsAt: string;
  readonly endsAtMs: number;
}

/** Why files cannot be used; the message is a sentence for the operator. */
export class CertificateProblem extends Error {}

const SUBJECT_NAME = /^DNS:(.+)$/;

/**
 * @param certificate the chain in PEM, the node's own certificate first
 * @throws CertificateProblem
 */
export function parseCertificate(certificate: string, key: string): Certificate {
  const own = readOwn(certificate);
  if (!own.checkPrivateKey(readKey(key)))
    throw new CertificateProblem('The key of GATEWAY_TLS_KEY belongs to another certificate.');
  const { validFromDate, validToDate } = own;
  const times = {
    startsAt: validFromDate.toISOString(),
    endsAt: validToDate.toISOString(),
    endsAtMs: validToDate.getTime(),
  };
  return { context: createContext(certificate, key), names: readNames(own), ...times };
}

function readOwn(certificate: string): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch {
    throw new CertificateProblem('The file of GATEWAY_TLS_CERTIFICATE contains no certificate in PEM.');
  }
}

function readKey(key: string): KeyObject {
  try {
    return createPrivateKey(key);
  } catch {
    throw new CertificateProblem('The file of GATEWAY_TLS_KEY contains no private key in PEM without a passphrase.');
  }
}

/** A stranger may not make the node repeat the costly part of a handshake on one connection. */
function createContext(cert: string, key: string): SecureContext {
  try {
    return createSecureContext({ cert, key, minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CertificateProblem(`The certificate and its key cannot be used: ${reason}.`);
  }
}

const readNames = ({ subjectAltName = '' }: X509Certificate): string[] =>
  subjectAltName
    .split(', ')
    .flatMap((entry) => SUBJECT_NAME.exec(entry)?.[1]?.toLowerCase() ?? [])
    .slice(0, CERTIFICATE_NAMES_MAX);
