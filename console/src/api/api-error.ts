/** Value of `status` without any HTTP answer. */
const noAnswer = 0;

interface Refusal {
  status: number;
  message: string;
  code?: string | undefined;
  field?: string | undefined;
}

/** A failed call: refused by the server, or never answered. */
export class ApiError extends Error {
  /** HTTP status; 200 where only the envelope reports a failure, 0 when the server did not answer. */
  readonly status: number;
  /** The server's error code, or `network`. */
  readonly code: string;
  /** The invalid input field, if the error concerns one. */
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

  /** Pass an empty `message` where the page shows its own text. */
  static network(message: string): ApiError {
    return new ApiError({ status: noAnswer, code: 'network', message });
  }
}
