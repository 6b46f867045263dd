/** Grouping of usage. `owner`: model owner of the price; `user_group`: current group of the user. */
export const usageGroupings = ['model', 'owner', 'channel', 'user', 'user_group'] as const;

export type UsageGrouping = (typeof usageGroupings)[number];

export const usageSteps = ['hour', 'day', 'month'] as const;

export type UsageStep = (typeof usageSteps)[number];

/** The longest period, in days. */
export const longestPeriod = 366;
