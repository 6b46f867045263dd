import type { Effort, Reasoning } from './chat.ts';

/** Token budgets by effort. */
const budgets: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 65_536,
};

/** The requested effort, or the nearest one to the budget; undefined for the model's default. */
export function effortOf({ effort, budget }: Reasoning): Effort | undefined {
  if (effort !== undefined || budget === undefined) return effort;
  if (budget === 0) return 'none';
  if (budget <= 2048) return 'low';
  return budget <= 12_288 ? 'medium' : 'high';
}

/** The token budget of an effort; 0 turns reasoning off. */
export const budgetOf = (effort: Effort): number => (effort === 'none' ? 0 : budgets[effort]);

/** Share of the output limit for reasoning, where the budget is part of the limit. */
const shares: Record<Effort, number> = { none: 0, minimal: 0, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.8, max: 0.8 };

export const budgetWithin = (effort: Effort, maxOutput: number): number => Math.floor(shares[effort] * maxOutput);
