/** What usage is told apart by. `owner`: who makes the model, by its price; `user_group`: the one that a user is in now. */
export const usageGroupings = ['model', 'owner', 'channel', 'user', 'user_group'] as const;

export type UsageGrouping = (typeof usageGroupings)[number];

export const usageSteps = ['hour', 'day', 'month'] as const;

export type UsageStep = (typeof usageSteps)[number];

/** The longest period, in days. */
export const longestPeriod = 366;
