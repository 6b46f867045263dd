/** Values of the books that the console needs without schemas. */

export const whatIfBases = ['charged', 'current'] as const;
export const whatIfCosts = ['recorded', 'again'] as const;
export const whatIfGroupings = ['model', 'user', 'user_group', 'channel'] as const;
export type WhatIfGrouping = (typeof whatIfGroupings)[number];
export const whatIfStates = ['running', 'done', 'cancelled', 'failed'] as const;
