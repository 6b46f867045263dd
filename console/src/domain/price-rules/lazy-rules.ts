import { lazy } from 'react';

/** The words of rules load after the first paint: most prices have no rules, and the words are long. */
const load = () => import('./rule-summary.tsx');

export const RuleLine = lazy(async () => ({ default: (await load()).RuleLine }));
export const RuleList = lazy(async () => ({ default: (await load()).RuleList }));
export const RulesChip = lazy(async () => ({ default: (await load()).RulesChip }));
