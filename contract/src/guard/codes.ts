/** What is found without a pattern of one's own: keys of providers, payment cards, and so on. */
export const guardKinds = ['api_key', 'card', 'email', 'iban', 'phone'] as const;
export type GuardKind = (typeof guardKinds)[number];

/** `mask` replaces what is found; `refuse` refuses the call, or ends its answer. */
export const guardActions = ['mask', 'refuse'] as const;
export type GuardAction = (typeof guardActions)[number];

/** Upper bounds of a rule, and of the number of rules. */
export const guardLimits = { rules: 50, patterns: 10, groups: 50, tokens: 100, testText: 20_000 };
