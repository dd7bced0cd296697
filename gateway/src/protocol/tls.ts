/** What clients get that speak TLS and cannot be served (RFC 8446, sections 5.1 and 6). */

/** The content type of a record with a handshake message: the first byte of a ClientHello. */
export const TLS_HANDSHAKE = 0x16;

const ALERT = 0x15;
const FATAL = 2;
/** Clients show it as "alert protocol version"; that of a failed handshake would make users search among their ciphers. */
const PROTOCOL_VERSION = 70;

const INTERNAL_ERROR = 80;

/** A record of TLS 1.2, which clients of all versions read. */
const alert = (description: number): Uint8Array => Uint8Array.of(ALERT, 3, 3, 0, 2, FATAL, description);

/** To a port without TLS. */
export const UNSUPPORTED_ALERT = alert(PROTOCOL_VERSION);
/** To a client that may try again later. */
export const UNAVAILABLE_ALERT = alert(INTERNAL_ERROR);
