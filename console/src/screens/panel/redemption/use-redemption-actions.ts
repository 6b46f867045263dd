import { redemptionStatus, type Redemption } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { runSequentially, type Outcome } from '#domain/save/run-sequentially.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshCodes, removeCode, restoreCode, setStatus } from './redemption-api.ts';

/** The actions on codes, each with its toast texts and its inverse. */
const acts = {
  enable: {
    send: (id: number) => setStatus(id, redemptionStatus.enabled),
    texts: ['enabling', 'enabled', 'enabledMany'],
    back: 'disable',
  },
  disable: {
    send: (id: number) => setStatus(id, redemptionStatus.disabled),
    texts: ['disabling', 'disabled', 'disabledMany'],
    back: 'enable',
  },
  remove: { send: removeCode, texts: ['removing', 'removed', 'removedMany'], back: 'restore' },
  restore: { send: restoreCode, texts: ['restoring', 'restored', 'restoredMany'], back: 'remove' },
} as const;

interface Act {
  act: keyof typeof acts;
  rows: readonly Redemption[];
  isUndo?: boolean;
}

/** Enables, disables, deletes and restores codes, with toasts and Undo. */
export function useRedemptionActions() {
  const { t } = useTranslation('redemption');
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ act, rows }: Act) => runSequentially(t(acts[act].texts[0]), rows, ({ id }) => acts[act].send(id)),
    onSuccess: (outcome, { act, isUndo }) => toastOutcome(outcome, act, isUndo),
    onSettled: () => refreshCodes(client),
  });

  function toastOutcome(
    { done, failed: [first, ...others] }: Outcome<Redemption>,
    act: keyof typeof acts,
    isUndo = false,
  ) {
    const [, one, many] = acts[act].texts;
    const text = t(done.length === 1 ? one : many, { count: done.length, name: done[0]?.name });
    const back = () => mutate({ act: acts[act].back, rows: done, isUndo: true });
    if (done.length > 0 && !isUndo) toast.undo(text, { label: t('undo'), onClick: back });
    else if (done.length > 0) toast.success(text);
    if (!first) return;
    const why = { count: others.length + 1, name: first.item.name, reason: first.error.message };
    toast.error(t(others.length === 0 ? 'notDone' : 'notDoneMany', why));
  }

  return (act: 'enable' | 'disable' | 'remove', ...rows: readonly Redemption[]) => mutate({ act, rows });
}
