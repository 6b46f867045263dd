/** Values of the books that the console needs without schemas. */

export const whatIfBases = ['charged', 'current'] as const;
export const whatIfCosts = ['recorded', 'again'] as const;
export const whatIfGroupings = ['model', 'user', 'user_group', 'channel'] as const;
export type WhatIfGrouping = (typeof whatIfGroupings)[number];
export const whatIfStates = ['running', 'done', 'cancelled', 'failed'] as const;

/** Where the lines of a kept bill come from. */
export const billOrigins = ['file', 'api'] as const;
export const billActs = ['saved', 'closed', 'reopened'] as const;
/** Providers whose bill can be fetched, with the address of each. */
export const billVendors = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  openrouter: 'https://openrouter.ai',
} as const;
export type BillVendor = keyof typeof billVendors;

/** Systems that usage is exported to, with the address of each; empty: it has to be given. */
export const billingSystems = {
  cloudevents: '',
  lago: 'https://api.getlago.com',
  stripe: 'https://api.stripe.com',
} as const;
export type BillingSystem = keyof typeof billingSystems;
export const usageMeasures = ['credits', 'tokens', 'calls'] as const;
export type UsageMeasure = (typeof usageMeasures)[number];
