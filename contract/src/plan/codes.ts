/** Who pays what the allowance of a plan does not: no one, the balance, or as its buyer chooses. */
export const beyondRules = ['refuse', 'balance', 'choice'] as const;
export type BeyondRule = (typeof beyondRules)[number];

export const planUnits = ['day', 'week', 'month', 'year'] as const;

/** `paused`: by an operator; it pays for no call, and is not renewed. */
export const subscriptionStatuses = ['active', 'paused', 'ended'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

export const subscriptionSources = ['balance', 'order', 'gift', 'code', 'import'] as const;
export type SubscriptionSource = (typeof subscriptionSources)[number];

export const subscriptionActions = ['pause', 'resume', 'cancel', 'refund'] as const;
export type SubscriptionAction = (typeof subscriptionActions)[number];
