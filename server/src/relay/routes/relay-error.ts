import type { Rate } from '#http/limits/minute-rates.ts';

/** Members of a `RelayError` beside status and message; see there. */
export interface RelayErrorDetails {
  type: string;
  code: string;
  /** Left out: the code. */
  reason?: string;
  param?: string;
  retryAfter?: string;
  headers?: Record<string, string>;
}

/** A refusal of the relay; each dialect renders it in its own shape. */
export class RelayError extends Error {
  readonly status: number;
  /** OpenAI's `type`: who is to blame, roughly. */
  readonly type: string;
  /** Machine-readable and stable. */
  readonly code: string;
  /** The code, or finer where one code has several causes. */
  readonly reason: string;
  readonly param: string | null;
  readonly retryAfter: string | undefined;
  /** The call that it ends is counted and in the log already. */
  alreadyCounted = false;
  /** The model that the call asked for, where it was refused before the call was read whole. */
  model: string | undefined;
  /** What it leaves of the caller's rate; undefined where the call was not counted. */
  rate: Rate | undefined;
  /** Further headers of the refusal. */
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(status: number, message: string, { type, code, reason = code, ...more }: RelayErrorDetails) {
    super(message);
    this.status = status;
    this.type = type;
    this.code = code;
    this.reason = reason;
    this.param = more.param ?? null;
    this.retryAfter = more.retryAfter;
    this.headers = more.headers;
  }
}

/** A reason as the end of a sentence: words from elsewhere may bring their own full stop. */
export const endSentence = (reason: string): string => (/[.!?。]$/.test(reason) ? reason : `${reason}.`);

export const badRequest = (message: string, param?: string): RelayError =>
  new RelayError(400, message, {
    type: 'invalid_request_error',
    code: 'invalid_request',
    ...(param !== undefined && { param }),
  });

/** Why a key is refused. */
export type KeyRefusal = 'key_missing' | 'key_unknown' | 'account_disabled' | 'token_expired' | 'token_disabled';

export const unauthorized = (reason: KeyRefusal, message: string): RelayError =>
  new RelayError(401, message, { type: 'invalid_request_error', code: 'invalid_api_key', reason });

/** 500: a fault of ours, whose reason stands in the log. */
export const internalError = (): RelayError =>
  new RelayError(500, 'The server failed. The administrator finds the reason in its log.', {
    type: 'server_error',
    code: 'internal_error',
  });

/** 503: the server ends, and what it had not begun is not begun any more. */
export const serverStopping = (): RelayError =>
  new RelayError(503, 'The server is stopping. Try again in a moment.', {
    type: 'server_error',
    code: 'server_stopping',
  });

/** 503: what a call will cost cannot be written down. */
export const cannotRecord = (): RelayError =>
  new RelayError(
    503,
    'The server cannot write down what calls cost; its disk may be full. Tell its operator, and try again later.',
    { type: 'server_error', code: 'storage_full', retryAfter: '30' },
  );

export const OUT_OF_FILES = 'server_out_of_files';

/** 503: this server has no file descriptors left, which is no fault of an upstream. */
export const outOfFiles = (): RelayError =>
  new RelayError(
    503,
    'The server has no file descriptors left. Try again in a moment; its operator can raise the limit.',
    { type: 'server_error', code: OUT_OF_FILES, retryAfter: '5' },
  );

/** 503: this server holds as many bytes of bodies as it may. */
export const serverBusy = (): RelayError =>
  new RelayError(503, 'The server handles too many large requests at the moment. Try again soon.', {
    type: 'server_error',
    code: 'server_busy',
    retryAfter: '5',
  });

/** 503: what a call needs to know or to set aside cannot be asked of the database now. */
export const databaseUnavailable = (): RelayError =>
  new RelayError(503, 'The database does not answer. Try again in a moment.', {
    type: 'server_error',
    code: 'database_unavailable',
    retryAfter: '5',
  });

/** 503: what the database has stored is damaged; nothing may be charged to it until it is restored. */
export const databaseDamaged = (): RelayError =>
  new RelayError(503, 'The database of this server is damaged, so it takes no calls. Tell its operator.', {
    type: 'server_error',
    code: 'database_damaged',
    retryAfter: '60',
  });
