type ScimType =
  | 'invalidFilter'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** A refusal in the terms of RFC 7644, section 3.12. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

/** Throws a `ScimError` unless a condition holds. */
export function ensureScim(condition: unknown, status: number, detail: string, scimType?: ScimType): asserts condition {
  if (!condition) throw new ScimError(status, detail, scimType);
}
