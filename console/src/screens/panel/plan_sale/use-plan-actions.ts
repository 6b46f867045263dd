import { type Plan, planAdminApi } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#api/call.ts';
import { planText } from '#domain/plan/plan-terms.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { toast } from '#ui/feedback/toast.ts';
import { bodyOf, type PlanBody, refreshPlans } from './plan-api.ts';

/** Creates, updates and deletes plans; sale and deletion offer Undo. */
export function usePlanActions() {
  const { t } = useTranslation('planAdmin');
  const client = useQueryClient();
  const onSettled = () => refreshPlans(client);
  const create = useMutation({
    mutationFn: (body: PlanBody) => call(planAdminApi.create, { body }),
    onSuccess: ({ names }) => toast.success(t('saved', { name: planText(names) })),
    onSettled,
  });
  const update = useMutation({
    mutationFn: ({ id, body }: { id: number; body: PlanBody }) => call(planAdminApi.update, { params: { id }, body }),
    onSuccess: ({ names }) => toast.success(t('saved', { name: planText(names) })),
    onSettled,
  });
  const sell = useMutation({
    mutationFn: ({ plan, enabled }: { plan: Plan; enabled: boolean; isUndo?: boolean }) =>
      call(planAdminApi.update, { params: { id: plan.id }, body: { ...bodyOf(plan), enabled } }),
    onSuccess: (plan, { isUndo }) => {
      const text = t(plan.enabled ? 'putOnSale' : 'takenOff', { name: planText(plan.names) });
      if (isUndo) toast.success(text);
      else toast.undo(text, () => sell.mutate({ plan, enabled: !plan.enabled, isUndo: true }));
    },
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: Plan) => call(planAdminApi.remove, { params: { id } }),
    onSuccess: (_, plan) => toast.undo(t('removed', { name: planText(plan.names) }), () => create.mutate(bodyOf(plan))),
    onSettled,
  });
  return {
    create: create.mutateAsync,
    update: update.mutateAsync,
    sell: (plan: Plan) => sell.mutate({ plan, enabled: !plan.enabled }),
    remove: (plan: Plan) => remove.mutate(plan),
  };
}
