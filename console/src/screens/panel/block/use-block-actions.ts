import { blockApi, type Block, type InputOf } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshBlocks } from './block-api.ts';

type NewBlock = InputOf<typeof blockApi.create>['body'];

/** Blocks and unblocks networks; both offer Undo, by the other one. */
export function useBlockActions() {
  const { t } = useTranslation('block');
  const client = useQueryClient();
  const onSettled = () => refreshBlocks(client);
  const told = (isBlocked: boolean, block: Block, isUndo: boolean) => {
    const text = t(isBlocked ? 'blocked' : 'unblocked', { network: block.network });
    if (isUndo) toast.success(text);
    else toast.undo(text, () => (isBlocked ? remove : create).mutate({ ...block, isUndo: true }));
  };
  const create = useMutation({
    mutationFn: ({ network, reason, expired_time }: NewBlock & { isUndo?: boolean }) =>
      call(blockApi.create, { body: { network, reason, expired_time } }),
    onSuccess: (block, { isUndo = false }) => told(true, block, isUndo),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: Block & { isUndo?: boolean }) => call(blockApi.remove, { params: { id } }),
    onSuccess: (_, { isUndo = false, ...block }) => told(false, block, isUndo),
    onSettled,
  });
  return { create: create.mutateAsync, remove: (block: Block) => remove.mutate(block) };
}
