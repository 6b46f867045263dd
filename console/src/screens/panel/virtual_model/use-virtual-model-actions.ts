import { type NewVirtualModel, type VirtualModel, virtualModelApi } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshVirtualModels, savedParts } from './virtual-model-api.ts';

/** Saves and deletes virtual models; both offer Undo. */
export function useVirtualModelActions() {
  const { t } = useTranslation('virtualModel');
  const client = useQueryClient();
  const onSettled = () => refreshVirtualModels(client);
  const create = useMutation({
    mutationFn: (body: NewVirtualModel) => call(virtualModelApi.create, { body }),
    onSuccess: ({ name }) => toast.success(t('saved', { name })),
    onSettled,
  });
  const update = useMutation({
    mutationFn: ({ id, body }: { id: number; body: NewVirtualModel; before?: VirtualModel }) =>
      call(virtualModelApi.update, { body: { id, ...body } }),
    onSuccess: ({ id, name }, { before }) => {
      if (!before) return toast.success(t('saved', { name }));
      toast.undo(t('saved', { name }), () => update.mutate({ id, body: savedParts(before) }));
    },
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: VirtualModel) => call(virtualModelApi.remove, { params: { id } }),
    onSuccess: (_, model) => toast.undo(t('removed', { name: model.name }), () => create.mutate(savedParts(model))),
    onSettled,
  });
  return {
    create: create.mutateAsync,
    update: update.mutateAsync,
    toggle: (model: VirtualModel) =>
      update.mutate({ id: model.id, body: { ...savedParts(model), enabled: !model.enabled }, before: model }),
    remove: (model: VirtualModel) => remove.mutate(model),
  };
}
