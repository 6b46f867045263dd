/** Built-in kinds of secrets and personal data. */
export const guardKinds = ['api_key', 'card', 'email', 'iban', 'phone'] as const;
export type GuardKind = (typeof guardKinds)[number];

/** `mask` replaces each match; `refuse` refuses the call, or ends its answer. */
export const guardActions = ['mask', 'refuse'] as const;
export type GuardAction = (typeof guardActions)[number];

/** Outcome for a call if the service of a rule gives no answer. */
export const guardFailures = ['pass', 'refuse'] as const;

/** Upper bounds of a rule, and of the number of rules. */
export const guardLimits = { rules: 50, patterns: 10, groups: 50, tokens: 100, testText: 20_000 };
