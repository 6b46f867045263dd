import type { Rate } from '#http/limits/minute-rates.ts';

export interface RelayErrorDetails {
  type: string;
  code: string;
  /** Left out: the code. */
  reason?: string;
  param?: string;
  retryAfter?: string;
  headers?: Record<string, string>;
  /** Findings of a content filter: `innererror` in OpenAI's dialect. */
  inner?: Readonly<Record<string, unknown>>;
  /** Machine-readable members of the error in Anthropic's dialect. */
  details?: Readonly<Record<string, unknown>>;
}

/** An error response of the relay; each dialect renders it in its own format. */
export class RelayError extends Error {
  readonly status: number;
  /** OpenAI's `type`, a rough category. */
  readonly type: string;
  /** Machine-readable and stable. */
  readonly code: string;
  /** The code, or a finer one if the code has several causes. */
  readonly reason: string;
  readonly param: string | null;
  readonly retryAfter: string | undefined;
  /** Metrics and log already contain it. */
  alreadyCounted = false;
  /** The model found in a body that was refused before it was read completely. */
  model: string | undefined;
  /** The caller's remaining rate; undefined: the call was not counted. */
  rate: Rate | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly inner: Readonly<Record<string, unknown>> | undefined;

  constructor(status: number, message: string, { type, code, reason = code, ...more }: RelayErrorDetails) {
    super(message);
    this.status = status;
    this.type = type;
    this.code = code;
    this.reason = reason;
    this.param = more.param ?? null;
    this.retryAfter = more.retryAfter;
    this.headers = more.headers;
    this.details = more.details;
    this.inner = more.inner;
  }
}

/** Ends a sentence, unless the text brings its own full stop. */
export const endSentence = (reason: string): string => (/[.!?。]$/.test(reason) ? reason : `${reason}.`);

export const badRequest = (message: string, param?: string): RelayError =>
  new RelayError(400, message, {
    type: 'invalid_request_error',
    code: 'invalid_request',
    ...(param !== undefined && { param }),
  });

export type KeyRefusal =
  | 'key_missing'
  | 'key_unknown'
  | 'account_disabled'
  | 'member_gone'
  | 'token_expired'
  | 'token_disabled'
  | 'key_replaced';

export const unauthorized = (reason: KeyRefusal, message: string): RelayError =>
  new RelayError(401, message, { type: 'invalid_request_error', code: 'invalid_api_key', reason });

export const modelNotFound = (model: string): RelayError =>
  new RelayError(404, `The model '${model}' does not exist, or your group has no access to it.`, {
    type: 'invalid_request_error',
    code: 'model_not_found',
    param: 'model',
  });

/** 403: the operator has switched the model off for the group. */
export const modelOff = (model: string, group: string): RelayError =>
  new RelayError(
    403,
    `The model '${model}' is switched off for the user group '${group}'. GET /v1/models lists the models it may use.`,
    { type: 'permission_error', code: 'model_forbidden', reason: 'model_off', param: 'model' },
  );

/** 500: a fault of this server; the log has the reason. */
export const internalError = (): RelayError =>
  new RelayError(500, 'Internal server error. Administrators find the reason in the server log.', {
    type: 'server_error',
    code: 'internal_error',
  });

/** 503: the server is shutting down. */
export const serverStopping = (): RelayError =>
  new RelayError(503, 'The server is stopping. Try again in a moment.', {
    type: 'server_error',
    code: 'server_stopping',
  });

/** 503: the charge cannot be recorded. */
export const cannotRecord = (): RelayError =>
  new RelayError(
    503,
    'The server cannot record charges; its disk may be full. Contact its operator and try again later.',
    { type: 'server_error', code: 'storage_full', retryAfter: '30' },
  );

export const OUT_OF_FILES = 'server_out_of_files';

/** 503: this server is out of file descriptors, which is no fault of an upstream. */
export const outOfFiles = (): RelayError =>
  new RelayError(
    503,
    'The server has no file descriptors left. Try again in a moment; its operator can raise the limit.',
    { type: 'server_error', code: OUT_OF_FILES, retryAfter: '5' },
  );

/** 503: the memory limit for request bodies is reached. */
export const serverBusy = (): RelayError =>
  new RelayError(503, 'The server is handling too many large requests. Try again soon.', {
    type: 'server_error',
    code: 'server_busy',
    retryAfter: '5',
  });

/** 503: the database does not respond. */
export const databaseUnavailable = (): RelayError =>
  new RelayError(503, 'The database does not respond. Try again in a moment.', {
    type: 'server_error',
    code: 'database_unavailable',
    retryAfter: '5',
  });

/** 503: the database is damaged; nothing may be charged until it is restored. */
export const databaseDamaged = (): RelayError =>
  new RelayError(503, 'The database is damaged, so this server accepts no calls. Contact its operator.', {
    type: 'server_error',
    code: 'database_damaged',
    retryAfter: '60',
  });
