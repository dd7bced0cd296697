/**
 * The error catalogue: code -> HTTP status and the exact public text. The texts are an interface (product
 * specification, section 8): clients map `code`, people read `message`. `{name}` is filled from the error's data.
 */
export const errorCatalogue = {
  VALIDATION: { status: 400, message: 'Request is not valid' },
  INVALID_CREDENTIALS: { status: 400, message: 'Invalid credentials' },
  WRONG_PASSWORD: { status: 400, message: 'Wrong password' },
  SECOND_FACTOR_INVALID: { status: 400, message: 'Invalid second factor code' },
  REFRESH_REJECTED: { status: 400, message: 'Refresh tokens bad request' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  SMALL_BALANCE: { status: 402, message: 'Small balance' },
  FORBIDDEN: { status: 403, message: 'Forbidden' },
  ACCOUNT_BLOCKED: { status: 403, message: 'Account is blocked' },
  VIEW_ONLY: { status: 403, message: 'This view of the account is read-only' },
  SECOND_FACTOR_REQUIRED: { status: 403, message: 'Second factor is required' },
  EMAIL_NOT_CONFIRMED: { status: 403, message: 'Email is not confirmed - {seconds}' },
  NOT_FOUND: { status: 404, message: '{thing} not found' },
  SESSION_NOT_FOUND: { status: 404, message: 'Session not found' },
  REFERRAL_NOT_FOUND: { status: 404, message: 'Referral not found' },
  REFERRAL_CODE_NOT_FOUND: { status: 404, message: 'Referral code not found' },
  PROXY_NOT_FOUND: { status: 404, message: 'Proxy not found' },
  CODE_EXISTS: { status: 409, message: 'Code is already exist' },
  EMAIL_EXISTS: { status: 409, message: 'Email already exists' },
  SECOND_FACTOR_ON: { status: 409, message: 'Two-factor sign-in is already on' },
  SECOND_FACTOR_OFF: { status: 409, message: 'Two-factor sign-in is not on' },
  STAFF_SECOND_FACTOR: { status: 403, message: 'The second factor of staff cannot be reset' },
  OWN_ROLE: { status: 403, message: 'You cannot change your own role' },
  PERMISSION_LACKING: { status: 403, message: 'You do not have the permission {permission}' },
  LAST_ADMINISTRATOR: { status: 409, message: 'This is the last user who can manage users' },
  BALANCE_NOT_ZERO: { status: 409, message: 'Balance is not zero' },
  ROLE_EXISTS: { status: 409, message: 'Role already exists' },
  ROLE_FIXED: { status: 409, message: 'This role cannot be changed' },
  ROLE_IN_USE: { status: 409, message: 'Role is assigned to users' },
  TOO_MANY_ROLES: { status: 409, message: 'Limit of roles reached' },
  CHANGED_ELSEWHERE: { status: 409, message: 'Changed by another user in the meantime' },
  OWN_PROMO_CODE: { status: 409, message: 'You cannot create a promo code for yourself' },
  REFUND_TOO_LARGE: { status: 409, message: 'At most {dollars} USD of this connection can be refunded' },
  ACCOUNT_DELETED: { status: 409, message: 'Account is deleted' },
  INVOICE_PAID: { status: 409, message: 'Invoice is already paid' },
  OWN_REQUEST: { status: 409, message: 'You cannot approve this request yourself' },
  REQUEST_DECIDED: { status: 409, message: 'Request has already been decided' },
  REQUEST_LAPSED: { status: 409, message: 'Request has expired' },
  NOTHING_DUE: { status: 409, message: 'Invoice has no amount due' },
  JOB_NOT_FAILED: { status: 409, message: 'Job cannot be retried' },
  PROXY_BUSY: { status: 409, message: 'Proxy is being changed, try again in a moment' },
  PRICE_CHANGED: { status: 409, message: 'Price has changed' },
  TICKET_CLOSED: { status: 409, message: 'Ticket is closed' },
  CAP_USED_UP: { status: 409, message: 'Connection has already used {megabytes} MB' },
  ADDRESS_NOT_USED: {
    status: 409,
    message: 'No client from {network} has used the password of this connection in the last {days} days',
  },
  NOT_CONNECTED: { status: 409, message: 'Connection is not active' },
  TOO_MANY_DESTINATIONS: { status: 409, message: 'All lists together have at most {maximum} destinations' },
  EXIT_SHARED: { status: 409, message: 'Several proxies use this exit' },
  NOT_REPLACEABLE: {
    status: 409,
    message: 'No check of the last minutes has found this connection to be other than sold',
  },
  NOT_ROTATABLE: { status: 409, message: 'The address of this connection cannot be changed' },
  GATEWAY_TOO_OLD: { status: 409, message: 'The gateway of this connection is too old to change addresses' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: 'Idempotency key was used for another request' },
  SESSION_EXPIRED: { status: 410, message: 'Session expired' },
  REQUEST_TIMEOUT: { status: 408, message: 'Request timed out' },
  PRECONDITION_FAILED: { status: 412, message: 'Precondition failed' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'Request body is too large' },
  FILE_NOT_SUPPORTED: { status: 415, message: 'File is not a PNG, JPEG or WebP picture, a PDF or a text in UTF-8' },
  FILE_DAMAGED: { status: 400, message: 'File is damaged, or contains more than a picture or document' },
  PICTURE_TOO_LARGE: { status: 400, message: 'Picture is wider or higher than {side} pixels, or has too many of them' },
  FILES_FULL: { status: 409, message: 'There is no room for another file' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Request body must be JSON' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'Range is not satisfiable' },
  TOO_MANY_CONNECTIONS: { status: 429, message: 'Too many open connections' },
  RATE_LIMITED: { status: 429, message: 'Too many requests' },
  TOO_MANY_VIEWS: { status: 429, message: 'Too many user views this hour' },
  RESEND_INTERVAL: { status: 429, message: 'Small interval resend code - {seconds}' },
  RESEND_LIMIT: { status: 429, message: 'Limit resend code' },
  HEADERS_TOO_LARGE: { status: 431, message: 'Request headers are too large' },
  INTERNAL: { status: 500, message: 'Internal server error' },
  UNAVAILABLE: { status: 503, message: 'Service is temporarily unavailable' },
  RATE_UNAVAILABLE: { status: 503, message: 'Rate is unavailable' },
  CURRENCY_UNAVAILABLE: { status: 503, message: 'Currency is unavailable' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;
export const errorCodes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

type Placeholders<Text extends string> = Text extends `${string}{${infer Key}}${infer Rest}`
  ? Key | Placeholders<Rest>
  : never;
type Data<C extends ErrorCode> = Record<Placeholders<(typeof errorCatalogue)[C]['message']>, string | number>;
/** Codes whose text has no placeholder take no data; the others must name each one. */
type DataArguments<C extends ErrorCode> = [Placeholders<(typeof errorCatalogue)[C]['message']>] extends [never]
  ? []
  : [data: Data<C>];

export interface ErrorDetail {
  /** The location of the value: `body.email`, `query.page`. */
  path: string;
  message: string;
}

/** An expected failure. Its public status, code and text come from the catalogue. */
export class AppError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly status: number;
  readonly data: Record<string, string | number>;
  /** Set for VALIDATION alone. */
  details: ErrorDetail[] | undefined;
  /** For the Retry-After header if the text does not contain the seconds. */
  retryAfterSeconds: number | undefined;

  constructor(code: C, ...[data]: DataArguments<C>) {
    const { status, message } = errorCatalogue[code];
    const values: Record<string, string | number> = data ?? {};
    super(message.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key])));
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.data = values;
  }

  /** @param seconds until the next try is allowed: the Retry-After of the response */
  static rateLimited(seconds: number): AppError<'RATE_LIMITED'> {
    const error = new AppError('RATE_LIMITED');
    error.retryAfterSeconds = seconds;
    return error;
  }

  static validation(details: ErrorDetail[]): AppError<'VALIDATION'> {
    const error = new AppError('VALIDATION');
    error.details = details;
    return error;
  }
}
