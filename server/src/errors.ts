/** Every refusal of the management API: its code is the key of its text (`i18n/`), and this is its HTTP status. */
export const statusOf = {
  'input.invalid': 400,
  'input.not_json': 400,
  'list.order': 400,
  'body.too_large': 413,
  'body.type': 415,
  'request.cross_site': 403,
  'request.too_many': 429,
  'route.unknown': 404,
  'session.none': 401,
  'session.role': 403,
  'record.not_found': 404,
  'record.exists': 409,
  'login.failed': 200,
  'group.unknown': 400,
  'group.forbidden': 403,
  'group.in_use': 409,
  'group.default': 409,
  'token.expired': 409,
  'token.exhausted': 409,
  'token.too_many': 409,
  'channel.type_unknown': 400,
  'channel.address_needed': 400,
  'channel.key_needed': 400,
  'channel.key_again': 400,
  'channel.test_model_needed': 400,
  'channel.test_unsupported': 400,
  'channel.models_unsupported': 400,
  'channel.upstream_failed': 502,
  'option.unknown': 400,
  'option.invalid': 400,
  'quota.below_zero': 409,
  'server.failed': 500,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** A refusal. `values` fill the placeholders of its text; `field` names the input that is to blame. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly values: Record<string, string | number>;
  readonly field: string | undefined;

  constructor(
    code: ErrorCode,
    { field, ...values }: { field?: string; [placeholder: string]: string | number | undefined } = {},
  ) {
    super(code);
    this.code = code;
    this.field = field;
    this.values = values as Record<string, string | number>;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

/** Refuses with `code` unless the condition holds. */
export function ensure(
  condition: unknown,
  code: ErrorCode,
  details?: ConstructorParameters<typeof AppError>[1],
): asserts condition {
  if (condition === undefined || condition === null || condition === false) throw new AppError(code, details);
}
