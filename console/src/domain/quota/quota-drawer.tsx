import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormTextarea } from '#ui/form/form-text.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { ApiError } from '#api/api-error.ts';
import { toast } from '#ui/feedback/toast.ts';
import { QuotaAmount } from './quota-amount.tsx';
import { balanceQuery, correctQuota, newReference, refreshBalances } from './quota-api.ts';
import { changeOf } from './quota-change.ts';
import { RecentChanges } from './recent-changes.tsx';
import { quotaRules } from './quota-form.ts';
import { pastDays, QuotaResult } from './quota-result.tsx';

interface Props {
  /** Owner of the balance; the signed-in user must outrank them. */
  user: { id: number; username: string; display_name?: string | undefined };
  onClose: () => void;
}

const longestRemark = 255;
const saveKeys = { add: 'saveAdd', take: 'saveTake', set: 'saveSet' } as const;

/** Corrects a user's balance, with a reason. Load it lazily; mount it to open it. */
export function QuotaDrawer({ user, onClose }: Props) {
  const { t } = useTranslation('quota');
  const money = useSiteFormat();
  const [since] = useState(() => Math.floor(Date.now() / 1000) - pastDays * 86_400);
  const { data: totals } = useQuery(balanceQuery(user.id, since));
  const balance = totals?.quota;
  const resolver = useMemo(() => contractResolver(quotaRules(balance, t, money)), [balance, t, money]);
  const form = useForm({ resolver, defaultValues: { mode: 'add', quota: null, remark: '' }, mode: 'onBlur' });
  const { control, handleSubmit, formState } = form;
  const [mode, quota, remark] = useWatch({ control, name: ['mode', 'quota', 'remark'] });
  const { correct, tell } = useCorrectQuota(user);
  const save = useMutation({
    mutationFn: (correction: { credits: number; remark: string }) => savedOrRefused(form, () => correct(correction)),
    onSuccess: (entry, correction) => {
      if (!entry) return;
      tell(correction, entry.balance_after);
      onClose();
    },
  });
  const submit = handleSubmit((values) => {
    if (balance !== undefined) save.mutate({ credits: changeOf(values, balance), remark: values.remark });
  });
  const { mode: modeChanged, ...dirty } = formState.dirtyFields;
  const typed = countDirty(dirty);
  return (
    <EditDrawer
      title={t('title')}
      subtitle={
        <>
          {user.username} <span className="text-text3">#{user.id}</span>
          {user.display_name && user.display_name !== user.username && <span>· {user.display_name}</span>}
        </>
      }
      // The direction alone is no unsaved change.
      changes={typed + (modeChanged && typed > 0 ? 1 : 0)}
      saveLabel={quota === null ? t('save') : t(saveKeys[mode], { amount: formatMoney(quota, money) })}
      busy={save.isPending}
      onSave={submit}
      onClose={onClose}
    >
      <DrawerSection title={t('amount')} text={t('amountText')}>
        <QuotaAmount
          control={control}
          mode={mode}
          onMode={(next) => form.setValue('mode', next, { shouldDirty: true })}
        />
      </DrawerSection>
      <DrawerSection title={t('remark')} text={t('remarkText')}>
        <FormTextarea
          control={control}
          name="remark"
          label={t('remark')}
          hideLabel
          rows={2}
          maxLength={longestRemark}
          placeholder={t('remarkPlaceholder')}
          hint={
            <span className="flex gap-4">
              {t('remarkHint')}
              <span className="ml-auto tabular-nums">
                {remark.length} / {longestRemark}
              </span>
            </span>
          }
        />
      </DrawerSection>
      <DrawerSection title={t('result')}>
        <QuotaResult totals={totals} aim={{ mode, quota }} />
      </DrawerSection>
      <RecentChanges user={user} />
    </EditDrawer>
  );
}

interface Correction {
  credits: number;
  remark: string;
}

/** Corrects a user's balance, once per mount, and offers Undo. */
function useCorrectQuota({ id: userId, username: name }: { id: number; username: string }) {
  const { t } = useTranslation('quota');
  const client = useQueryClient();
  const money = useSiteFormat();
  const reference = useRef('');

  const { mutate: takeBack } = useMutation({
    mutationFn: ({ credits, remark }: Correction) =>
      correctQuota({ userId, credits: -credits, remark, reference: newReference() }),
    onSuccess: () => toast.success(t('undone', { name })),
    onSettled: () => refreshBalances(client),
  });

  const correct = async (correction: Correction) => {
    // Keep the reference if the response is lost: the correction may have been applied.
    reference.current ||= newReference();
    try {
      return await correctQuota({ ...correction, userId, reference: reference.current });
    } catch (error) {
      const wasDone = error instanceof ApiError && error.code === 'reference.used';
      throw wasDone ? new ApiError({ status: error.status, message: t('doneBefore') }) : error;
    } finally {
      void refreshBalances(client);
    }
  };

  const tell = ({ credits, remark }: Correction, balance: number) => {
    const amount = formatMoney(Math.abs(credits), money);
    const words = t(credits > 0 ? 'added' : 'taken', { name, amount, balance: formatMoney(balance, money) });
    const undone = t('undoRemark', { remark }).slice(0, longestRemark);
    toast.undo(words, () => takeBack({ credits, remark: undone }));
  };

  return { correct, tell };
}
