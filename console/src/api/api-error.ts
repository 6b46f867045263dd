/** What `status` says when there was no HTTP answer at all. */
const noAnswer = 0;

interface Refusal {
  status: number;
  message: string;
  code?: string | undefined;
  field?: string | undefined;
}

/** A call that did not succeed: refused by the server, or never answered. */
export class ApiError extends Error {
  /** HTTP status; 200 where the envelope alone says no, 0 when the server did not answer. */
  readonly status: number;
  /** The server's error code, or `network`. */
  readonly code: string;
  /** The input that is to blame, where it is one. */
  readonly field: string | undefined;

  constructor({ status, message, code, field }: Refusal) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code ?? '';
    this.field = field;
  }

  get isNetwork(): boolean {
    return this.status === noAnswer;
  }

  /** `message` is empty where the page has words of its own. */
  static network(message: string): ApiError {
    return new ApiError({ status: noAnswer, code: 'network', message });
  }
}
