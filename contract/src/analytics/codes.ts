/**
 * Grouping of usage. `owner`: model owner of the price; `user_group`: current group of the user; `token`: only for one
 * user.
 */
export const usageGroupings = ['model', 'owner', 'channel', 'user', 'user_group', 'token'] as const;

export type UsageGrouping = (typeof usageGroupings)[number];

/** Groupings of a user's own usage. */
export const ownGroupings = ['model', 'token'] as const satisfies UsageGrouping[];

export const usageSteps = ['hour', 'day', 'month'] as const;

export type UsageStep = (typeof usageSteps)[number];

/** The longest period, in days. */
export const longestPeriod = 366;

/** The most series that a chart may have. */
export const mostSeries = 12;
