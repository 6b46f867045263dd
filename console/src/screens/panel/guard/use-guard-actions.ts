import { type GuardRule, guardApi, type NewGuardRule } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshGuards, savedParts } from './guard-api.ts';

/** Saves and deletes guardrails; changes offer Undo. */
export function useGuardActions() {
  const { t } = useTranslation('guard');
  const client = useQueryClient();
  const onSettled = () => refreshGuards(client);
  const create = useMutation({
    mutationFn: (body: NewGuardRule) => call(guardApi.create, { body }),
    onSuccess: ({ name }) => toast.success(t('saved', { name })),
    onSettled,
  });
  const update = useMutation({
    mutationFn: ({ id, body }: { id: number; body: NewGuardRule; before?: GuardRule }) =>
      call(guardApi.update, { body: { id, ...body } }),
    onSuccess: ({ id, name }, { before }) => {
      if (!before) return toast.success(t('saved', { name }));
      toast.undo(t('saved', { name }), () => update.mutate({ id, body: savedParts(before) }));
    },
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: GuardRule) => call(guardApi.remove, { params: { id } }),
    onSuccess: (_, rule) => toast.undo(t('removed', { name: rule.name }), () => create.mutate(savedParts(rule))),
    onSettled,
  });
  return {
    create: create.mutateAsync,
    update: update.mutateAsync,
    toggle: (rule: GuardRule) =>
      update.mutate({ id: rule.id, body: { ...savedParts(rule), enabled: !rule.enabled }, before: rule }),
    remove: (rule: GuardRule) => remove.mutate(rule),
  };
}
