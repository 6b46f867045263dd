/** Subjects of limits. */
export const limitSubjects = ['token', 'account', 'member', 'cost_centre', 'plan'] as const;
export type LimitSubject = (typeof limitSubjects)[number];

/**
 * The scope of a limit names its subject in counters, journals and log rows. An account is the id of the user row that
 * pays; a member is an account with the person who calls.
 */
export const tokenScope = (tokenId: number): string => `t${tokenId}`;
export const accountScope = (accountId: number): string => `u${accountId}`;
export const memberScope = (accountId: number, personId: number): string => `m${accountId}:${personId}`;
export const costCentreScope = (accountId: number, name: string): string => `c${accountId}:${name}`;
/** The allowance of one period of a subscription. */
export const planScope = (periodId: number): string => `p${periodId}`;

const subjects: Record<string, LimitSubject> = { t: 'token', u: 'account', m: 'member', c: 'cost_centre', p: 'plan' };

/** The subject of a scope; an unknown one is a token's. */
export const subjectOf = (scope: string): LimitSubject => subjects[scope.charAt(0)] ?? 'token';

/** The id in the scope of a token, an account or a plan. */
export const idOfScope = (scope: string): number => Number.parseInt(scope.slice(1), 10);

/** The limit of a plan for its whole period. Each plan has it, so it says what the plan pays. */
export const PLAN_TOTAL = 'credits:period';
/** Not a limit: the purchase cost of the calls that a plan pays, counted like one. */
export const PLAN_COST = 'cost:period';
