/**
 * Grouping of usage. `owner`: model owner of the price; `user_group`: current group of the user; `token`: only for one
 * user; `tag`: the present cost centre of the token; `member`: who holds the token of a team.
 */
export const usageGroupings = ['model', 'owner', 'channel', 'user', 'user_group', 'token', 'tag', 'member'] as const;

export type UsageGrouping = (typeof usageGroupings)[number];

/** Groupings by tokens, for one user only. */
export const tokenGroupings: readonly UsageGrouping[] = ['token', 'tag', 'member'];

/** Groupings of a user's own usage. */
export const ownGroupings = ['model', 'token', 'tag', 'member'] as const satisfies UsageGrouping[];

export const usageSteps = ['hour', 'day', 'month'] as const;

export type UsageStep = (typeof usageSteps)[number];

/** The longest period, in days. */
export const longestPeriod = 366;

/** The most series that a chart may have. */
export const mostSeries = 12;
