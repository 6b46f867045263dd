import { tokenApi, tokenStatus, type Token } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { runSequentially, type Outcome } from '#domain/save/run-sequentially.ts';
import { toast } from '#ui/feedback/toast.ts';
import { removeToken, setStatus, showStatus } from './token-api.ts';

type Settable = typeof tokenStatus.enabled | typeof tokenStatus.disabled;

const facts = (tokens: readonly Token[]) => ({ count: tokens.length, name: tokens[0]?.name });

/** Enables, disables and deletes tokens, with toasts. */
export function useTokenActions() {
  const { t } = useTranslation('token');
  const client = useQueryClient();
  const again = () => refresh(client, tokenApi.list, tokenApi.get);
  const undo = t('undo');

  const toastOutcome = ({ done, failed: [first, ...others] }: Outcome<Token>, text: string, back?: () => void) => {
    if (done.length > 0 && back) toast.undo(text, { label: undo, onClick: back });
    else if (done.length > 0) toast.success(text);
    if (!first) return;
    const why = { count: others.length + 1, name: first.item.name, reason: first.error.message };
    toast.error(t(others.length === 0 ? 'notDone' : 'notDoneMany', why));
  };

  const { mutate: putStatus } = useMutation({
    mutationFn: ({ tokens, status }: { tokens: readonly Token[]; status: Settable; isUndo?: boolean }) =>
      runSequentially(t(status === tokenStatus.enabled ? 'enabling' : 'disabling'), tokens, ({ id }) =>
        setStatus(id, status),
      ),
    // After a failure, the refetched list corrects the optimistic status.
    onMutate: ({ tokens, status }) => showStatus(client, tokens, status),
    onSuccess: (outcome, { status, isUndo }) => {
      const { done } = outcome;
      const on = status === tokenStatus.enabled;
      const [one, many] = on ? (['enabled', 'enabledMany'] as const) : (['disabled', 'disabledMany'] as const);
      const back = () =>
        putStatus({ tokens: done, status: on ? tokenStatus.disabled : tokenStatus.enabled, isUndo: true });
      toastOutcome(outcome, t(done.length === 1 ? one : many, facts(done)), isUndo ? undefined : back);
    },
    onSettled: again,
  });

  const { mutateAsync: remove } = useMutation({
    mutationFn: (tokens: readonly Token[]) => runSequentially(t('removing'), tokens, ({ id }) => removeToken(id)),
    onSuccess: (outcome) =>
      toastOutcome(outcome, t(outcome.done.length === 1 ? 'removed' : 'removedMany', facts(outcome.done))),
    onSettled: again,
  });

  return {
    enable: (...tokens: readonly Token[]) => putStatus({ tokens, status: tokenStatus.enabled }),
    disable: (...tokens: readonly Token[]) => putStatus({ tokens, status: tokenStatus.disabled }),
    remove,
  };
}
