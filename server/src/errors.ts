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
  'books.running': 409,
  'analytics.period': 400,
  'analytics.future': 400,
  'analytics.step': 400,
  'analytics.grain': 400,
  'login.failed': 200,
  'user.rank': 403,
  'user.self': 409,
  'user.last_root': 409,
  'user.role_already': 409,
  'user.name': 400,
  'user.own_password': 409,
  'user.current_password': 400,
  'group.unknown': 400,
  'group.forbidden': 403,
  'group.in_use': 409,
  'group.default': 409,
  'group.replacement': 400,
  'token.expired': 409,
  'token.exhausted': 409,
  'token.too_many': 409,
  'channel.type_unknown': 400,
  'channel.type_unsupported': 400,
  'channel.address_needed': 400,
  'channel.other_needed': 400,
  'channel.other_form': 400,
  'channel.option_needed': 400,
  'channel.option_form': 400,
  'channel.gone_limit': 400,
  'channel.key_needed': 400,
  'channel.key_again': 400,
  'channel.key_form': 400,
  'channel.key_json': 400,
  'channel.key_refused': 400,
  'channel.kept_unknown': 400,
  'channel.proxy_again': 400,
  'channel.last_key': 409,
  'channel.test_model_needed': 400,
  'channel.test_unsupported': 400,
  'channel.models_unsupported': 400,
  'channel.balance_unsupported': 400,
  'channel.upstream_failed': 502,
  'channel.scope_changed': 409,
  'channel.undo_gone': 409,
  'channel.job_running': 409,
  'redemption.unknown': 404,
  'redemption.disabled': 409,
  'redemption.expired': 409,
  'redemption.redeemed': 409,
  'redemption.yours': 409,
  'redemption.closed': 409,
  'redemption.expiry_past': 400,
  'outbound.address': 400,
  'outbound.private': 400,
  'outbound.unresolved': 400,
  'outbound.redirects': 502,
  'outbound.status': 502,
  'outbound.too_large': 502,
  'outbound.timeout': 502,
  'outbound.failed': 502,
  'price.source_format': 400,
  'price.source_row': 400,
  'price.preview_gone': 409,
  'price.changed_meanwhile': 409,
  'price.jump': 409,
  'price.edited_since': 409,
  'price.undone': 409,
  'log.cleanup_running': 409,
  'log.cleanup_future': 400,
  'option.unknown': 400,
  'option.invalid': 400,
  'quota.below_zero': 409,
  'quota.beyond': 409,
  'quota.uncountable': 409,
  'reference.used': 409,
  'user.needed': 400,
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
    { field, ...values }: { field?: string | undefined; [placeholder: string]: string | number | undefined } = {},
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
