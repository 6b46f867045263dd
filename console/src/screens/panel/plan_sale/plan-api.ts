import { type Plan, planAdminApi, planApi, type planAdminSchemas } from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import type { Control } from 'react-hook-form';
import type * as z from 'zod/mini';
import { apiQuery, refresh } from '#api/api-query.ts';

export interface PlanSearch {
  keyword: string;
  /** The form: `new`, or the id of the edited plan. */
  edit: string;
  /** Id of the plan whose subscribers are shown; 0: none. */
  show: number;
}

export type PlanValues = z.input<(typeof planAdminSchemas)['create']['body']>;
export type PlanBody = z.output<(typeof planAdminSchemas)['create']['body']>;

export type PlanControl = Control<PlanValues, unknown, PlanBody>;

export const planById = (id: number) => apiQuery(planAdminApi.get, { params: { id } });

export const subscriptionsOf = (id: number) => ({
  ...apiQuery(planAdminApi.subscriptions, { params: { id } }),
  meta: { quiet: true },
});

export const refreshPlans = (client: QueryClient): Promise<void> =>
  refresh(client, planAdminApi.list, planAdminApi.get, planAdminApi.subscriptions, planApi.offers, planApi.mine);

/** Fields of a plan that a save sends. */
export const bodyOf = (plan: Plan): PlanBody => ({
  enabled: plan.enabled,
  sort: plan.sort,
  names: plan.names,
  descriptions: plan.descriptions,
  most_active: plan.most_active,
  most_total: plan.most_total,
  stock: plan.stock,
  terms: plan.terms,
});
